import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { describeRequirement, type RequirementEntry, toEntries } from "./requirement-entries.ts";
import { intersection, makeRequirement, type Requirement, type RequirementOperator } from "./requirements.ts";

function entry(operator: RequirementOperator, values: string[], minValues?: number): RequirementEntry {
  return { key: "k", operator, values, minValues };
}

function entriesOf(requirement: Requirement): RequirementEntry[] {
  return toEntries(new Map([["k", requirement]]));
}

describe("toEntries", () => {
  test("sorts keys and values", () => {
    const requirements = new Map([
      ["b", makeRequirement("In", ["z", "a"])],
      ["a", makeRequirement("Exists", [])],
    ]);
    assert.deepEqual(toEntries(requirements), [
      { key: "a", operator: "Exists", values: [], minValues: undefined },
      { key: "b", operator: "In", values: ["a", "z"], minValues: undefined },
    ]);
  });

  test("writes a bound as an entry of its own and keeps what is excluded between bounds", () => {
    const between = intersection(makeRequirement("Gt", ["1"], 2), makeRequirement("Lte", ["9"]));
    assert.deepEqual(entriesOf(between), [entry("Gte", ["2"], 2), entry("Lte", ["9"], 2)]);
    assert.deepEqual(entriesOf(intersection(between, makeRequirement("NotIn", ["5"]))), [
      entry("Gte", ["2"], 2),
      entry("Lte", ["9"], 2),
      entry("NotIn", ["5"], 2),
    ]);
  });

  test("reads back the same", () => {
    const values = fc.array(fc.constantFrom("a", "b", "1", "3", "9007199254740993"), { maxLength: 3 });
    const simple = fc.oneof(
      fc
        .tuple(fc.constantFrom<RequirementOperator[]>("In", "NotIn", "Exists", "DoesNotExist"), values)
        .map((parts) => makeRequirement(...parts)),
      fc
        .tuple(fc.constantFrom<RequirementOperator[]>("Gt", "Lt", "Gte", "Lte"), fc.nat(5))
        .map(([operator, limit]) => makeRequirement(operator, [String(limit)], 2)),
    );
    fc.assert(
      fc.property(fc.array(simple, { minLength: 1, maxLength: 4 }), (parts) => {
        const requirement = parts.reduce(intersection);
        const read = entriesOf(requirement).map((part) => makeRequirement(part.operator, part.values, part.minValues));
        assert.deepEqual(read.reduce(intersection), requirement);
      }),
    );
  });
});

describe("describeRequirement", () => {
  const letters = ["g", "f", "e", "d", "c", "b", "a"];
  const words: [Requirement, string][] = [
    [makeRequirement("In", ["b", "a"]), "k In [a b]"],
    [makeRequirement("NotIn", letters), "k NotIn [a b c d e and 2 others]"],
    [makeRequirement("Exists", []), "k Exists"],
    [makeRequirement("DoesNotExist", []), "k DoesNotExist"],
    [makeRequirement("Gt", ["2"], 2), "k >= 3 minValues 2"],
    [makeRequirement("Lt", ["5"]), "k <= 4"],
    [intersection(makeRequirement("Gte", ["3"]), makeRequirement("Lt", ["9"])), "k >= 3 and <= 8"],
    [intersection(makeRequirement("Gte", ["3"]), makeRequirement("NotIn", ["4"])), "k NotIn [4] and >= 3"],
  ];
  for (const [requirement, text] of words) {
    test(`says "${text}"`, () => assert.equal(describeRequirement("k", requirement), text));
  }
});
