import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelPod } from "../../../test/support/model-pod.ts";
import { modelJob, modelStatefulSet, modelWorkload, podOf } from "../../../test/support/model-workload.ts";
import { zoneLabel } from "../model/labels.ts";
import type { Pod, PodSpec, VolumeClaimUse } from "../model/pod.ts";
import type { Workload } from "../model/workload.ts";
import { expectedPods } from "./expected-pod.ts";

const requests = new Map([
  ["cpu", 500],
  ["pods", 1],
]);
const web = modelWorkload("web", { template: { app: "web", spec: { requests } } });

function one(workload: Workload, newest: Pod | undefined, { number = 7, isFirm = newest !== undefined } = {}): Pod {
  const [pod, ...others] = expectedPods({ workload, newest, isFirm }, [number]);
  assert.deepEqual(others, []);
  return pod!;
}

/** What an expected pod is, apart from what it copies. */
function unborn({ uid, name }: Workload, number: number): Partial<Pod> {
  return {
    name: `${name}-${number}`,
    uid: `${uid}/${number}`,
    startedAt: undefined,
    readyAt: undefined,
    isDeleting: false,
    deletesAt: undefined,
    phase: "Pending",
    scheduledReason: "Unschedulable",
    scheduledAt: undefined,
    nodeName: "",
    nominatedNodeName: "",
  };
}

function claim(claimName: string, isEphemeral: boolean, storageClassName = "fast"): VolumeClaimUse {
  return { claimName, isEphemeral, storageClassName, storage: isEphemeral ? 10 : 0 };
}

describe("an expected pod", () => {
  it("is a copy of the newest pod without what that got with its node", () => {
    const doubled = new Map([...requests, ["cpu", 1_000]]);
    const labels = new Map([
      ["app", "web"],
      [zoneLabel, "zone-a"],
      ["topology.kubernetes.io/region", "region-1"],
    ]);
    const newest = podOf(web, "x", {
      labels,
      createdAt: 5,
      nominatedNodeName: "node-2",
      priorityClassName: "high",
      spec: { requests: doubled, priority: 10 },
    });
    const copied = {
      ...newest,
      ...unborn(web, 7),
      expectation: "firm",
      labels: new Map([["app", "web"]]),
    };
    assert.deepEqual(one(web, newest), copied);
  });

  it("is what the template describes while there is no pod of it", () => {
    const described = { ...web.template, ...unborn(web, 7) };
    assert.deepEqual(one(web, undefined), { ...described, expectation: "tentative" });
    assert.deepEqual(one(web, undefined, { isFirm: true }), { ...described, expectation: "firm" });
  });

  it("shares its spec and labels with the others of its template", () => {
    const newest = podOf(web, "x");
    const [first, second] = expectedPods({ workload: web, newest, isFirm: true }, [1, 2]);
    assert.deepEqual([first!.uid, second!.uid], ["uid-web/1", "uid-web/2"]);
    assert.equal(first!.spec, newest.spec);
    assert.equal(second!.spec, newest.spec);
    assert.equal(first!.labels, newest.labels);
  });

  it("has no labels of the number of another pod", () => {
    const own = new Map([["app", "db"]]);
    const db = modelStatefulSet("db");
    const ordinals = [
      ["statefulset.kubernetes.io/pod-name", "db-0"],
      ["apps.kubernetes.io/pod-index", "0"],
    ] as const;
    assert.deepEqual(one(db, podOf(db, 0, { labels: new Map([...own, ...ordinals]) })).labels, own);
    const job = modelJob("batch");
    const index = ["batch.kubernetes.io/job-completion-index", "3"] as const;
    assert.deepEqual(one(job, podOf(job, "a", { labels: new Map([...own, index]) })).labels, own);
  });

  it("stands in the namespace of its workload, and belongs to it", () => {
    const other = { ...web, namespace: "other" };
    const newest = podOf(other, "x");
    assert.deepEqual([one(other, newest).namespace, one(other, newest).owners], ["other", newest.owners]);
    assert.equal(one(other, modelPod("stray")).namespace, "other");
  });
});

describe("the volumes of an expected pod", () => {
  const claimTemplates = [{ name: "data", storageClassName: "fast", storage: 10 }];
  const db = modelStatefulSet("db", { claimTemplates });

  it("of a StatefulSet are those of its own ordinal, beside the ones that all pods share", () => {
    const volumeClaims = [claim("data-db-0", false, ""), claim("shared", false, "")];
    const expected = [claim("shared", false, ""), claim("data-db-7", true)];
    assert.deepEqual(one(db, podOf(db, 0, { spec: { volumeClaims } })).spec.volumeClaims, expected);
  });

  it("of a StatefulSet without a pod come from its claim templates", () => {
    assert.deepEqual(one(db, undefined).spec.volumeClaims, [claim("data-db-7", true)]);
  });

  it("are named after it where they live with the pod", () => {
    const newest = podOf(web, "x", { spec: { volumeClaims: [claim("web-x-scratch", true), claim("shared", false)] } });
    const expected = [claim("web-7-scratch", true), claim("shared", false)];
    assert.deepEqual(one(web, newest).spec.volumeClaims, expected);
    const described = modelWorkload("web", { template: { spec: { volumeClaims: [claim("web-scratch", true)] } } });
    assert.deepEqual(one(described, undefined).spec.volumeClaims, [claim("web-7-scratch", true)]);
  });
});

describe("the labels and the spec of an expected pod", () => {
  const claimTemplates = [{ name: "data", storageClassName: "fast", storage: 10 }];
  const db = modelStatefulSet("db", { claimTemplates });
  const member = (ordinal: number, fields: Partial<PodSpec> = {}): Pod =>
    podOf(db, ordinal, {
      labels: new Map([["statefulset.kubernetes.io/pod-name", `db-${ordinal}`]]),
      spec: { volumeClaims: [claim(`data-db-${ordinal}`, false, "")], ...fields },
    });
  const partsOf = (pod: Pod) => [pod.labels, pod.spec] as const;
  const assertSame = (one: Pod, other: Pod) => {
    for (const [index, part] of partsOf(one).entries()) assert.equal(part, partsOf(other)[index]);
  };

  it("are the same objects when nothing changed", () => {
    assertSame(one(db, member(0)), one(db, member(0)));
    assertSame(one(db, undefined), one(db, undefined));
    const job = modelJob("batch");
    const indexed = podOf(job, "a", { labels: new Map([["batch.kubernetes.io/job-completion-index", "3"]]) });
    assertSame(one(job, indexed), one(job, indexed));
    const volumeClaims = [claim("web-x-scratch", true)];
    assertSame(
      one(web, podOf(web, "x", { spec: { volumeClaims } })),
      one(web, podOf(web, "x", { spec: { volumeClaims } })),
    );
  });

  it("are the same objects when a newer pod says the same", () => {
    assertSame(one(db, member(0)), one(db, member(1)));
  });

  it("are other objects when it says something else", () => {
    const before = one(db, member(0));
    assert.equal(one(db, member(1, { priority: 5 })).spec.priority, 5);
    assert.deepEqual(one(db, member(0)), before);
  });
});
