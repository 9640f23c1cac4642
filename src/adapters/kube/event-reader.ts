import type { KubeWatchEvent } from "../../ports/kube-transport.ts";

const newline = 10;
/** Far more than any object may have; a stream without an end of line must not fill the memory. */
const longestLine = 64 * 2 ** 20;
const types: ReadonlySet<unknown> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

/** Makes events out of the bytes of a watch, wherever these were cut. */
export class EventReader {
  /** The beginning of a line whose end has not come. Bytes and not text, because a character may be cut too. */
  #pieces: Buffer[] = [];
  #length = 0;

  /** Hands on each event that is whole until `deliver` says to stop. Throws when this is no stream of events. */
  read(chunk: Buffer, deliver: (event: KubeWatchEvent) => boolean): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = this.#length === 0 ? chunk.toString("utf8", start, end) : this.#join(chunk.subarray(0, end));
      start = end + 1;
      if (line !== "" && !deliver(eventIn(line))) return;
    }
    if (start < chunk.length) this.#keep(start === 0 ? chunk : chunk.subarray(start));
  }

  #join(last: Buffer): string {
    const line = Buffer.concat([...this.#pieces, last], this.#length + last.length).toString();
    this.#pieces = [];
    this.#length = 0;
    return line;
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > longestLine) throw new Error(`an event is longer than ${longestLine} bytes`);
  }
}

function eventIn(line: string): KubeWatchEvent {
  let event: Partial<KubeWatchEvent> | null;
  try {
    event = JSON.parse(line) as Partial<KubeWatchEvent> | null;
  } catch {
    throw new Error("a line is not JSON");
  }
  if (types.has(event?.type) && typeof event?.object === "object") return event as KubeWatchEvent;
  throw new Error("a line is not an event");
}
