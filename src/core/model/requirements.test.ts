import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  acceptsAbsence,
  anyValue,
  conflictingKey,
  has,
  hasIntersection,
  holdsOn,
  incompatibleKey,
  intersectAll,
  intersection,
  makeRequirement,
  operatorOf,
  type Requirement,
  type RequirementOperator,
  type Requirements,
  requirementFor,
  requirementsFromLabels,
  unmetKey,
} from "./requirements.ts";

const key = "example.com/key";

/** Requirements on the one key: none for "U". */
const named: ReadonlyMap<string, Requirements> = new Map(
  Object.entries({
    U: undefined,
    E: makeRequirement("Exists", []),
    D: makeRequirement("DoesNotExist", []),
    A: makeRequirement("In", ["A"]),
    B: makeRequirement("In", ["B"]),
    AB: makeRequirement("In", ["A", "B"]),
    nA: makeRequirement("NotIn", ["A"]),
    "1": makeRequirement("In", ["1"]),
    "9": makeRequirement("In", ["9"]),
    "19": makeRequirement("In", ["1", "9"]),
    n12: makeRequirement("NotIn", ["1", "2"]),
    ">1": makeRequirement("Gt", ["1"]),
    ">9": makeRequirement("Gt", ["9"]),
    "<1": makeRequirement("Lt", ["1"]),
    "<9": makeRequirement("Lt", ["9"]),
  }).map(([name, requirement]) => [name, new Map(requirement === undefined ? [] : [[key, requirement]])]),
);

const columns = "U E D A B AB nA 1 9 19 n12 >1 >9 <1 <9".split(" ");

/** Y where the row, as what is offered, serves the column, as what is asked. */
const matrix = `
U     Y Y Y Y Y Y  Y  Y Y Y  Y   Y  Y  Y  Y
E     Y Y . Y Y Y  Y  Y Y Y  Y   Y  Y  Y  Y
D     Y . Y . . .  Y  . . .  Y   .  .  .  .
A     Y Y . Y . Y  .  . . .  Y   .  .  .  .
B     Y Y . . Y Y  Y  . . .  Y   .  .  .  .
AB    Y Y . Y Y Y  Y  . . .  Y   .  .  .  .
nA    Y Y Y . Y Y  Y  Y Y Y  Y   Y  Y  Y  Y
1     Y Y . . . .  Y  Y . Y  .   .  .  .  Y
9     Y Y . . . .  Y  . Y Y  Y   Y  .  .  .
19    Y Y . . . .  Y  Y Y Y  Y   Y  .  .  Y
n12   Y Y Y Y Y Y  Y  . Y Y  Y   Y  Y  Y  Y
>1    Y Y . . . .  Y  . Y Y  Y   Y  Y  .  Y
>9    Y Y . . . .  Y  . . .  Y   Y  Y  .  .
<1    Y Y . . . .  Y  . . .  Y   .  .  Y  Y
<9    Y Y . . . .  Y  Y . Y  Y   Y  .  Y  Y`;
const strictFirstRow = "U     Y . Y . . .  Y  . . .  Y   .  .  .  .";

function matrixRows(text: string): string[][] {
  return text
    .trim()
    .split("\n")
    .map((line) => line.split(/ +/));
}

function servedColumns(row: string, allowUndefined: ReadonlySet<string>): string[] {
  const offered = named.get(row) ?? new Map();
  const cells = columns.map((column) => incompatibleKey(offered, named.get(column) ?? new Map(), allowUndefined));
  return [row, ...cells.map((conflict) => (conflict === undefined ? "Y" : "."))];
}

describe("incompatibleKey", () => {
  for (const row of matrixRows(matrix)) {
    const [name = ""] = row;
    test(`row ${name} of the compatibility matrix holds when the label may be undefined`, () => {
      assert.deepEqual(servedColumns(name, new Set([key])), row);
    });
    test(`row ${name} of the compatibility matrix holds when the label must be defined`, () => {
      const [strictRow] = matrixRows(name === "U" ? strictFirstRow : row.join(" "));
      assert.deepEqual(servedColumns(name, new Set()), strictRow);
    });
  }

  test("a number that must not be 3 has to be promised, unlike a value that must not be 3", () => {
    const asked = new Map([[key, intersection(makeRequirement("Gt", ["1"]), makeRequirement("NotIn", ["3"]))]]);
    assert.equal(incompatibleKey(new Map(), asked, new Set()), key);
  });
});

