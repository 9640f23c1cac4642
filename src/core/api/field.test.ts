import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Field, nameObject, openObject } from "./field.ts";
import { describeProblem, type Problem, ProblemLog } from "./problem.ts";

function open(value: unknown): Field {
  return new Field(value, new ProblemLog("Pod default/web"));
}

function said(field: Field): string[] {
  return field.log.problems.map(describeProblem);
}

describe("Field", () => {
  it("names the place of a problem as one would write it", () => {
    const root = open({ spec: { containers: [{ resources: { "nvidia.com/gpu": "x" } }] } });
    root.at("spec").at("containers").items()[0]?.at("resources").at("nvidia.com/gpu").integer(0, 8);
    assert.deepEqual(said(root), [
      'Pod default/web: spec.containers[0].resources["nvidia.com/gpu"] must be a whole number from 0 to 8, found "x".',
    ]);
  });

  it("takes null for absent", () => {
    const root = open({ a: null });
    assert.deepEqual(
      [root.at("a").isAbsent, root.at("a").text(), root.at("a").items(), root.at("a").at("b").text()],
      [true, undefined, [], undefined],
    );
    assert.deepEqual(said(root), []);
  });

  it("answers a wrong type as if it were absent, and says so", () => {
    const root = open({ a: 1, b: "x", c: [], d: "yes", e: "soon", f: "x" });
    assert.deepEqual(
      [
        root.at("a").text(),
        root.at("b").items(),
        [...root.at("c").labels()],
        root.at("d").flag(),
        root.at("e").time(),
        root.at("f").choice(["y", "z"]),
      ],
      [undefined, [], [], false, undefined, undefined],
    );
    assert.deepEqual(
      root.log.problems.map(({ field, message }) => `${field} ${message}`),
      [
        "a must be a string, found 1",
        'b must be a list, found "x"',
        "c must be an object, found a list",
        'd must be true or false, found "yes"',
        'e must be a time such as "2026-01-31T12:00:00Z", found "soon"',
        'f must be one of y, z, found "x"',
      ],
    );
  });

  it("complains once of what is no object, no list or no string, and of nothing that it should hold", () => {
    const root = open({ a: "x", ab: 1, b: { c: 7 }, d: "y", e: 3 });
    root.at("ab").flag();
    for (let time = 0; time < 2; time++) {
      root.at("a").at("b").at("c").requiredText();
      root.at("b").at("c").entries();
      root.at("d").items();
      root.at("d").note("must have at least one entry");
      root.at("e").requiredText();
    }
    assert.deepEqual(
      root.log.problems.map(({ field, message }) => `${field} ${message}`),
      [
        "ab must be true or false, found 1",
        'a must be an object, found "x"',
        "b.c must be an object, found 7",
        'd must be a list, found "y"',
        "e must be a string, found 3",
      ],
    );
  });

  it("reads times with any offset, and those a YAML reader has read already", () => {
    const midnight = Date.UTC(2026, 0, 1);
    const times = [
      "2026-01-01T00:00:00Z",
      "2026-01-01T01:00:00+01:00",
      "2026-01-01T00:00:00.000000Z",
      new Date(midnight),
    ];
    assert.deepEqual(
      times.map((time) => open(time).time()),
      times.map(() => midnight),
    );
  });

  it("sees only own fields, and keeps a label named __proto__ a label", () => {
    const root = open(JSON.parse('{"labels": {"__proto__": "x", "constructor": "y"}}'));
    assert.equal(root.at("toString").isAbsent, true);
    assert.deepEqual(
      [...root.at("labels").labels()],
      [
        ["__proto__", "x"],
        ["constructor", "y"],
      ],
    );
  });

  it("refuses lists and maps without measure", () => {
    const root = open({
      list: new Array(5001).fill(0),
      map: Object.fromEntries(new Array(5001).fill(0).map((_, i) => [i, ""])),
    });
    assert.deepEqual([root.at("list").items(), root.at("map").labels().size], [[], 0]);
    assert.deepEqual(
      root.log.problems.map(({ message }) => message),
      ["must have at most 5000 entries, found 5001", "must have at most 5000 entries, found 5001"],
    );
  });

  it("cuts what it quotes", () => {
    const root = open("x".repeat(1000));
    root.flag();
    assert.equal(root.log.problems[0]?.message.length, 92);
  });
});

describe("openObject", () => {
  it("has one problem with an object that is none, too deep or too large", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(1000)}0${"}".repeat(1000)}`);
    const endless: Record<string, unknown> = {};
    endless.again = endless;
    const problems = [7, deep, endless, { x: 1n }].map((wire) => {
      const root = openObject(wire, "Thing");
      root.at("name").requiredText();
      return root.log.problems.map(describeProblem);
    });
    assert.deepEqual(problems, [
      ["Thing must be an object."],
      ["Thing is nested too deeply."],
      ["Thing is nested too deeply."],
      ["Thing holds something that JSON has no word for."],
    ]);
  });

  it("does not walk a tree that aliases have made huge", () => {
    let wide: unknown = ["x"];
    for (let level = 0; level < 40; level++) wide = [wide, wide];
    assert.deepEqual(openObject({ wide }, "Thing").log.problems.map(describeProblem), ["Thing is too large."]);
  });
});

describe("nameObject", () => {
  it("makes out what it can", () => {
    const names = [
      { metadata: { name: "a", namespace: "n" } },
      { metadata: { name: "a" } },
      { metadata: { name: 7 } },
      { metadata: "x" },
      null,
    ].map((wire) => nameObject(wire, "Pod", "default"));
    assert.deepEqual(names, [
      "Pod n/a",
      "Pod default/a",
      "Pod without a name",
      "Pod without a name",
      "Pod without a name",
    ]);
  });
});

describe("ProblemLog", () => {
  it("stops at a score of problems", () => {
    const log = new ProblemLog("Pod x");
    for (let number = 0; number < 100; number++) log.add("f", "is wrong");
    const problem: Problem = { object: "Pod x", field: "f", message: "is wrong" };
    assert.deepEqual(log.conclude(1), { problems: new Array(20).fill(problem) });
  });
});
