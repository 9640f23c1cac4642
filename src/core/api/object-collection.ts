import { identify } from "./field.ts";
import { groupObjects, isNamespaced, type Kind } from "./group-objects.ts";
import type { Problem, Read } from "./problem.ts";

/** Objects of many kinds, read one by one: what is wrong with one of them costs no other. */
export class ObjectCollection {
  readonly #byKind: ReadonlyMap<Kind, readonly unknown[]>;
  readonly #problems: Problem[];

  constructor(objects: readonly unknown[]) {
    const { byKind, problems } = groupObjects(objects);
    this.#byKind = byKind;
    this.#problems = [...problems];
  }

  /** Every problem met so far. */
  get problems(): readonly Problem[] {
    return this.#problems;
  }

  of(kind: Kind): readonly unknown[] {
    return this.#byKind.get(kind) ?? [];
  }

  /** All the objects of a kind that can be read. Of two with the same name the first counts, readable or not. */
  readAll<T>(kind: Kind, read: (wire: unknown) => Read<T>): T[] {
    const identities = new Set<string>();
    const values: T[] = [];
    for (const wire of this.of(kind)) {
      const identity = identify(wire, isNamespaced(kind) ? "default" : undefined);
      if (identity !== undefined && identities.has(identity)) {
        const message = "is there twice; the first one counts";
        this.#problems.push({ object: `${kind} ${identity}`, field: "", message });
        continue;
      }
      if (identity !== undefined) identities.add(identity);
      const result = read(wire);
      if (result.problems === undefined) values.push(result.value);
      else for (const problem of result.problems) this.#problems.push(problem);
    }
    return values;
  }
}
