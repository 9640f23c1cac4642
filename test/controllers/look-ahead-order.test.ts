import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { LookAhead } from "../../src/controllers/provisioner/look-ahead.ts";
import { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import { controllerUid, type Workload } from "../../src/core/model/workload.ts";
import { ordinalOf } from "../../src/core/workloads/missing-pods.ts";
import { deploymentOf } from "../../src/core/workloads/unseen-sets.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { anySteps, checkExpected } from "../support/check-expected.ts";
import { ModelControlPlane } from "../support/model-control-plane.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";

/** Looks ahead with what lagging watches deliver, and now and then has a plan made that finds a place for every pod. */
class Onlooker {
  readonly cluster = new ClusterState();
  readonly clock = new VirtualClock(1_000);
  readonly telemetry = new RecordingTelemetry();
  readonly plane = new ModelControlPlane((before, after) => this.#see(before, after));
  readonly lookAhead: LookAhead;

  constructor() {
    const { cluster, clock, telemetry } = this;
    const settings = { lookAhead: "Workloads", lookAheadMaxPods: 100 } as const;
    this.lookAhead = new LookAhead({ cluster, clock, telemetry, settings, isSynced: () => true });
    this.lookAhead.start(() => {});
    cluster.pods.onChange(({ before, after }) => {
      const change = this.#successorOf(before, after);
      this.lookAhead.takePod(before, after);
      change();
    });
  }

  get expected(): readonly Pod[] {
    const placed = [...this.cluster.intendedPods.expectedPods()];
    for (const { uid } of placed) assert.ok(this.lookAhead.expectedPod(uid), `${uid} has a place and is not expected`);
    return [...placed, ...this.lookAhead.unplaced];
  }

  plan(): void {
    this.lookAhead.beginPlan();
    for (const pod of this.lookAhead.unplaced) {
      const current = this.lookAhead.expectedPod(pod.uid);
      this.cluster.intendedPods.intend(pod.uid, "claim", this.clock.now(), current);
    }
  }

  #see(before: Workload | Pod | undefined, after: Workload | Pod | undefined): void {
    const object = after ?? before!;
    const { workloads, pods } = this.cluster;
    if ("demand" in object) {
      const key = `${object.namespace}/${object.kind}/${object.name}`;
      if (after === undefined) workloads.remove(key);
      else workloads.put(key, object);
    } else if (after === undefined) pods.remove(`${object.namespace}/${object.name}`);
    else pods.put(`${object.namespace}/${object.name}`, object);
  }

  /** Returns how to check that a new pod took the place of one expected pod of its workload, where there was any. */
  #successorOf(before: Pod | undefined, after: Pod | undefined): () => void {
    if (after === undefined || before?.uid === after.uid) return () => {};
    const { cluster } = this;
    const [owner] = after.owners;
    const deployment = owner === undefined ? undefined : deploymentOf(owner);
    const set =
      cluster.workloadByUid(controllerUid(after)) ??
      cluster.workloads.get(`${after.namespace}/Deployment/${deployment}`);
    const isOfOwner = ({ uid }: Pod): boolean =>
      [set?.uid, set?.controller?.uid].includes(uid.slice(0, uid.lastIndexOf("/"))) &&
      (set?.kind !== "StatefulSet" || ordinalOf(after) === Number(uid.slice(uid.lastIndexOf("/") + 1)));
    const [known, places] = [this.expected.filter(isOfOwner), this.cluster.intendedPods.size];
    const isPlaced = known.some(({ uid }) => this.cluster.intendedPods.claimOf(uid) !== undefined);
    return () => {
      assert.equal(this.expected.filter(isOfOwner).length, Math.max(0, known.length - 1));
      assert.equal(this.cluster.intendedPods.size, places);
      assert.equal(this.cluster.intendedPods.claimOf(after.uid), isPlaced ? "claim" : undefined);
    };
  }
}

function holdsFor(arrange: (plane: ModelControlPlane) => void): void {
  fc.assert(
    fc.property(anySteps, (steps) => {
      const onlooker = new Onlooker();
      const { plane } = onlooker;
      arrange(plane);
      for (const step of steps) {
        plane.take(step);
        if (step.pick % 2 === 0) continue;
        onlooker.plan();
        checkExpected(plane, onlooker.expected);
      }
      plane.catchUp();
      onlooker.plan();
      checkExpected(plane, onlooker.expected);
    }),
    { numRuns: 200 },
  );
}

describe("a pod that is created takes the place of one that was expected, and no more are expected than asked for,", () => {
  it("of a Deployment", () => holdsFor((plane) => plane.addDeployment("web", 3, { maxSurge: 1, maxUnavailable: 1 })));
  it("of a StatefulSet with Parallel", () => holdsFor((plane) => plane.addStatefulSet("db", 3, true)));
  it("of a StatefulSet with OrderedReady", () => holdsFor((plane) => plane.addStatefulSet("db", 3, false)));
  it("of a Job", () => holdsFor((plane) => plane.addJob("batch", { parallelism: 3, completions: 6 })));
  it("of all of them side by side", () =>
    holdsFor((plane) => {
      plane.addDeployment("web", 3, { maxSurge: 3, maxUnavailable: 1 });
      plane.addStatefulSet("db", 3, true);
      plane.addJob("batch", { parallelism: 3, completions: 6 });
    }));
});