describe("conflictingKey", () => {
  test("names the label that both mention and disagree about", () => {
    const a = new Map([
      ["only-a", makeRequirement("In", ["1"])],
      ["same", makeRequirement("In", ["1"])],
      ["differs", makeRequirement("In", ["1"])],
    ]);
    const b = new Map([
      ["same", makeRequirement("Exists", [])],
      ["differs", makeRequirement("In", ["2"])],
    ]);
    assert.deepEqual([conflictingKey(a, b), conflictingKey(b, a)], ["differs", "differs"]);
    assert.equal(conflictingKey(a, new Map([["other", makeRequirement("In", ["2"])]])), undefined);
  });
});

const value = fc.constantFrom(
  "A",
  "B",
  "a-b",
  "1",
  "2",
  "9",
  "10",
  "-3",
  "007",
  "9007199254740993",
  "9223372036854775807",
);
const integer = fc.constantFrom("0", "1", "5", "9", "9007199254740992", "9007199254740993", "9223372036854775807");
const minValues = fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined });
const requirement: fc.Arbitrary<Requirement> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom<RequirementOperator[]>("In", "NotIn", "Exists", "DoesNotExist"),
      fc.array(value, { maxLength: 4 }),
      minValues,
    )
    .map((parts) => makeRequirement(...parts)),
  fc
    .tuple(fc.constantFrom<RequirementOperator[]>("Gt", "Lt", "Gte", "Lte"), integer, minValues)
    .map(([operator, limit, minimum]) => makeRequirement(operator, [limit], minimum)),
);
const combined = fc.oneof(
  requirement,
  fc.tuple(requirement, requirement).map(([a, b]) => intersection(a, b)),
);

describe("intersection", () => {
  test("is commutative", () => {
    fc.assert(fc.property(combined, combined, (a, b) => assert.deepEqual(intersection(a, b), intersection(b, a))));
  });

  test("is associative", () => {
    fc.assert(
      fc.property(combined, combined, combined, (a, b, c) =>
        assert.deepEqual(intersection(intersection(a, b), c), intersection(a, intersection(b, c))),
      ),
    );
  });

  test("is idempotent", () => {
    fc.assert(fc.property(combined, (a) => assert.deepEqual(intersection(a, { ...a }), a)));
  });

  test("has the values that both have", () => {
    fc.assert(
      fc.property(combined, combined, value, (a, b, v) =>
        assert.equal(has(intersection(a, b), v), has(a, v) && has(b, v)),
      ),
    );
  });

  test("is empty exactly where nothing is in common", () => {
    fc.assert(
      fc.property(combined, combined, (a, b) =>
        assert.equal(hasIntersection(a, b), operatorOf(intersection(a, b)) !== "DoesNotExist"),
      ),
    );
  });

  test("keeps the larger minValues even when no value is left", () => {
    const both = intersection(makeRequirement("Gt", ["5"], 2), makeRequirement("Lt", ["5"], 3));
    assert.deepEqual(both, makeRequirement("DoesNotExist", [], 3));
  });

  test("forgets exclusions that the bounds exclude anyway", () => {
    const both = intersection(makeRequirement("NotIn", ["1", "7", "x"]), makeRequirement("Gte", ["5"]));
    assert.deepEqual([...both.values], ["7"]);
  });
});

describe("makeRequirement", () => {
  test("tells integers beyond 2^53 apart", () => {
    const above = makeRequirement("Gt", ["9007199254740992"]);
    const values = ["9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775808"];
    assert.deepEqual(
      values.map((v) => has(above, v)),
      [false, true, true, false],
    );
  });

  test("has nothing above the largest integer and nothing below the smallest", () => {
    assert.deepEqual(makeRequirement("Gt", ["9223372036854775807"], 2), makeRequirement("DoesNotExist", []));
    assert.deepEqual(makeRequirement("Lt", ["-9223372036854775808"], 2), makeRequirement("DoesNotExist", []));
  });

  test("makes a bound that is no integer hold for no value and not for absence either", () => {
    for (const values of [["abc"], [], ["1", "2"], ["1.5"]]) {
      const broken = makeRequirement("Gt", values);
      assert.deepEqual([has(broken, "2"), acceptsAbsence(broken), anyValue(broken)], [false, false, ""]);
    }
  });
});

