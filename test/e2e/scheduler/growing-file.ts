import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** A file that somebody else writes, read bit by bit. */
export class GrowingFile {
  readonly #path: string;
  #position = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** What has been added since the last time. */
  read(): string {
    const file = openSync(this.#path, "r");
    const text = Buffer.alloc(fstatSync(file).size - this.#position);
    this.#position += readSync(file, text, 0, text.length, this.#position);
    closeSync(file);
    return text.toString();
  }
}
