import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { nodePoolHashAnnotation, nodePoolHashVersionAnnotation } from "../../src/core/api/drift-hash.ts";
import { nodeClaims, nodePools } from "../../src/core/api/karpenter-resources.ts";
import { findCondition } from "../../src/core/model/condition.ts";
import type { InstanceType } from "../../src/core/model/instance-type.ts";
import { makeRequirement } from "../../src/core/model/requirements.ts";
import type { Wire } from "../support/builders.ts";
import { kwokNodeClass } from "../support/controller-bench.ts";
import { InspectorStage } from "./inspector-stage.ts";

const hour = 3_600_000;
const minute = 60_000;
const capacityType = "karpenter.sh/capacity-type";
const typeLabel = "node.kubernetes.io/instance-type";

function instanceType(name: string, ...capacityTypes: readonly string[]): InstanceType {
  return {
    name,
    requirements: new Map(),
    capacity: new Map(),
    allocatable: new Map(),
    offerings: capacityTypes.map((type) => ({
      requirements: new Map([[capacityType, makeRequirement("In", [type])]]),
      price: 1,
      isAvailable: false,
      reservationCapacity: undefined,
      reservationId: undefined,
      allocatable: undefined,
    })),
  };
}

describe("Drifted", () => {
  let stage: InspectorStage;
  beforeEach(() => {
    stage = new InspectorStage();
  });
  afterEach(() => stage.stop());

  const drifted = (name = "a") => stage.condition("Drifted", name);
  const requirements = (...list: object[]) => ({ spec: { template: { spec: { requirements: list } } } });
  const bySpot = { labels: { [typeLabel]: "m-4x", [capacityType]: "spot" } };

  it("comes when the template of the pool changes, and goes when it is what it was", async () => {
    stage.addPool();
    stage.addClaim("a");
    await stage.start();
    assert.equal(drifted(), undefined);
    await stage.changePool({ spec: { template: { metadata: { labels: { team: "red" } } } } });
    const claim = stage.cluster.claims.get("a");
    assert.deepEqual(claim && findCondition(claim, "Drifted")?.message, "NodePoolDrifted");
    assert.equal(drifted(), "True NodePoolDrifted");
    await stage.changePool({ spec: { template: { metadata: { labels: { team: null } } } } });
    assert.equal(drifted(), undefined);
  });

  it("comes when the pool asks for less than the claim is, not when it asks for more", async () => {
    stage.addPool({ requirements: [{ key: capacityType, operator: "In", values: ["spot"] }] });
    stage.addClaim("a", bySpot);
    await stage.start();
    const zone = "topology.kubernetes.io/zone";
    const changes = [
      [{ key: capacityType, operator: "In", values: ["spot", "on-demand"] }],
      [{ key: capacityType, operator: "Exists" }],
      [{ key: zone, operator: "NotIn", values: ["zone-b"] }],
      [{ key: capacityType, operator: "In", values: ["on-demand"] }],
      [{ key: zone, operator: "Exists" }],
      [{ key: typeLabel, operator: "DoesNotExist" }],
      [],
    ];
    const seen = [];
    for (const list of changes) {
      await stage.changePool(requirements(...list));
      seen.push(drifted());
    }
    const yes = "True RequirementsDrifted";
    assert.deepEqual(seen, [undefined, undefined, undefined, yes, yes, yes, undefined]);
  });

  it("comes an hour after its birth when nobody sells such a machine any more", async () => {
    stage.addPool();
    stage.addClaim("a", bySpot);
    stage.addClaim("b", { labels: { [typeLabel]: "m-4x", [capacityType]: "reserved" } });
    stage.addClaim("c", { labels: { [typeLabel]: "m-2x", [capacityType]: "spot" } });
    stage.instanceTypes = [instanceType("m-4x", "on-demand")];
    await stage.start();
    await stage.clock.advance(hour - minute);
    assert.deepEqual([drifted(), drifted("b"), drifted("c")], [undefined, undefined, undefined]);
    await stage.clock.advance(6 * minute);
    // What was reserved may have become on-demand.
    assert.deepEqual(
      [drifted(), drifted("b"), drifted("c")],
      ["True InstanceTypeNotFound", undefined, "True InstanceTypeNotFound"],
    );
    stage.instanceTypes = [instanceType("m-4x", "spot"), instanceType("m-2x", "on-demand", "spot")];
    await stage.clock.advance(5 * minute);
    assert.deepEqual([drifted(), drifted("c")], [undefined, undefined]);
    // Once found, it is not looked for again before half an hour has passed.
    const asked = stage.asked.instanceTypes;
    await stage.clock.advance(15 * minute);
    assert.deepEqual([stage.asked.instanceTypes - asked, drifted("b")], [0, undefined]);
    await stage.clock.advance(15 * minute);
    assert.equal(drifted("b"), "True InstanceTypeNotFound");
  });

  it("comes to nobody when the cloud sells nothing at all, and so nothing could replace it", async () => {
    stage.addPool();
    stage.addClaim("a", bySpot);
    await stage.start();
    await stage.clock.advance(3 * hour);
    assert.equal(drifted(), undefined);
    stage.instanceTypes = [instanceType("m-2x", "spot")];
    await stage.clock.advance(5 * minute);
    assert.equal(drifted(), "True InstanceTypeNotFound");
  });

  it("comes with the reason of the cloud, which is asked every five minutes and when something changes", async () => {
    stage.addPool();
    stage.addClaim("a");
    await stage.start();
    assert.equal(stage.asked.driftReason, 1);
    stage.driftReason = async () => "ImageDrift";
    await stage.changeStatus("a", { lastPodEventTime: "2026-01-01T00:00:00Z" });
    await stage.clock.advance(4 * minute);
    assert.deepEqual([stage.asked.driftReason, drifted()], [1, undefined]);
    await stage.clock.advance(minute);
    assert.deepEqual([stage.asked.driftReason, drifted()], [2, "True ImageDrift"]);
    stage.driftReason = async () => "";
    const classes = { ...kwokNodeClass, isNamespaced: false };
    await stage.user.patch(classes, { name: "default" }, { body: { metadata: { annotations: { hash: "2" } } } });
    await stage.clock.advance(10);
    assert.deepEqual([stage.asked.driftReason, drifted()], [3, undefined]);
  });

  it("stays as it is while the cloud gives no answer, which keeps nothing else from being said", async () => {
    stage.addPool({ disruption: { consolidateAfter: "30s" } });
    stage.addClaim("a", { conditions: ["Launched", "Registered", "Initialized", "Drifted"] });
    stage.driftReason = async () => {
      throw new Error("busy");
    };
    await stage.start();
    await stage.clock.advance(2 * minute);
    assert.deepEqual([drifted(), stage.condition("Consolidatable")], ["True Drifted", "True Consolidatable"]);
    stage.driftReason = async () => "";
    await stage.clock.advance(minute);
    assert.equal(drifted(), undefined);
  });

  it("is not for claims without a machine", async () => {
    stage.addPool({ requirements: [{ key: capacityType, operator: "In", values: ["on-demand"] }] });
    stage.addClaim("a", { ...bySpot, conditions: ["Drifted"] });
    await stage.start();
    assert.equal(drifted(), undefined);
  });

  it("comes to nobody when we take over from the Go version, and stays with those who had it", async () => {
    const annotations = { [nodePoolHashAnnotation]: "17", [nodePoolHashVersionAnnotation]: "v3" };
    stage.addPool({ metadata: { annotations } });
    stage.addClaim("a", { annotations });
    stage.addClaim("b", {
      annotations: { ...annotations, [nodePoolHashAnnotation]: "16" },
      conditions: ["Launched", "Registered", "Initialized", "Drifted"],
    });
    const history: string[] = [];
    stage.cluster.claims.onChange(({ key, after }) => {
      if (after !== undefined) history.push(`${key} ${findCondition(after, "Drifted")?.status ?? "no"}`);
    });
    // Every write is slow and some are lost, so that everybody sees half of what was done.
    stage.embedded.faults.inject({ effect: "slow", byMs: 300, probability: 0.7 });
    stage.embedded.faults.inject({ effect: "refuse", status: 500, probability: 0.3 });
    await stage.start();
    await stage.clock.advance(10 * minute);
    assert.deepEqual([...new Set(history)].sort(), ["a no", "b True"]);
    assert.deepEqual([drifted(), drifted("b")], [undefined, "True NodePoolDrifted"]);
    const stampOf = async (resource: typeof nodeClaims | typeof nodePools, name: string) => {
      const answer = await stage.user.get(resource, { name });
      return answer.ok ? (answer.object.metadata.annotations as Wire) : undefined;
    };
    assert.deepEqual(await stampOf(nodeClaims, "a"), await stampOf(nodePools, "web"));
    assert.notEqual((await stampOf(nodePools, "web"))?.[nodePoolHashAnnotation], "17");
  });

  it("comes to old claims one after the other when the pool has a soft expiry", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `claim-${index}`);
    stage.addPool({ metadata: { annotations: { "karpenter.sh/soft-expire-after": "10h" } } });
    const born = stage.clock.now();
    stage.instanceTypes = [instanceType("m-4x", "spot")];
    for (const name of names) stage.addClaim(name, bySpot);
    const expiredAt = new Map<string, number>();
    stage.cluster.claims.onChange(({ key, after }) => {
      const condition = after && findCondition(after, "Drifted");
      if (condition?.reason === "SoftExpired") expiredAt.set(key, (stage.clock.now() - born) / hour);
    });
    await stage.start();
    await stage.clock.advance(10 * hour - 1_000);
    assert.equal(expiredAt.size, 0);
    await stage.clock.advance(hour + 1_000);
    assert.equal(expiredAt.size, names.length);
    assert.equal(new Set(expiredAt.values()).size, names.length);
    const times = [...expiredAt.values()].sort((left, right) => left - right);
    assert.ok((times[0] ?? 0) >= 10 && (times.at(-1) ?? 0) <= 11);
    assert.ok((times.at(-1) ?? 0) - (times[0] ?? 0) > 0.5, "they are spread over an hour");
    await stage.changePool({ metadata: { annotations: { "karpenter.sh/soft-expire-after": null } } });
    assert.deepEqual(
      names.map((name) => drifted(name)),
      names.map(() => undefined),
    );
  });
});
