import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ModelPodFields, modelPod } from "../../../test/support/model-pod.ts";
import { modelQuota, quotaRoom } from "../../../test/support/model-quota.ts";
import { knownWorkloads } from "../../../test/support/model-workload.ts";
import type { PodSpec, VolumeClaimUse } from "../model/pod.ts";
import type { StorageClass, VolumeClaim } from "../model/volumes.ts";
import type { QuotaScope } from "../model/workload.ts";
import type { QuotaRoom } from "./quota-room.ts";
import { WorkloadView } from "./workload-view.ts";

function small(name: string, { spec, ...fields }: ModelPodFields = {}) {
  const requests = new Map(Object.entries({ cpu: 500, memory: 100, pods: 1 }));
  return modelPod(name, { ...fields, spec: { requests, ...spec } });
}

/** How many of a hundred such pods get room. */
function roomFor(room: QuotaRoom, pod = small("next")): number {
  return Array.from({ length: 100 }).filter(() => room.take(pod)).length;
}

describe("the room that quotas leave", () => {
  it("is what pods and status have not used, whichever is ahead", () => {
    const pods = [small("a"), small("b"), small("c", { phase: "Succeeded" })];
    assert.equal(roomFor(quotaRoom([modelQuota({ pods: 10 })])), 10);
    assert.equal(roomFor(quotaRoom([modelQuota({ pods: 10 })], { pods })), 8);
    assert.equal(roomFor(quotaRoom([modelQuota({ pods: 10 }, { used: { pods: 6 } })], { pods })), 4);
    assert.equal(roomFor(quotaRoom([modelQuota({ pods: 1 })], { pods })), 0);
  });

  it("counts pods that have ended where the objects are counted", () => {
    const pods = [small("a"), small("b", { phase: "Succeeded" }), small("c", { phase: "Failed" })];
    assert.equal(roomFor(quotaRoom([modelQuota({ "count/pods": 10 })], { pods })), 7);
    assert.equal(roomFor(quotaRoom([modelQuota({ "count/pods": 10, pods: 5 })], { pods })), 4);
  });

  it("is limited by requests, and by the strictest of several quotas", () => {
    assert.equal(roomFor(quotaRoom([modelQuota({ "requests.cpu": 2_000 })])), 4);
    assert.equal(roomFor(quotaRoom([modelQuota({ cpu: 2_000, "requests.memory": 300 })])), 3);
    assert.equal(roomFor(quotaRoom([modelQuota({ cpu: 2_000 }), modelQuota({ pods: 2 })])), 2);
  });

  it("does not limit pods by what they do not ask for", () => {
    assert.equal(roomFor(quotaRoom([modelQuota({ "requests.nvidia.com/gpu": 0, "requests.storage": 0 })])), 100);
  });

  it("is none for a pod that says nothing of cpu or memory where these are limited", () => {
    const silent = modelPod("silent", { spec: { requests: new Map([["pods", 1]]) } });
    assert.equal(roomFor(quotaRoom([modelQuota({ "requests.cpu": 2_000 })]), silent), 0);
    assert.equal(roomFor(quotaRoom([modelQuota({ memory: 2_000 })]), silent), 0);
    assert.equal(roomFor(quotaRoom([modelQuota({ "requests.ephemeral-storage": 2_000 })]), silent), 100);
  });
});

describe("a quota of limits", () => {
  const limited = (limits: object) => small("next", { limits: new Map(Object.entries(limits)) });

  it("leaves room by what pods may use at most, not by what they ask for", () => {
    const pods = [limited({ cpu: 1_000 })];
    assert.equal(roomFor(quotaRoom([modelQuota({ "limits.cpu": 10_000 })], { pods }), limited({ cpu: 1_000 })), 9);
    assert.equal(roomFor(quotaRoom([modelQuota({ "limits.memory": 300 })]), limited({ memory: 100 })), 3);
    assert.equal(
      roomFor(quotaRoom([modelQuota({ "limits.ephemeral-storage": 40 })]), limited({ "ephemeral-storage": 20 })),
      2,
    );
  });

  it("has none for a pod with a container that may use any amount of cpu or memory", () => {
    assert.equal(roomFor(quotaRoom([modelQuota({ "limits.cpu": 10_000 })]), limited({ memory: 100 })), 0);
    assert.equal(roomFor(quotaRoom([modelQuota({ "limits.memory": 10_000 })]), limited({})), 0);
    assert.equal(roomFor(quotaRoom([modelQuota({ "limits.ephemeral-storage": 10 })]), limited({})), 100);
  });
});

