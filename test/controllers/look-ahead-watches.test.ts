import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LookAhead } from "../../src/controllers/provisioner/look-ahead.ts";
import { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import type { Workload } from "../../src/core/model/workload.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { modelClaim } from "../support/model-machine.ts";
import { modelWorkload, podOf } from "../support/model-workload.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";

const now = Date.parse("2026-01-01T12:00:00Z");
const hour = 3_600_000;

/** Looks ahead with what is put into the state of the cluster. */
class Watches {
  readonly cluster = new ClusterState();
  readonly clock = new VirtualClock(now);
  readonly telemetry = new RecordingTelemetry();
  readonly lookAhead: LookAhead;
  isSynced = true;

  constructor() {
    const { cluster, clock, telemetry } = this;
    const settings = { lookAhead: "Workloads", lookAheadMaxPods: 100 } as const;
    this.lookAhead = new LookAhead({ cluster, clock, telemetry, settings, isSynced: () => this.isSynced });
    this.lookAhead.start(() => {});
    cluster.pods.onChange(({ before, after }) => this.lookAhead.takePod(before, after));
  }

  seeWorkload(workload: Workload): void {
    this.cluster.workloads.put(`${workload.namespace}/${workload.kind}/${workload.name}`, workload);
  }

  seePod(pod: Pod): void {
    this.cluster.pods.put(`${pod.namespace}/${pod.name}`, pod);
  }

  get expected(): readonly string[] {
    this.lookAhead.refresh();
    return this.lookAhead.unplaced.map(({ name, expectation }) => `${name} ${expectation}`);
  }

  count(outcome: "created" | "dropped"): number {
    return this.telemetry.numbers.get(`pods_expected_outcome_total{outcome="${outcome}"}`) ?? 0;
  }
}

function setOf(name: string, replicas: number, fields: Partial<Workload> = {}): Workload {
  return modelWorkload(name, { createdAt: now, demand: { kind: "replicas", replicas }, ...fields });
}

describe("pods that are seen before all have been listed", () => {
  it("are not expected, and do not count as created", () => {
    const watches = new Watches();
    watches.isSynced = false;
    const set = setOf("old", 2);
    watches.seeWorkload(set);
    assert.deepEqual(watches.expected, []);
    for (const id of ["a", "b"]) watches.seePod(podOf(set, id, { createdAt: now - hour }));
    watches.isSynced = true;
    assert.deepEqual([watches.expected, watches.count("created")], [[], 0]);
  });
});

describe("a pod makes templates of its namespace and service account trusted", () => {
  const [old, fresh] = [setOf("old", 1), setOf("fresh", 2)];

  it("unless it was created long ago, however late it is seen", () => {
    for (const [age, expectation] of [
      [0, "firm"],
      [hour, "tentative"],
    ] as const) {
      const watches = new Watches();
      watches.seeWorkload(old);
      watches.seePod(podOf(old, "a", { createdAt: now - age }));
      watches.seeWorkload(fresh);
      assert.deepEqual(watches.expected, [`fresh-1 ${expectation}`, `fresh-2 ${expectation}`]);
    }
  });

  it("also when it is seen before its workload", () => {
    const watches = new Watches();
    watches.seePod(podOf(old, "a", { createdAt: now }));
    watches.seeWorkload(fresh);
    assert.deepEqual(watches.expected, ["fresh-1 tentative", "fresh-2 tentative"]);
    watches.seeWorkload(old);
    assert.deepEqual(watches.expected, ["fresh-1 firm", "fresh-2 firm"]);
  });

  it("for ten minutes", () => {
    const watches = new Watches();
    watches.seeWorkload(old);
    watches.seePod(podOf(old, "a", { createdAt: now - 600_001 }));
    watches.seeWorkload(fresh);
    assert.deepEqual(watches.expected, ["fresh-1 tentative", "fresh-2 tentative"]);
  });
});

describe("a plan is outdated", () => {
  it("when the last pod that it expected has come, once", () => {
    const watches = new Watches();
    const { lookAhead } = watches;
    const set = setOf("web", 2);
    watches.seeWorkload(set);
    const outdated = [];
    for (const id of ["a", "b"]) {
      lookAhead.beginPlan();
      outdated.push(lookAhead.isPlanOutdated);
      watches.seePod(podOf(set, id, { createdAt: now }));
      outdated.push(lookAhead.isPlanOutdated);
    }
    lookAhead.beginPlan();
    outdated.push(lookAhead.isPlanOutdated);
    assert.deepEqual(outdated, [false, false, false, true, false]);
  });
});

describe("a pod that is seen before its ReplicaSet", () => {
  it("takes the place of one that was expected of its Deployment, and the others keep theirs", () => {
    const watches = new Watches();
    const { cluster } = watches;
    const deployment = setOf("web", 3, { kind: "Deployment" });
    const { uid } = deployment;
    const controller = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid, isController: true };
    const set = setOf("web-5d9f", 3, { controller });
    watches.seeWorkload(deployment);
    watches.lookAhead.refresh();
    cluster.claims.put("claim", modelClaim({ name: "claim" }));
    for (const pod of watches.lookAhead.unplaced) cluster.intendedPods.intend(pod.uid, "claim", now, pod);
    watches.seePod(podOf(set, "a", { createdAt: now }));
    for (const see of [() => {}, () => watches.seeWorkload(set)]) {
      see();
      assert.deepEqual(watches.expected, []);
      assert.deepEqual([cluster.podsMeantFor("claim").length, [...cluster.intendedPods.expectedPods()].length], [3, 2]);
      assert.deepEqual([watches.count("created"), watches.count("dropped")], [1, 0]);
    }
  });

  it("is no pod of a later Deployment of that name", () => {
    const watches = new Watches();
    watches.seePod(podOf(setOf("web-5d9f", 3), "a", { createdAt: now - 1_000 }));
    watches.seeWorkload(setOf("web", 3, { kind: "Deployment" }));
    assert.equal(watches.expected.length, 3);
  });
});
