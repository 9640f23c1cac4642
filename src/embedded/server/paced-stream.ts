import type { ServerResponse } from "node:http";

/** A client that takes nothing for so long is cut off, in milliseconds. */
const longestStall = 30_000;

/** Writes as fast as the client reads; what it has not taken yet waits here, unwritten. */
export class PacedStream {
  readonly #response: ServerResponse;
  #pending: (() => string)[] = [];
  #stalledSince: number | undefined;
  #isEnding = false;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on("drain", () => {
      this.#stalledSince = undefined;
      this.#pump();
    });
  }

  /** `render` is asked for the text when its turn has come. */
  write(render: () => string): void {
    const stalledFor = this.#stalledSince === undefined ? 0 : performance.now() - this.#stalledSince;
    if (stalledFor > longestStall) {
      this.#pending = [];
      this.#response.destroy();
      return;
    }
    this.#pending.push(render);
    this.#pump();
  }

  /** After all that is waiting. */
  end(): void {
    this.#isEnding = true;
    this.#pump();
  }

  #pump(): void {
    let written = 0;
    while (this.#stalledSince === undefined && written < this.#pending.length) {
      const text = this.#pending[written++]?.() ?? "";
      if (!this.#response.write(text)) this.#stalledSince = performance.now();
    }
    if (written > 0) this.#pending = this.#pending.slice(written);
    if (this.#isEnding && this.#pending.length === 0) this.#response.end();
  }
}
