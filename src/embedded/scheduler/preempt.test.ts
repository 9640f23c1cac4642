import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "kubernetes-types/core/v1.js";
import { cacheOf, nodeOf, podOf } from "./sample-objects.ts";
import { Scheduler } from "./scheduler.ts";
import type { ClusterObject } from "./scheduler-cache.ts";

const urgent = podOf("urgent", { priority: 100, requests: { cpu: "2" } });

function holder(
  name: string,
  nodeName: string,
  rest: { priority?: number; cpu?: string; start?: string; labels?: Record<string, string> } = {},
): Pod {
  const { priority = 0, cpu = "2", start = "2026-01-01T00:00:00Z", labels = {} } = rest;
  return podOf(name, { nodeName, priority, labels, requests: { cpu }, status: { startTime: start } });
}

/** The node and the names of the victims, or what the refusal says about preemption. */
function preemption(pod: Pod, ...objects: ClusterObject[]) {
  const placement = new Scheduler(cacheOf(...objects), () => 0).schedule(pod);
  if (placement.kind === "placed") return "placed";
  const result = placement.refusal.preemption;
  switch (result.kind) {
    case "victims":
      return { node: placement.nominatedNodeName, victims: result.victims.map(({ metadata }) => metadata?.name) };
    case "not eligible":
      return result.message;
    case "no help":
      return Object.fromEntries(result.counts);
    case "none":
      return "none";
  }
}

describe("preemption", () => {
  it("evicts as few as it can, the least important first", () => {
    const pods = [holder("young", "a", { start: "2026-01-02T00:00:00Z" }), holder("old", "a")];
    assert.deepEqual(preemption(urgent, nodeOf("a"), ...pods), { node: "a", victims: ["young"] });
    const ranked = [holder("high", "a", { priority: 50 }), holder("low", "a", { priority: 1 })];
    assert.deepEqual(preemption(urgent, nodeOf("a"), ...ranked), { node: "a", victims: ["low"] });
  });

  it("does not touch pods of the same priority", () => {
    const pods = [holder("peer", "a", { priority: 100, cpu: "4" })];
    assert.deepEqual(preemption(urgent, nodeOf("a"), ...pods), { "No preemption victims found for incoming pod": 1 });
  });

  it("does not help where the whole node is too small", () => {
    const small = nodeOf("a", { allocatable: { cpu: "1" } });
    assert.deepEqual(preemption(urgent, small, holder("p", "a", { cpu: "1" })), {
      "Preemption is not helpful for scheduling": 1,
    });
  });

  it("is not for a pod that says never", () => {
    const meek = podOf("meek", { priority: 100, requests: { cpu: "2" }, preemptionPolicy: "Never" });
    assert.equal(
      preemption(meek, nodeOf("a"), holder("p", "a", { cpu: "4" })),
      "not eligible due to preemptionPolicy=Never.",
    );
  });

  it("waits for those who are leaving already", () => {
    const leaving = holder("leaving", "a", { cpu: "4" });
    const gone = {
      ...leaving,
      metadata: { ...leaving.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
      status: { conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }] },
    };
    const nominated = { ...urgent, status: { nominatedNodeName: "a" } };
    assert.equal(
      preemption(nominated, nodeOf("a"), gone),
      "not eligible due to a terminating pod on the nominated node.",
    );
  });

  it("prefers the node where it breaks no budget, then the least important victims, then the fewest", () => {
    const nodes = [nodeOf("a"), nodeOf("b")];
    const guarded = holder("guarded", "a", { cpu: "4", labels: { app: "db" } });
    const budget = {
      kind: "PodDisruptionBudget",
      metadata: { name: "db", namespace: "default" },
      spec: { selector: { matchLabels: { app: "db" } } },
      status: { disruptionsAllowed: 0 },
    };
    const important = holder("important", "b", { cpu: "4", priority: 50 });
    const both = holder("plain", "b", { cpu: "3" });
    const two = ["x", "y"].map((name) => holder(name, "b", { cpu: "2" }));
    const big = podOf("big", { priority: 100, requests: { cpu: "4" } });
    assert.deepEqual(preemption(urgent, ...nodes, guarded, important, budget), { node: "b", victims: ["important"] });
    assert.deepEqual(preemption(urgent, ...nodes, guarded, important), { node: "a", victims: ["guarded"] });
    assert.deepEqual(preemption(big, ...nodes, guarded, ...two), { node: "a", victims: ["guarded"] });
    assert.deepEqual(
      preemption(urgent, ...nodes, holder("old", "a", { cpu: "4" }), {
        ...both,
        status: { startTime: "2026-01-02T00:00:00Z" },
      } as Pod),
      { node: "b", victims: ["plain"] },
    );
  });

  it("leaves everybody where they were", () => {
    const cache = cacheOf(nodeOf("a"), holder("x", "a"), holder("y", "a"));
    new Scheduler(cache, () => 0).schedule(urgent);
    const state = cache.node("a");
    assert.deepEqual([state?.pods.size, state?.requested.cpu], [2, 4000]);
  });
});
