import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPodReader } from "./read-pod.ts";

const reader = createPodReader();

function limitsOf(spec: object) {
  const read = reader({ metadata: { name: "web" }, spec });
  return read.problems === undefined ? read.value.limits : assert.fail(JSON.stringify(read.problems));
}

function container(limits: object, fields: object = {}): object {
  return { resources: { limits }, ...fields };
}

describe("the limits of a pod", () => {
  it("are those of its containers and sidecars, of what quotas limit", () => {
    const containers = [container({ cpu: "500m", memory: "1Ki" }), container({ cpu: 1, memory: "1Ki" })];
    const initContainers = [container({ cpu: "100m", memory: "1Ki" }, { restartPolicy: "Always" })];
    const gpu = [container({ cpu: 1, memory: "1Ki", "nvidia.com/gpu": 1, "ephemeral-storage": "1Mi" })];
    assert.deepEqual(Object.fromEntries(limitsOf({ containers, initContainers })), { cpu: 1_600, memory: 3_072 });
    assert.deepEqual(Object.fromEntries(limitsOf({ containers: gpu })), {
      cpu: 1_000,
      memory: 1_024,
      "ephemeral-storage": 2 ** 20,
    });
  });

  it("are the largest of an init container where that is more, and overhead where something is limited", () => {
    const containers = [container({ cpu: 1, memory: "1Ki" })];
    const initContainers = [container({ cpu: 3, memory: "1Ki" })];
    const overhead = { cpu: "250m", "ephemeral-storage": "1Mi" };
    assert.deepEqual(Object.fromEntries(limitsOf({ containers, initContainers, overhead })), {
      cpu: 3_250,
      memory: 1_024,
    });
  });

  it("are unknown of cpu or memory when a container has no limit of it", () => {
    const containers = [container({ cpu: 1, "ephemeral-storage": "1Ki" }), container({ memory: "1Ki" })];
    assert.deepEqual(Object.fromEntries(limitsOf({ containers })), { "ephemeral-storage": 1_024 });
    const initContainers = [container({ memory: "1Ki" })];
    assert.deepEqual(Object.fromEntries(limitsOf({ containers: [container({ cpu: 1 })], initContainers })), {});
  });

  it("are the same object for pods that have the same", () => {
    const [one, other] = ["100m", "200m"].map((cpu) =>
      limitsOf({ containers: [{ resources: { requests: { cpu }, limits: { cpu: 1 } } }] }),
    );
    assert.equal(one, other);
  });
});
