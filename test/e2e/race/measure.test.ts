import assert from "node:assert/strict";
import { test } from "node:test";
import { type Histories, measure, percentile } from "./measure.ts";

const options = { podCount: 2, bootSeconds: 40, runningAt: 48, restAt: 50 };
const histories: Histories = {
  pods: [
    { createdAt: 1, nodeName: "n1", scheduledAt: 43, runningAt: 44 },
    { createdAt: 5, nodeName: "n2", scheduledAt: 47, runningAt: 48 },
  ],
  nodes: [
    { name: "n1", providerId: "p1", joinedAt: 41, readyAt: 42 },
    { name: "n2", providerId: "p2", joinedAt: 43, readyAt: 46 },
  ],
  claims: [
    { createdAt: 0, providerId: "p1", pricePerHour: 36 },
    { createdAt: 2, providerId: "p2", pricePerHour: 72 },
  ],
};

test("the floor is when a machine could be Ready that was ordered at the start", () => {
  assert.deepEqual(measure(histories, options), {
    isDone: true,
    seconds: 48,
    lastPodSeconds: 5,
    machineSeconds: 43,
    floorSeconds: 43,
    meanPendingSeconds: 42,
    p95PendingSeconds: 42,
    nodes: 2,
    pricePerHour: 108,
    dollars: 0.5 + 0.96,
    secondWavePods: 0,
    podsBeforeReady: 0,
  });
});

test("without boot time the floor is when the last pod was created", () => {
  assert.equal(measure(histories, { ...options, bootSeconds: 0 }).floorSeconds, 5);
});

test("a pod in place of an evicted one does not move the floor", () => {
  const [first = { createdAt: 0 }, second = { createdAt: 0 }] = histories.pods;
  const pods = [{ ...first, deletedAt: 49 }, second, { createdAt: 49, nodeName: "n2", scheduledAt: 50 }];
  const { lastPodSeconds, meanPendingSeconds } = measure({ ...histories, pods }, options);
  assert.deepEqual({ lastPodSeconds, meanPendingSeconds }, { lastPodSeconds: 5, meanPendingSeconds: (42 + 1) / 2 });
});

test("pods on nodes of the second wave are counted", () => {
  const [first = { createdAt: 0 }] = histories.claims;
  const claims = [first, { createdAt: 6, providerId: "p2", pricePerHour: 72 }];
  assert.equal(measure({ ...histories, claims }, options).secondWavePods, 1);
});

test("a claim that has gone costs until then, and nothing an hour", () => {
  const [first = { createdAt: 0 }] = histories.claims;
  const claims = [first, { createdAt: 2, deletedAt: 12, providerId: "p2", pricePerHour: 72 }];
  const { nodes, pricePerHour, dollars } = measure({ ...histories, claims }, options);
  assert.deepEqual({ nodes, pricePerHour, dollars }, { nodes: 1, pricePerHour: 36, dollars: 0.5 + 0.2 });
});

test("a pod that is bound to a node that is not Ready is counted", () => {
  const [first = { createdAt: 0 }, second = { createdAt: 0 }] = histories.pods;
  const pods = [{ ...first, scheduledAt: 40 }, second];
  assert.equal(measure({ ...histories, pods }, options).podsBeforeReady, 1);
});

test("attempts that do not end are measured until then", () => {
  const [first = { createdAt: 0 }] = histories.pods;
  const pods = [first, { createdAt: 5 }];
  const { isDone, seconds, meanPendingSeconds } = measure(
    { ...histories, pods },
    { ...options, runningAt: undefined, restAt: 300 },
  );
  assert.deepEqual(
    { isDone, seconds, meanPendingSeconds },
    { isDone: false, seconds: 300, meanPendingSeconds: (42 + 295) / 2 },
  );
});

test("a percentile is the least number that so large a share is not above", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.equal(percentile(hundred, 0.95), 95);
  assert.equal(percentile([3], 0.95), 3);
  assert.equal(percentile([], 0.95), Number.NaN);
});