describe("a quota of claims", () => {
  const claimOf = (name: string, fields: Partial<VolumeClaimUse> = {}): VolumeClaimUse => ({
    claimName: name,
    isEphemeral: true,
    storageClassName: "gold",
    storage: 10,
    ...fields,
  });
  const existing = (name: string, fields: Partial<VolumeClaim> = {}): VolumeClaim => ({
    namespace: "default",
    name,
    storageClassName: "gold",
    storage: 10,
    volumeName: "",
    isBindCompleted: false,
    isLost: false,
    isDeleting: false,
    ...fields,
  });
  const mounting = (...volumeClaims: readonly VolumeClaimUse[]) => small("next", { spec: { volumeClaims } });
  const ofGold = (resource: string) => `gold.storageclass.storage.k8s.io/${resource}`;

  it("leaves room by the claims that are created with pods, by their number and by their storage", () => {
    for (const [hard, room] of [
      [{ persistentvolumeclaims: 5 }, 4],
      [{ "count/persistentvolumeclaims": 5 }, 4],
      [{ "requests.storage": 35 }, 2],
      [{ [ofGold("persistentvolumeclaims")]: 3 }, 2],
      [{ [ofGold("requests.storage")]: 49 }, 3],
    ] as const) {
      const claims = [existing("a"), existing("b", { namespace: "other" })];
      assert.equal(roomFor(quotaRoom([modelQuota(hard)], { claims }), mounting(claimOf("new"))), room, `${hard}`);
    }
  });

  it("is not touched by claims that exist, nor by those of other storage classes", () => {
    const none = [modelQuota({ persistentvolumeclaims: 1, "requests.storage": 10 })];
    const claims = [existing("a")];
    assert.equal(roomFor(quotaRoom(none, { claims }), mounting(claimOf("a"))), 100);
    assert.equal(roomFor(quotaRoom(none, { claims }), mounting(claimOf("shared", { isEphemeral: false }))), 100);
    const noGold = [modelQuota({ [ofGold("persistentvolumeclaims")]: 0, [ofGold("requests.storage")]: 0 })];
    assert.equal(roomFor(quotaRoom(noGold), mounting(claimOf("new", { storageClassName: "silver" }))), 100);
    assert.equal(roomFor(quotaRoom(noGold), mounting(claimOf("new"))), 0);
  });

  it("counts claims that name no storage class for the default one", () => {
    const noGold = [modelQuota({ [ofGold("persistentvolumeclaims")]: 0 })];
    const ofDefault = mounting(claimOf("new", { storageClassName: undefined }));
    const classNamed = (name: string): StorageClass => ({
      name,
      driver: "disks.example.com",
      bindsImmediately: false,
      allowedTopologies: [],
      isDefault: true,
      createdAt: 0,
    });
    assert.equal(roomFor(quotaRoom(noGold, { classes: [classNamed("gold")] }), ofDefault), 0);
    assert.equal(roomFor(quotaRoom(noGold, { classes: [classNamed("silver")] }), ofDefault), 100);
    assert.equal(roomFor(quotaRoom(noGold), mounting(claimOf("new", { storageClassName: "" }))), 100);
  });
});

it("the quotas of one namespace limit nothing in another one", () => {
  const known = knownWorkloads([], [small("a", { namespace: "other" })], {
    resourceQuotas: [modelQuota({ pods: 1 }), modelQuota({ pods: 5 }, { namespace: "other" })],
  });
  const { quotaOf } = new WorkloadView(known, 100).limits;
  const roomIn = (namespace: string) => quotaOf(namespace) ?? assert.fail("no quota");
  assert.equal(roomFor(roomIn("default")), 1);
  assert.equal(roomFor(roomIn("other"), small("next", { namespace: "other" })), 4);
  assert.equal(quotaOf("free"), undefined);
});

describe("the scope of a quota", () => {
  const roomOf = (scope: Partial<QuotaScope>, fields: ModelPodFields): number => {
    const scopes = [{ name: "", operator: "Exists", values: [], ...scope }];
    return roomFor(quotaRoom([modelQuota({ pods: 1 }, { scopes })]), small("next", fields));
  };

  it("may be pods of some priority classes", () => {
    const name = "PriorityClass";
    const high = { priorityClassName: "high" };
    assert.equal(roomOf({ name, operator: "In", values: ["high"] }, high), 1);
    assert.equal(roomOf({ name, operator: "In", values: ["low"] }, high), 100);
    assert.equal(roomOf({ name, operator: "NotIn", values: ["high"] }, high), 100);
    assert.equal(roomOf({ name, operator: "NotIn", values: ["high"] }, {}), 1);
    assert.equal(roomOf({ name }, high), 1);
    assert.equal(roomOf({ name }, {}), 100);
    assert.equal(roomOf({ name, operator: "DoesNotExist" }, {}), 1);
  });

  it("may be pods with or without requests", () => {
    const bestEffort = { spec: { requests: new Map([["pods", 1]]) } };
    assert.equal(roomOf({ name: "BestEffort" }, bestEffort), 1);
    assert.equal(roomOf({ name: "BestEffort" }, {}), 100);
    assert.equal(roomOf({ name: "NotBestEffort" }, bestEffort), 100);
    assert.equal(roomOf({ name: "NotBestEffort" }, {}), 1);
  });

  it("may be pods with affinity to pods of other namespaces", () => {
    const term = {
      topologyKey: "zone",
      selector: undefined,
      namespaces: [],
      namespaceSelector: undefined,
      matchLabelKeys: [],
      mismatchLabelKeys: [],
    };
    const far = { ...term, namespaces: ["other"] };
    const name = "CrossNamespacePodAffinity";
    const room = (spec: Partial<PodSpec>): number => roomOf({ name }, { spec });
    assert.equal(room({}), 100);
    assert.equal(room({ podAffinity: [term] }), 100);
    assert.equal(room({ podAffinity: [far] }), 1);
    assert.equal(room({ preferredPodAntiAffinity: [{ weight: 1, term: far }] }), 1);
    assert.equal(room({ podAntiAffinity: [{ ...term, namespaceSelector: { expressions: [] } }] }), 1);
  });

  it("counts where it is not known whether a pod is in it", () => {
    assert.equal(roomOf({ name: "Terminating" }, {}), 1);
    assert.equal(roomOf({ name: "NotTerminating" }, {}), 1);
  });
});
