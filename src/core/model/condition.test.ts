import assert from "node:assert/strict";
import { test } from "node:test";
import { changeConditions } from "./condition.ts";

const born = { generation: 1, createdAt: 1_000, conditions: [] };

test("what is to be removed is gone, and Ready and the rest stay", () => {
  const changes = [
    { type: "Launched", status: "True" },
    { type: "Drifted", status: "True", reason: "NodePoolDrifted" },
  ] as const;
  const drifted = changeConditions(born, ["Launched"], { changes, now: 2_000 });
  const owner = { ...born, conditions: drifted };
  const after = changeConditions(owner, ["Launched"], { changes: [], removals: ["Drifted"], now: 3_000 });
  assert.deepEqual(
    after,
    drifted.filter(({ type }) => type !== "Drifted"),
  );
});

test("removing what is not there changes nothing", () => {
  const conditions = changeConditions(born, ["Launched"], { changes: [], now: 2_000 });
  const after = changeConditions({ ...born, conditions }, ["Launched"], {
    changes: [],
    removals: ["Drifted"],
    now: 3_000,
  });
  assert.equal(after, conditions);
});
