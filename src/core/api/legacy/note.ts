import type { Field } from "../field.ts";
import type { Problem } from "../problem.ts";

/** Something that the owner of a converted object should know, and what to do about it. */
export interface Note extends Problem {
  /** Whether something now means, or is written, otherwise, or has no equivalent and was left out. */
  readonly kind: "changed" | "dropped";
}

/** Gathers the notes about one object. */
export class NoteLog {
  readonly object: string;
  readonly #notes: Note[] = [];

  constructor(object: string) {
    this.object = object;
  }

  get notes(): readonly Note[] {
    return this.#notes;
  }

  changed({ path }: Field, message: string): void {
    this.#notes.push({ kind: "changed", object: this.object, field: path, message });
  }

  dropped({ path }: Field, message: string): void {
    this.#notes.push({ kind: "dropped", object: this.object, field: path, message });
  }

  /** Names every part of a map that nobody reads, so that nothing vanishes without a word. */
  dropOthers(field: Field, known: readonly string[], owner: string): void {
    for (const [key, value] of field.entries()) {
      if (known.includes(key) || value.isAbsent) continue;
      this.dropped(value, `is no field of ${owner}, and is left out: correct its name, or remove it`);
    }
  }
}
