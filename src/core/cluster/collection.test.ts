import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Collection } from "./collection.ts";

interface Thing {
  readonly group: string;
  readonly number: number;
}

const anyThing = fc.record<Thing>({ group: fc.constantFrom("", "a", "b"), number: fc.nat(9) });
const anyChanges = fc.array(fc.tuple(fc.constantFrom("x", "y", "z"), fc.option(anyThing)));

describe("an index", () => {
  it("has the objects of every group, in the order in which they came to it", () => {
    fc.assert(
      fc.property(anyChanges, (changes) => {
        const things = new Collection<Thing>();
        const index = things.indexBy(({ group }) => group);
        const groups = new Map<string, Map<string, Thing>>();
        for (const [key, thing] of changes) {
          const before = things.get(key);
          if (before !== undefined) groups.get(before.group)?.delete(key);
          if (thing === null) things.remove(key);
          else things.put(key, thing);
          if (thing !== null && thing.group !== "")
            groups.set(thing.group, (groups.get(thing.group) ?? new Map()).set(key, thing));
          for (const group of ["", "a", "b"])
            assert.deepEqual(index.get(group), [...(groups.get(group)?.values() ?? [])]);
        }
      }),
    );
  });
});
