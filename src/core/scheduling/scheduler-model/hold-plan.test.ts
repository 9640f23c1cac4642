import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cluster, defaultSettings, instanceType, pods, pool, type Wire } from "../../../../test/support/builders.ts";
import type { ProvisioningPlan } from "../plan.ts";
import { planProvisioning } from "../provisioning.ts";
import { type HeldPlan, holdPlan } from "./hold-plan.ts";

const boxes = [instanceType("box", { cpu: 8 })];

interface Trial {
  readonly tight: ProvisioningPlan;
  readonly held: HeldPlan;
  readonly uids: readonly string[];
}

function hold(...objects: readonly Wire[]): Trial {
  const request = cluster([pool(), ...objects], boxes);
  const tight = planProvisioning(request.snapshot, request.pendingPods, defaultSettings);
  const uids = request.pendingPods.map(({ uid }) => uid).sort();
  return { tight, held: holdPlan(tight, request, defaultSettings), uids };
}

function group(count: number, name: string, cpu: number, priority: number): Wire[] {
  return pods(count, name, { requests: { cpu, memory: `${2 * cpu}Gi` }, priority });
}

describe("holdPlan", () => {
  it("returns a plan that leaves nothing over as it is", () => {
    const { tight, held } = hold(...group(16, "web", 1, 0));
    assert.equal(held.plan, tight);
    assert.equal(held.secondWave, 0);
  });

  it("adds nodes until kube-scheduler leaves nothing over, and has every pod once", () => {
    const { tight, held, uids } = hold(...group(14, "small", 1, 1), ...group(3, "large", 6, 0));
    const { nodes, costPerHour } = held.plan;
    assert.deepEqual([tight.nodes.length, nodes.length > 4, held.secondWave], [4, true, 0]);
    assert.deepEqual(
      nodes
        .flatMap((node) => node.pods)
        .map(({ uid }) => uid)
        .sort(),
      uids,
    );
    assert.ok(nodes.every((node) => node.pods.length > 0));
    assert.ok(Math.abs(costPerHour - nodes.reduce((sum, { price }) => sum + price, 0)) < 1e-9);
  });

  it("keeps a node whose own pod has moved for the pods that took its place", () => {
    const { tight, held } = hold(...group(2, "small", 1, 1), ...group(1, "whole", 8, 0));
    assert.deepEqual([tight.nodes.length, held.plan.nodes.length, held.secondWave], [2, 3, 0]);
  });

  it("adds no node that helps nobody: small pods come to each one first", () => {
    const { tight, held } = hold(...group(8, "small", 1, 1), ...group(1, "whole", 8, 0));
    assert.equal(held.plan, tight);
    assert.equal(held.secondWave, 1 / 18);
  });

  it("holds the same plan in the same way again", () => {
    const objects = [...group(14, "small", 1, 1), ...group(3, "large", 6, 0)];
    const [first, second] = [hold(...objects).held, hold(...objects).held];
    const describePods = ({ plan }: HeldPlan) => plan.nodes.map((node) => node.pods.map(({ name }) => name));
    assert.deepEqual(describePods(second), describePods(first));
  });
});