describe("anyValue", () => {
  test("is a value that the requirement has, where there is one", () => {
    fc.assert(
      fc.property(combined, (a) => {
        const chosen = anyValue(a);
        assert.ok(chosen === "" ? !hasIntersection(a, a) || isExhausted(a) : has(a, chosen));
      }),
    );
  });

  /** Every integer between the bounds is excluded, which the algebra does not notice. */
  function isExhausted({ atLeast, atMost = 2n ** 63n - 1n, values }: Requirement): boolean {
    return atLeast !== undefined && atMost - atLeast < BigInt(values.size);
  }

  const chosen: [string, Requirement, string][] = [
    ["the first of those listed", makeRequirement("In", ["b", "a", "c"]), "a"],
    ["zero where anything goes", makeRequirement("Exists", []), "0"],
    ["past the exclusions", makeRequirement("NotIn", ["0", "1", "x"]), "2"],
    ["the lower bound", makeRequirement("Gt", ["7"]), "8"],
    ["zero below an upper bound", makeRequirement("Lt", ["7"]), "0"],
    ["the upper bound below zero", makeRequirement("Lt", ["-7"]), "-8"],
    ["below zero when all else is excluded", narrowed(["Lt", "1"], ["NotIn", "0"]), "-1"],
    ["nothing when all is excluded", narrowed(["Gt", "1"], ["Lt", "3"], ["NotIn", "2"]), ""],
    ["nothing for a label that is absent", makeRequirement("DoesNotExist", []), ""],
  ];
  for (const [what, from, expected] of chosen) {
    test(`is ${what}`, () => assert.equal(anyValue(from), expected));
  }
});

function narrowed(...parts: [RequirementOperator, string][]): Requirement {
  return parts.map(([operator, v]) => makeRequirement(operator, [v])).reduce(intersection);
}

describe("sets of requirements", () => {
  const zoneA = requirementsFromLabels(new Map([["zone", "a"]]));

  test("allow anything for a label they do not mention", () => {
    assert.deepEqual(requirementFor(zoneA, "arch"), makeRequirement("Exists", []));
    assert.deepEqual(requirementFor(zoneA, "zone"), makeRequirement("In", ["a"]));
  });

  test("intersect label by label", () => {
    const zones = new Map([["zone", makeRequirement("In", ["a", "b"])]]);
    const arch = new Map([["arch", makeRequirement("NotIn", ["arm64"])]]);
    assert.deepEqual(
      intersectAll(zones, arch, zoneA),
      new Map([
        ["zone", makeRequirement("In", ["a"])],
        ["arch", makeRequirement("NotIn", ["arm64"])],
      ]),
    );
    assert.deepEqual(intersectAll(), new Map());
    assert.equal(intersectAll(new Map(), zoneA), zoneA);
  });
});

describe("a term on a node's labels", () => {
  const labels = new Map([
    ["zone", "a"],
    ["cpu", "8"],
  ]);
  const cases: [RequirementOperator, string, string[], boolean][] = [
    ["In", "zone", ["a", "b"], true],
    ["In", "zone", ["b"], false],
    ["In", "missing", ["a"], false],
    ["NotIn", "zone", ["a"], false],
    ["NotIn", "zone", ["b"], true],
    ["NotIn", "missing", ["a"], true],
    ["Exists", "zone", [], true],
    ["Exists", "missing", [], false],
    ["DoesNotExist", "zone", [], false],
    ["DoesNotExist", "missing", [], true],
    ["Gt", "cpu", ["7"], true],
    ["Gt", "cpu", ["8"], false],
    ["Gt", "zone", ["1"], false],
    ["Gt", "missing", ["1"], false],
    ["Lt", "cpu", ["9"], true],
    ["Lt", "missing", ["9"], false],
    ["Gte", "cpu", ["8"], true],
    ["Lte", "cpu", ["7"], false],
    ["Gt", "cpu", ["many"], false],
  ];
  for (const [operator, label, values, expected] of cases) {
    const term = new Map([[label, makeRequirement(operator, values)]]);
    test(`${expected ? "holds" : "does not hold"} for ${label} ${operator} [${values}]`, () => {
      assert.equal(holdsOn(term, labels), expected);
      assert.equal(unmetKey(term, labels), expected ? undefined : label);
    });
  }

  test("needs all of its requirements", () => {
    const term = new Map([
      ["zone", makeRequirement("In", ["a"])],
      ["cpu", narrowed(["Gt", "4"], ["Lt", "16"], ["NotIn", "8"])],
    ]);
    assert.equal(unmetKey(term, labels), "cpu");
    assert.equal(holdsOn(new Map(), labels), true);
  });

  test("agrees with strict compatibility of a node that has exactly these labels", () => {
    const anyLabels = fc
      .dictionary(fc.constantFrom("a", "b", "c"), value)
      .map((object) => new Map(Object.entries(object)));
    const anyTerm = fc
      .dictionary(fc.constantFrom("a", "b", "c"), combined)
      .map((object) => new Map(Object.entries(object)));
    fc.assert(
      fc.property(anyTerm, anyLabels, (term, some) => {
        assert.equal(holdsOn(term, some), incompatibleKey(requirementsFromLabels(some), term, new Set()) === undefined);
      }),
    );
  });
});
