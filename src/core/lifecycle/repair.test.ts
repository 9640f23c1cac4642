import assert from "node:assert/strict";
import { test } from "node:test";
import { diagnose, judgeHealth, withTolerations } from "./repair.ts";

const ailments = [
  { conditionType: "Ready", conditionStatus: "False", tolerationMilliseconds: 600 },
  { conditionType: "Disk", conditionStatus: "Bad", tolerationMilliseconds: 100 },
];

function node(...conditions: readonly (readonly [type: string, status: string, since: number])[]) {
  return { conditions: conditions.map(([type, status, lastTransitionTime]) => ({ type, status, lastTransitionTime })) };
}

test("a node without an ailment has no diagnosis", () => {
  assert.equal(diagnose(node(["Ready", "True", 0], ["Disk", "False", 0]), ailments), undefined);
});

test("of several ailments the one counts that is due first", () => {
  const condition = { type: "Disk", status: "Bad", lastTransitionTime: 400 };
  assert.deepEqual(diagnose(node(["Ready", "False", 0], ["Disk", "Bad", 400]), ailments), { condition, dueAt: 500 });
  assert.equal(diagnose(node(["Ready", "False", 0], ["Disk", "Bad", 501]), ailments)?.dueAt, 600);
});

test("times by condition take the place of the cloud's", () => {
  const longer = withTolerations(ailments, new Map([["Disk", 1_000]]));
  assert.deepEqual(
    longer.map(({ tolerationMilliseconds }) => tolerationMilliseconds),
    [600, 1_000],
  );
});

test("a fifth of the nodes may ail, rounded up", () => {
  const health = (unhealthy: number, all: number) =>
    judgeHealth(
      Array.from({ length: all }, (_, index) => node(["Ready", index < unhealthy ? "False" : "True", 0])),
      ailments,
      20,
    ).isTooBad;
  const cases = [
    [1, 1],
    [1, 3],
    [2, 10],
    [3, 11],
    [3, 15],
  ] as const;
  for (const [most, all] of cases) {
    assert.deepEqual([health(most, all), health(most + 1, all)], [false, most < all], `${most} of ${all}`);
  }
});
