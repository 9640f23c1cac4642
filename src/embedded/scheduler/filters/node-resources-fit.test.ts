import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cacheOf, crowd, nodeOf, podOf, refusalCounts } from "../sample-objects.ts";
import { feasibleNodes } from "../scheduler.ts";

describe("resources of a node", () => {
  it("are what running pods leave of them", () => {
    const cache = cacheOf(nodeOf("a"), podOf("there", { nodeName: "a", requests: { cpu: "3", memory: "7Gi" } }));
    assert.deepEqual(feasibleNodes(cache, podOf("p", { requests: { cpu: "1", memory: "1Gi" } })), ["a"]);
    assert.deepEqual(refusalCounts(cache, podOf("p", { requests: { cpu: "1001m", memory: "1025Mi" } })), {
      "Insufficient cpu": 1,
      "Insufficient memory": 1,
    });
  });

  it("come back when a pod is finished or gone", () => {
    const there = podOf("there", { nodeName: "a", requests: { cpu: "4" } });
    const pod = podOf("p", { requests: { cpu: "1" } });
    const cache = cacheOf(nodeOf("a"), there);
    cache.set({ ...there, status: { phase: "Succeeded" } } as typeof there);
    assert.deepEqual(feasibleNodes(cache, pod), ["a"]);
    cache.set(there);
    assert.deepEqual(feasibleNodes(cache, pod), []);
    cache.remove(there);
    assert.deepEqual(feasibleNodes(cache, pod), ["a"]);
  });

  it("include the number of pods", () => {
    const cache = cacheOf(nodeOf("a", { allocatable: { pods: "2" } }), ...crowd(2, "a"));
    assert.deepEqual(refusalCounts(cache, podOf("p")), { "Too many pods": 1 });
  });

  it("include what only some nodes have", () => {
    const cache = cacheOf(
      nodeOf("a"),
      nodeOf("b", { allocatable: { "example.com/gpu": "1", "hugepages-2Mi": "4Mi" } }),
    );
    const pod = podOf("p", { requests: { "example.com/gpu": "1", "hugepages-2Mi": "2Mi" } });
    assert.deepEqual(feasibleNodes(cache, pod), ["b"]);
    assert.deepEqual(refusalCounts(cache, podOf("p", { requests: { "example.com/gpu": "2" } })), {
      "Insufficient example.com/gpu": 2,
    });
  });

  it("must hold the largest init container, sidecars beside it, and the overhead", () => {
    const container = (name: string, cpu: string) => ({ name, resources: { requests: { cpu } } });
    const pod = (cpu: string) =>
      podOf("p", {
        requests: { cpu: "1" },
        initContainers: [{ ...container("sidecar", "1"), restartPolicy: "Always" }, container("init", cpu)],
        overhead: { cpu: "500m" },
      });
    const cache = cacheOf(nodeOf("a"));
    assert.deepEqual(feasibleNodes(cache, pod("2500m")), ["a"]);
    assert.deepEqual(refusalCounts(cache, pod("2501m")), { "Insufficient cpu": 1 });
  });

  it("must hold what a pod asks for as a whole, whatever its containers ask for", () => {
    const pod = podOf("p", { requests: { cpu: "1" }, ...{ resources: { requests: { cpu: "5" } } } });
    assert.deepEqual(refusalCounts(cacheOf(nodeOf("a")), pod), { "Insufficient cpu": 1 });
  });

  it("are held by a pod that is being resized until the kubelet has let go of them", () => {
    const resized = podOf("there", {
      nodeName: "a",
      requests: { cpu: "1" },
      status: { containerStatuses: [{ name: "main", resources: { requests: { cpu: "3" } } } as never] },
    });
    const cache = cacheOf(nodeOf("a"), resized);
    assert.deepEqual(refusalCounts(cache, podOf("p", { requests: { cpu: "2" } })), { "Insufficient cpu": 1 });
  });
});
