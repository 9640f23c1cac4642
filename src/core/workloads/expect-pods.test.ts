import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ModelPodFields, modelPod } from "../../../test/support/model-pod.ts";
import { modelQuota, quotaRoom } from "../../../test/support/model-quota.ts";
import { modelJob, modelStatefulSet, modelWorkload, podOf, podsOf } from "../../../test/support/model-workload.ts";
import type { Pod } from "../model/pod.ts";
import type { ResourceQuota, Workload } from "../model/workload.ts";
import { expectPods, type Shortfall } from "./expect-pods.ts";
import { expectedPods } from "./expected-pod.ts";

function set(name: string, replicas: number, fields: Partial<Workload> = {}): Workload {
  return { ...modelWorkload(name, { demand: { kind: "replicas", replicas } }), ...fields };
}

function shortfall(workload: Workload, pods: readonly Pod[] = [], fields: Partial<Shortfall> = {}): Shortfall {
  return { workload, pods, isTrusted: false, hasStalled: false, numbers: [], ...fields };
}

interface Limits {
  readonly maxPods?: number;
  readonly quotas?: readonly ResourceQuota[];
  readonly pods?: readonly Pod[];
  readonly surplus?: number;
}

function expect(shortfalls: readonly Shortfall[], limits: Limits = {}) {
  const { maxPods = 100, quotas = [], pods = [], surplus = 0 } = limits;
  const rooms = Map.groupBy(quotas, ({ namespace }) => namespace);
  const made = new Map([...rooms].map(([namespace, some]) => [namespace, quotaRoom(some, { pods })]));
  return expectPods(shortfalls, {
    quotaOf: (namespace) => made.get(namespace),
    surplusOf: () => surplus,
    maxPods,
  });
}

function uidsOf(pods: readonly Pod[]): readonly string[] {
  return pods.map(({ uid }) => uid);
}

function podQuota(pods: number, namespace = "default"): ResourceQuota {
  return modelQuota({ pods }, { namespace });
}

const running: ModelPodFields = { spec: { requests: new Map([["pods", 1]]) } };

describe("the pods that are expected of a workload", () => {
  it("are copies of its newest pod", () => {
    const web = set("web", 4);
    const pods = [
      podOf(web, "a", { createdAt: 10 }),
      podOf(web, "c", { createdAt: 30, spec: { priority: 3 } }),
      podOf(web, "b", { createdAt: 20 }),
    ];
    const copies = expectedPods({ workload: web, newest: pods[1], isFirm: true }, [4]);
    assert.deepEqual(expect([shortfall(web, pods)]), copies);
  });

  it("are no copies of a pod that was edited after its admission", () => {
    const web = set("web", 3);
    const asAdmitted = podOf(web, "a", { createdAt: 10 });
    const edited = podOf(web, "b", { createdAt: 20, isEdited: true, spec: { priority: 3 } });
    const copies = expectedPods({ workload: web, newest: asAdmitted, isFirm: true }, [3]);
    assert.deepEqual(expect([shortfall(web, [asAdmitted, edited])]), copies);
  });

  it("come from the template where every pod was edited, and are tentative: admission changes them", () => {
    const web = set("web", 2);
    const pods = [podOf(web, "a", { isEdited: true })];
    const described = expectedPods({ workload: web, newest: undefined, isFirm: false }, [2]);
    assert.deepEqual(expect([shortfall(web, pods, { isTrusted: true })]), described);
  });

  it("are tentative before its first pod, unless its service account is trusted", () => {
    const web = set("web", 1);
    const described = (isFirm: boolean) => expectedPods({ workload: web, newest: undefined, isFirm }, [1]);
    assert.deepEqual(expect([shortfall(web)]), described(false));
    assert.deepEqual(expect([shortfall(web, [], { isTrusted: true })]), described(true));
    assert.deepEqual(expect([shortfall(web, [], { isTrusted: true, hasStalled: true })]), described(false));
    assert.deepEqual([described(false)[0]!.expectation, described(true)[0]!.expectation], ["tentative", "firm"]);
  });

  it("are none while a gate holds back one of its pods", () => {
    const web = set("web", 3);
    const gated = podOf(web, "a", { isGated: true, phase: "Pending" });
    assert.deepEqual(expect([shortfall(web, [podOf(web, "b"), gated])]), []);
    const ended = { ...gated, isDeleting: true };
    assert.equal(expect([shortfall(web, [podOf(web, "b"), ended])]).length, 2);
  });

  it("keep the numbers that they had, those with a place first, and new ones never repeat these", () => {
    const web = set("web", 5);
    const keep = (pods: readonly Pod[], ...numbers: readonly number[]) =>
      uidsOf(expect([shortfall(web, pods, { numbers })]));
    assert.deepEqual(keep(podsOf(web, 2), 9, 4, 7, 5), ["uid-web/9", "uid-web/4", "uid-web/7"]);
    assert.deepEqual(keep(podsOf(web, 2), 9), ["uid-web/9", "uid-web/10", "uid-web/11"]);
    assert.deepEqual(keep(podsOf(web, 3), 1), ["uid-web/1", "uid-web/4"]);
    assert.deepEqual(keep(podsOf(web, 5), 9, 4), []);
  });

  it("are none where none are missing, and none of a workload that creates none", () => {
    const web = set("web", 2);
    const deleting = set("old", 2, { isDeleting: true });
    const suspended = modelWorkload("batch", { kind: "Job", demand: { kind: "none" } });
    assert.deepEqual(expect([shortfall(web, podsOf(web, 2)), shortfall(deleting), shortfall(suspended)]), []);
  });
});

