import assert from "node:assert/strict";
import { test } from "node:test";
import { RaceRecord } from "./race-record.ts";

function newRecord() {
  let seconds = 0;
  const record = new RaceRecord({ now: () => seconds, priceOf: ({ type }) => (type === undefined ? undefined : 2) });
  const pass = (to: number) => {
    seconds = to;
  };
  return { record, pass };
}

const pod = (spec: { nodeName?: string }, phase = "Pending") => ({
  metadata: { uid: "u1", name: "p" },
  spec,
  status: { phase },
});

test("a pod is scheduled when it is first seen with a node, and counted while it runs", () => {
  const { record, pass } = newRecord();
  pass(1);
  record.takePod({ type: "ADDED", object: pod({}) });
  pass(2);
  record.takePod({ type: "MODIFIED", object: pod({ nodeName: "n" }) });
  pass(3);
  record.takePod({ type: "MODIFIED", object: pod({ nodeName: "n" }, "Running") });
  pass(4);
  record.takePod({ type: "MODIFIED", object: pod({ nodeName: "n" }, "Running") });
  const history = { createdAt: 1, nodeName: "n", scheduledAt: 2, runningAt: 3 };
  assert.deepEqual([record.pods, record.running, record.lastChangeAt], [[history], 1, 3]);
  pass(5);
  record.takePod({ type: "DELETED", object: pod({ nodeName: "n" }, "Running") });
  assert.deepEqual([record.pods, record.running, record.lastChangeAt], [[{ ...history, deletedAt: 5 }], 0, 5]);
});

test("a node joins NotReady and is Ready later", () => {
  const { record, pass } = newRecord();
  const node = (status: string) => ({
    metadata: { uid: "u1", name: "n" },
    spec: { providerID: "p1" },
    status: { conditions: [{ type: "Ready", status }] },
  });
  pass(1);
  record.takeNode({ type: "ADDED", object: node("False") });
  pass(4);
  record.takeNode({ type: "MODIFIED", object: node("True") });
  assert.deepEqual(record.nodes, [{ name: "n", providerId: "p1", joinedAt: 1, readyAt: 4 }]);
});

test("a claim has a machine and a price once it is launched", () => {
  const { record, pass } = newRecord();
  const metadata = { uid: "u1", name: "c" };
  pass(1);
  record.takeClaim({ type: "ADDED", object: { metadata } });
  assert.deepEqual(record.claims, [{ createdAt: 1 }]);
  pass(2);
  const launched = { metadata: { ...metadata, labels: { type: "m" } }, status: { providerID: "p1" } };
  record.takeClaim({ type: "MODIFIED", object: launched });
  assert.deepEqual(record.claims, [{ createdAt: 1, providerId: "p1", pricePerHour: 2 }]);
  assert.equal(record.lastChangeAt, 1);
  pass(3);
  record.takeClaim({ type: "DELETED", object: launched });
  assert.deepEqual(record.claims, [{ createdAt: 1, providerId: "p1", pricePerHour: 2, deletedAt: 3 }]);
});
