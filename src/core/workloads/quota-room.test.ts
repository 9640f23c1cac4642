import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ModelPodFields, modelPod } from "../../../test/support/model-pod.ts";
import type { PodSpec } from "../model/pod.ts";
import type { QuotaScope, ResourceQuota } from "../model/workload.ts";
import { QuotaRoom } from "./quota-room.ts";

function quota(hard: object, fields: { used?: object; scopes?: readonly QuotaScope[] } = {}): ResourceQuota {
  const { used = {}, scopes = [] } = fields;
  return {
    namespace: "default",
    hard: new Map(Object.entries(hard)),
    used: new Map(Object.entries(used)),
    scopes,
  };
}

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
    assert.equal(roomFor(new QuotaRoom([quota({ pods: 10 })], [])), 10);
    assert.equal(roomFor(new QuotaRoom([quota({ pods: 10 })], pods)), 8);
    assert.equal(roomFor(new QuotaRoom([quota({ pods: 10 }, { used: { pods: 6 } })], pods)), 4);
    assert.equal(roomFor(new QuotaRoom([quota({ pods: 1 })], pods)), 0);
  });

  it("counts pods that have ended where the objects are counted", () => {
    const pods = [small("a"), small("b", { phase: "Succeeded" }), small("c", { phase: "Failed" })];
    assert.equal(roomFor(new QuotaRoom([quota({ "count/pods": 10 })], pods)), 7);
    assert.equal(roomFor(new QuotaRoom([quota({ "count/pods": 10, pods: 5 })], pods)), 4);
  });

  it("is limited by requests, and by the strictest of several quotas", () => {
    assert.equal(roomFor(new QuotaRoom([quota({ "requests.cpu": 2_000 })], [])), 4);
    assert.equal(roomFor(new QuotaRoom([quota({ cpu: 2_000, "requests.memory": 300 })], [])), 3);
    assert.equal(roomFor(new QuotaRoom([quota({ cpu: 2_000 }), quota({ pods: 2 })], [])), 2);
  });

  it("does not limit pods by what they do not ask for", () => {
    assert.equal(roomFor(new QuotaRoom([quota({ "requests.nvidia.com/gpu": 0, "requests.storage": 0 })], [])), 100);
  });

  it("is none for a pod that says nothing of cpu or memory where these are limited", () => {
    const silent = modelPod("silent", { spec: { requests: new Map([["pods", 1]]) } });
    assert.equal(roomFor(new QuotaRoom([quota({ "requests.cpu": 2_000 })], []), silent), 0);
    assert.equal(roomFor(new QuotaRoom([quota({ memory: 2_000 })], []), silent), 0);
    assert.equal(roomFor(new QuotaRoom([quota({ "requests.ephemeral-storage": 2_000 })], []), silent), 100);
  });
});

describe("the scope of a quota", () => {
  const roomOf = (scope: Partial<QuotaScope>, fields: ModelPodFields): number => {
    const scopes = [{ name: "", operator: "Exists", values: [], ...scope }];
    return roomFor(new QuotaRoom([quota({ pods: 1 }, { scopes })], []), small("next", fields));
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