describe("the pods that are expected of several workloads", () => {
  it("are those of the older ones first", () => {
    const [young, old, same] = [set("a", 1, { createdAt: 20 }), set("b", 1, { createdAt: 10 }), set("c", 1)];
    const all = [young, { ...same, createdAt: 10 }, old].map((workload) => shortfall(workload));
    assert.deepEqual(uidsOf(expect(all)), ["uid-b/1", "uid-c/1", "uid-a/1"]);
  });

  it("are no more than the most there may be", () => {
    const all = [set("a", 3), set("b", 2 ** 31 - 1), set("c", 3)].map((workload) => shortfall(workload));
    const expected = ["uid-a/1", "uid-a/2", "uid-a/3", "uid-b/1", "uid-b/2"];
    assert.deepEqual(uidsOf(expect(all, { maxPods: 5 })), expected);
    assert.deepEqual(expect(all, { maxPods: 0 }), []);
  });
});

it("a surplus of some ReplicaSets of a Deployment is taken off what the others miss, once", () => {
  const controller = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "uid-web", isController: true };
  const [old, next] = [set("web-1", 2, { controller }), set("web-2", 4, { controller, createdAt: 10 })];
  const other = set("other", 1, { createdAt: 20 });
  const job = { ...modelJob("job", { completions: 1 }), controller: { ...controller, kind: "CronJob" }, createdAt: 30 };
  const shortfalls = [old, next, other, job].map((workload) => shortfall(workload));
  const expected = ["uid-web-2/1", "uid-web-2/2", "uid-web-2/3", "uid-other/1", "uid-job/1"];
  assert.deepEqual(uidsOf(expect(shortfalls, { surplus: 3 })), expected);
  assert.deepEqual(uidsOf(expect(shortfalls, { surplus: 9 })), ["uid-other/1", "uid-job/1"]);
});

