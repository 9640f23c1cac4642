import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readSnapshot } from "../../src/core/api/read-objects.ts";
import { hostnameLabel, nodePoolLabel } from "../../src/core/model/labels.ts";
import { planProvisioning } from "../../src/core/scheduling/provisioning.ts";
import {
  defaultSettings,
  defaultTypes,
  expression,
  nodeAffinity,
  outcome,
  pod,
  pool,
  preferredNodeAffinity,
  type Wire,
} from "../support/builders.ts";

const unschedulable = { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] };

/** The same as in a live cluster: only pods that kube-scheduler has given up on wait. */
function planLive(...objects: readonly Wire[]): {
  launched: readonly string[];
  refused: Record<string, string>;
  complaints: string[];
} {
  const { snapshot, pendingPods, problems } = readSnapshot([pool(), ...objects], defaultTypes);
  const { launched, refused } = outcome(planProvisioning(snapshot, pendingPods, defaultSettings));
  return { launched, refused, complaints: problems.map(({ object }) => object) };
}

const waiting = (name: string, fields: Wire = {}) => pod(name, { status: unschedulable, ...fields });
const nothing = { launched: [], refused: {}, complaints: [] };

describe("planning leaves alone", () => {
  it("a pod that kube-scheduler has not tried or that is gated", () => {
    const gated = { conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] };
    assert.deepEqual(planLive(pod("new"), pod("gated", { status: gated })), nothing);
  });

  it("a pod of a DaemonSet or of a node", () => {
    const ownedBy = (apiVersion: string, kind: string) => ({
      metadata: { ownerReferences: [{ apiVersion, kind, name: "owner" }] },
    });
    assert.deepEqual(
      planLive(waiting("daemon", ownedBy("apps/v1", "DaemonSet")), waiting("static", ownedBy("v1", "Node"))),
      nothing,
    );
  });

  it("a pod that has ended or is about to", () => {
    const ended = waiting("ended", { status: { ...unschedulable, phase: "Failed" } });
    const ending = waiting("ending", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
    assert.deepEqual(planLive(ended, ending), nothing);
  });

  it("a pod that wants no node of any pool, without a word", () => {
    const affinity = nodeAffinity([expression(nodePoolLabel, "DoesNotExist")]);
    assert.deepEqual(planLive(waiting("elsewhere", { affinity })), nothing);
  });
});

describe("planning serves", () => {
  it("a pod that kube-scheduler has given up on", () => {
    assert.deepEqual(planLive(waiting("web")), { ...nothing, launched: ["small: web"] });
  });

  it("a pod that is meant for a node that does not exist", () => {
    const status = { ...unschedulable, nominatedNodeName: "gone" };
    assert.deepEqual(planLive(pod("web", { status })), { ...nothing, launched: ["small: web"] });
  });

  it("a pod that only prefers nodes of no pool", () => {
    const affinity = preferredNodeAffinity([1, expression(nodePoolLabel, "DoesNotExist")]);
    assert.deepEqual(planLive(waiting("web", { affinity })), { ...nothing, launched: ["small: web"] });
  });

  it("other pods when one asks for a host by name, and says so", () => {
    const pinned = waiting("pinned", { nodeSelector: { [hostnameLabel]: "n1" } });
    assert.deepEqual(planLive(pinned, waiting("web")), {
      launched: ["small: web"],
      refused: {},
      complaints: ["Pod default/pinned"],
    });
  });

  it("other pods when one asks for a label that belongs to Karpenter, and says so", () => {
    const odd = waiting("odd", { nodeSelector: { "karpenter.sh/anything": "x" } });
    assert.deepEqual(planLive(odd, waiting("web")), {
      launched: ["small: web"],
      refused: {},
      complaints: ["Pod default/odd"],
    });
  });

  it("other pods when the volume claim of one is missing, and says why", () => {
    const broken = waiting("broken", { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] });
    assert.deepEqual(planLive(broken, waiting("web")), {
      launched: ["small: web"],
      refused: { broken: "volume" },
      complaints: [],
    });
  });

  it("other pods when one asks for devices by claim, and says why", () => {
    const broken = waiting("devices", { resourceClaims: [{ name: "gpu" }] });
    assert.deepEqual(planLive(broken, waiting("web")), {
      launched: ["small: web"],
      refused: { devices: "device-claims" },
      complaints: [],
    });
  });
});
