import type { Clock } from "../../ports/clock.ts";

export interface LogLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Without its end. */
  readonly text: string;
}

const mostLines = 10_000;

/** The last lines that a container wrote, for whoever asks later, and the next ones for whoever follows. */
export class LogBuffer {
  readonly #clock: Clock;
  readonly #followers = new Set<(line: LogLine) => void>();
  #lines: LogLine[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Text of one or more lines. */
  write(text: string): void {
    for (const line of text.replace(/\n$/, "").split("\n")) this.#add({ at: this.#clock.now(), text: line });
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  follow(follower: (line: LogLine) => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  #add(line: LogLine): void {
    this.#lines.push(line);
    if (this.#lines.length >= 2 * mostLines) this.#lines = this.#lines.slice(-mostLines);
    for (const follower of this.#followers) follower(line);
  }
}