describe("a quota", () => {
  it("of ten leaves ten of ten thousand, the existing pods included", () => {
    const web = set("web", 10_000, { template: modelPod("web", running) });
    const pods = podsOf(web, 4, running);
    assert.equal(expect([shortfall(web, pods)], { maxPods: 5_000, quotas: [podQuota(10)], pods }).length, 6);
  });

  it("is taken by the older workload, and binds in its namespace alone", () => {
    const template = modelPod("web", running);
    const [first, second] = [set("a", 2, { template }), set("b", 3, { template, createdAt: 10 })];
    const other = set("c", 2, { template, namespace: "other", createdAt: 20 });
    const all = [second, other, first].map((workload) => shortfall(workload));
    const expected = ["uid-a/1", "uid-a/2", "uid-b/1", "uid-c/1", "uid-c/2"];
    assert.deepEqual(uidsOf(expect(all, { quotas: [podQuota(3)] })), expected);
  });

  it("lets a workload that asks for less have what a larger one cannot have", () => {
    const sized = (cpu: number) =>
      modelPod("web", {
        spec: {
          requests: new Map([
            ["cpu", cpu],
            ["pods", 1],
          ]),
        },
      });
    const [large, small] = [set("a", 2, { template: sized(3) }), set("b", 2, { template: sized(1), createdAt: 10 })];
    const quotas = [{ ...podQuota(0), hard: new Map([["requests.cpu", 5]]) }];
    const expected = ["uid-a/1", "uid-b/1", "uid-b/2"];
    assert.deepEqual(uidsOf(expect([shortfall(large), shortfall(small)], { quotas })), expected);
  });
});

describe("the pods that are expected of a StatefulSet", () => {
  const revision = (hash: string) => new Map([["controller-revision-hash", hash]]);

  it("are those of its own ordinals with their claims", () => {
    const claimTemplates = [{ name: "data", storageClassName: "fast", storage: 10 }];
    const db = modelStatefulSet("db", { isParallel: true, claimTemplates });
    const newest = podOf(db, 1, {
      labels: revision("db-1"),
      spec: { volumeClaims: [{ claimName: "data-db-1", isEphemeral: false, storageClassName: "", storage: 0 }] },
    });
    const pods = expect([shortfall(db, [newest], { numbers: [7, 2] })]);
    assert.deepEqual(pods, expectedPods({ workload: db, newest, isFirm: true }, [0, 2]));
    assert.deepEqual(
      pods.map(({ spec }) => spec.volumeClaims.map(({ claimName }) => claimName)),
      [["data-db-0"], ["data-db-2"]],
    );
  });

  it("are copies of pods of the same revision", () => {
    const demand = { isParallel: true, replicas: 4, revision: "db-2", partition: 2, currentRevision: "db-1" };
    const db = modelStatefulSet("db", demand);
    const old = podOf(db, 1, { labels: revision("db-1"), createdAt: 10 });
    const fresh = podOf(db, 3, { labels: revision("db-2"), createdAt: 20, spec: { priority: 3 } });
    const copied = (newest: Pod, ordinal: number) => expectedPods({ workload: db, newest, isFirm: true }, [ordinal]);
    assert.deepEqual(expect([shortfall(db, [old, fresh])]), [...copied(old, 0), ...copied(fresh, 2)]);
  });

  it("come from the template where no pod has the new revision, and from nowhere where none has the old one", () => {
    const demand = { isParallel: true, replicas: 2, revision: "db-2", partition: 1, currentRevision: "db-1" };
    const db = modelStatefulSet("db", demand);
    const described = expectedPods({ workload: db, newest: undefined, isFirm: true }, [1]);
    assert.deepEqual(expect([shortfall(db, [], { isTrusted: true })]), described);
  });

  it("are copies of the newest one where its revision is not known", () => {
    const db = modelStatefulSet("db", { revision: "" });
    const newest = podOf(db, 0, { labels: revision("db-1"), spec: { priority: 3 } });
    assert.deepEqual(expect([shortfall(db, [newest])]), expectedPods({ workload: db, newest, isFirm: true }, [1]));
  });
});

it("the pods of a Job that was suspended are copies of active ones: its template may have been changed", () => {
  const job = modelJob("batch", { completions: 3, wasSuspended: true });
  const ended = podOf(job, "a", { createdAt: 20, phase: "Succeeded", spec: { priority: 3 } });
  const described = expectedPods({ workload: job, newest: undefined, isFirm: false }, [2, 3]);
  assert.deepEqual(expect([shortfall(job, [ended])]), described);
  const active = podOf(job, "b", { createdAt: 10 });
  const copied = expectedPods({ workload: job, newest: active, isFirm: true }, [3]);
  assert.deepEqual(expect([shortfall(job, [ended, active])]), copied);
});
