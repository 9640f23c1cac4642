import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { nodePoolLabel } from "../../core/model/labels.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isActive, isDaemonPod } from "../../core/model/pod-lifecycle.ts";
import { controllerOf, controllerUid, type Workload } from "../../core/model/workload.ts";
import { AccountAdmissions } from "../../core/workloads/account-admissions.ts";
import { isSuperseded, mayBeExpected } from "../../core/workloads/counted-pods.ts";
import { expectPods, type Shortfall } from "../../core/workloads/expect-pods.ts";
import { missingPods, ordinalOf } from "../../core/workloads/missing-pods.ts";
import { nextProgress, noProgress, type Progress } from "../../core/workloads/progress.ts";
import { deploymentOf } from "../../core/workloads/unseen-sets.ts";
import { WorkloadView } from "../../core/workloads/workload-view.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Telemetry } from "../../ports/telemetry.ts";

export interface LookAheadSettings {
  readonly lookAhead: "Workloads" | "Off";
  readonly lookAheadMaxPods: number;
}

export interface LookAheadOptions {
  readonly cluster: ClusterState;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly settings: LookAheadSettings;
  /** Whether all workloads and pods that exist have been seen. */
  readonly isSynced: () => boolean;
}

/** What is remembered of a workload that misses pods, or that missed them in vain. */
interface Outlook {
  progress: Progress;
  /** Numbers of the pods that are expected of it now. */
  readonly numbers: Set<number>;
  /** When the last of its pods was seen that is new, 0 for never. */
  createdAt: number;
}

/** Keeps the pods that workloads still have to create, and exchanges each for the real pod when that comes. */
export class LookAhead {
  readonly #options: LookAheadOptions;
  /** By uid of the workload. */
  readonly #outlooks = new Map<string, Outlook>();
  /** Uids of workloads that changed, or whose pods did. */
  readonly #changed = new Set<string>();
  readonly #expected = new Map<string, Pod>();
  /** Expected pods without a place that machines might have been bought for when the last plan was asked for, by uid. */
  #planned: ReadonlySet<string> = new Set();
  /** Whether any pod was expected when the last plan was asked for. */
  #wasExpecting = false;
  /** Since the last plan was asked for: what took the place of an expected pod, by uid. */
  readonly #successors = new Map<string, string>();
  readonly #admissions = new AccountAdmissions();
  /** Names of claims that have been counted as created for pods that are not expected any more. */
  readonly #unneeded = new Set<string>();
  /** When kube-controller-manager was last seen to create a pod. */
  #queueMovedAt = 0;

  constructor(options: LookAheadOptions) {
    this.#options = options;
  }

  /** Returns how to stop. */
  start(onAnnounced: () => void): () => void {
    const { cluster, settings } = this.#options;
    if (settings.lookAhead === "Off") return () => {};
    for (const { uid } of cluster.workloads.values()) this.#changed.add(uid);
    for (const pod of cluster.pods.values()) this.#learnAdmission(pod);
    const stops = [
      cluster.workloads.onChange(({ before, after }) => {
        if (before !== undefined) this.#changed.add(before.uid);
        if (after === undefined) return;
        this.#changed.add(after.uid);
        // Its pods are expected of it from now on, not of the workload that has created it.
        if (after.controller !== undefined) this.#changed.add(after.controller.uid);
        // Whether they are left out may depend on it.
        for (const { uid } of cluster.workloadsOf(after.uid)) this.#changed.add(uid);
        if (before?.uid === after.uid) return;
        // Its pods may have been seen first.
        for (const pod of cluster.podsOfWorkload(after.uid)) this.#learnAdmission(pod);
        if (this.#isNews(after)) onAnnounced();
      }),
      cluster.lookAheadOptOuts.onChange(({ before, after }) => {
        if (before !== after) for (const { uid } of cluster.workloads.values()) this.#changed.add(uid);
      }),
      cluster.pods.onChange(({ before, after }) => {
        if (after !== undefined && before?.uid !== after.uid) this.#learnAdmission(after);
      }),
      cluster.claims.onChange(({ key, after }) => {
        if (after === undefined) this.#unneeded.delete(key);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** From now on it is remembered what becomes of expected pods: the plan will speak of them as they are now. */
  beginPlan(): void {
    this.refresh();
    this.#successors.clear();
    this.#planned = new Set(this.#unplacedFirm());
    this.#wasExpecting = this.#expected.size > 0;
  }

  /**
   * Whether pods are expected now that the last plan did not know of, as after a workload was scaled up, or all have come
   * that it expected: it can be told now in which order.
   */
  get isPlanOutdated(): boolean {
    if (this.#wasExpecting && this.#expected.size === 0) return true;
    return this.#unplacedFirm().some((uid) => !this.#planned.has(uid));
  }

  #unplacedFirm(): string[] {
    return this.unplaced.flatMap(({ uid, expectation }) => (expectation === "firm" ? [uid] : []));
  }

  /** The uid by which a pod goes now that was expected when the plan was begun. */
  currentUid(uid: string): string {
    let current = uid;
    for (let next: string | undefined = uid; next !== undefined; next = this.#successors.get(current)) current = next;
    return current;
  }

  /** Undefined for a pod that exists, or that is not expected any more. */
  expectedPod(uid: string): Pod | undefined {
    return this.#expected.get(uid);
  }

  /** Pods that no plan has a place for. */
  get unplaced(): readonly Pod[] {
    const { intendedPods } = this.#options.cluster;
    return [...this.#expected.values()].filter(({ uid }) => intendedPods.claimOf(uid) === undefined);
  }

  /** A pod that has been created takes the place of one that was expected of its workload. */
  takePod(before: Pod | undefined, after: Pod | undefined): void {
    const { cluster, clock, settings } = this.#options;
    if (settings.lookAhead === "Off") return;
    for (const pod of [before, after]) if (pod !== undefined) this.#changed.add(this.#workloadOf(pod)?.uid ?? "");
    if (after === undefined || before?.uid === after.uid) return;
    const workload = this.#workloadOf(after);
    this.#queueMovedAt = clock.now();
    const outlook = workload === undefined ? undefined : this.#outlookOf(workload);
    if (workload === undefined || outlook === undefined) return;
    outlook.createdAt = clock.now();
    const number = this.#numberFor(after, workload, outlook);
    if (number === undefined) return;
    outlook.numbers.delete(number);
    const expectedUid = uidOf(workload.uid, number);
    this.#expected.delete(expectedUid);
    this.#succeed(expectedUid, after.uid);
    this.#count("created", 1);
    // A gate may hold it back for ever: nothing waits for it.
    if (after.isGated) this.#drop(expectedUid);
    else cluster.intendedPods.fulfil(expectedUid, after.uid, after.createdAt);
  }

  /** The workload that expects the pod: while the ReplicaSet has not been seen yet, its Deployment. */
  #workloadOf(pod: Pod): Workload | undefined {
    const { cluster } = this.#options;
    const owner = controllerOf(pod);
    if (owner === undefined) return undefined;
    return (
      cluster.workloadByUid(owner.uid) ??
      cluster.workloads.get(`${pod.namespace}/Deployment/${deploymentOf(owner) ?? ""}`)
    );
  }

  /** Works out anew which pods are expected, from the workloads and pods as they are now. */
  refresh(): void {
    const { cluster, clock, settings, isSynced } = this.#options;
    if (settings.lookAhead === "Off" || !isSynced()) return;
    this.#admissions.forgetOld(clock.now());
    const shortfalls: Shortfall[] = [];
    const uids = [...new Set([...this.#outlooks.keys(), ...this.#changed])];
    const isDeployment = (uid: string): boolean => cluster.workloadByUid(uid)?.kind === "Deployment";
    const { true: deployments = [], false: others = [] } = Object.groupBy(uids, (uid) => `${isDeployment(uid)}`);
    const view = new WorkloadView(cluster, settings.lookAheadMaxPods);
    // Deployments last: a new ReplicaSet takes over what was expected of its Deployment.
    for (const uid of [...others, ...deployments]) {
      const shortfall = this.#lookAt(uid, view);
      if (shortfall !== undefined) shortfalls.push(shortfall);
    }
    this.#changed.clear();
    this.#replace(expectPods(shortfalls, view.limits));
  }

  #lookAt(uid: string, view: WorkloadView): Shortfall | undefined {
    const { cluster, clock, telemetry } = this.#options;
    const workload = cluster.workloadByUid(uid);
    if (workload === undefined || !mayBeExpected(workload, cluster)) {
      this.#outlooks.delete(uid);
      return undefined;
    }
    const now = clock.now();
    const pods = isSuperseded(workload, cluster) ? [] : view.podsOf(workload);
    const isMissingPods = !isSuperseded(workload, cluster) && missingPods(workload, pods).length > 0;
    const known = this.#outlooks.get(uid);
    const { progress: before, createdAt, numbers } = known ?? { progress: noProgress, createdAt: 0, numbers: none };
    const queueMovedAt = workload.isObserved || pods.length > 0 ? undefined : this.#queueMovedAt;
    const progress = nextProgress(before, { now, isMissingPods, createdAt, queueMovedAt });
    if (progress.drops > before.drops) {
      telemetry.log.info("stopped expecting pods, none was created for 30s", {
        controller: "provisioner",
        [workload.kind]: { namespace: workload.namespace, name: workload.name },
        pods: numbers.size,
        until: new Date(progress.droppedUntil).toISOString(),
      });
    }
    if (progress === noProgress) {
      this.#outlooks.delete(uid);
      return undefined;
    }
    const outlook = this.#outlookOf(workload) ?? { progress, numbers: new Set(), createdAt: 0 };
    outlook.progress = progress;
    this.#outlooks.set(uid, outlook);
    if (!isMissingPods || now < progress.droppedUntil) return undefined;
    return {
      workload,
      pods,
      isTrusted: this.#admissions.isTrusted(workload.template, now),
      hasStalled: progress.drops > 0 && createdAt <= progress.droppedUntil,
      numbers: this.#placedFirst(uid, outlook),
    };
  }

  /** A new ReplicaSet takes over what was expected of its Deployment, places included. */
  #outlookOf({ uid, controller }: Workload): Outlook | undefined {
    const known = this.#outlooks.get(uid);
    const parent = this.#outlooks.get(controller?.uid ?? "");
    if (known !== undefined || controller === undefined || parent === undefined) return known;
    for (const number of parent.numbers) {
      const [before, after] = [uidOf(controller.uid, number), uidOf(uid, number)];
      const pod = this.#expected.get(before);
      const next = pod === undefined ? undefined : { ...pod, uid: after };
      if (next !== undefined) this.#options.cluster.intendedPods.rename(before, next);
      this.#expected.delete(before);
      if (next !== undefined) this.#expected.set(after, next);
      this.#succeed(before, after);
    }
    this.#outlooks.delete(controller.uid);
    this.#outlooks.set(uid, parent);
    parent.progress = noProgress;
    return parent;
  }

  /** The plan that is being made means the first one. */
  #succeed(uid: string, next: string): void {
    if (!this.#successors.has(uid)) this.#successors.set(uid, next);
  }

  #placedFirst(uid: string, { numbers }: Outlook): readonly number[] {
    const { intendedPods } = this.#options.cluster;
    const isPlaced = (number: number): boolean => intendedPods.claimOf(uidOf(uid, number)) !== undefined;
    return [...numbers].sort((a, b) => Number(isPlaced(b)) - Number(isPlaced(a)) || a - b);
  }

  #replace(pods: readonly Pod[]): void {
    const { cluster, clock, telemetry } = this.#options;
    const { intendedPods } = cluster;
    const gone = new Map(this.#expected);
    this.#expected.clear();
    for (const { numbers } of this.#outlooks.values()) numbers.clear();
    for (const pod of pods) {
      const { uid } = pod;
      const known = gone.get(uid);
      gone.delete(uid);
      const next = known !== undefined && isSame(known, pod) ? known : pod;
      this.#expected.set(uid, next);
      const [workloadUid, number] = splitUid(uid);
      this.#outlooks.get(workloadUid)?.numbers.add(number);
      const claimName = intendedPods.claimOf(uid);
      if (claimName !== undefined && intendedPods.expectedPod(uid) !== next)
        intendedPods.intend(uid, claimName, clock.now(), next);
    }
    for (const uid of gone.keys()) this.#drop(uid);
    this.#count("dropped", gone.size);
    telemetry.metrics.set("pods_expected", {}, this.#expected.size);
  }

  /** When a claim has lost the last pod that it was created for, its node was bought for nothing. */
  #drop(uid: string): void {
    const { cluster, telemetry } = this.#options;
    const claim = cluster.claims.get(cluster.intendedPods.claimOf(uid) ?? "");
    cluster.intendedPods.drop(uid);
    if (claim === undefined || cluster.intendedPods.podsOf(claim.name).size > 0) return;
    const node = cluster.nodesOf(claim)[0];
    if (node !== undefined && cluster.podsOnNode(node.name).some((pod) => isActive(pod) && !isDaemonPod(pod))) return;
    if (this.#unneeded.has(claim.name)) return;
    this.#unneeded.add(claim.name);
    telemetry.metrics.add("nodes_bought_for_dropped_pods_total", { nodepool: claim.labels.get(nodePoolLabel) ?? "" });
    telemetry.log.info("nodeclaim was created for pods that are not expected any more", {
      controller: "provisioner",
      NodeClaim: { name: claim.name },
    });
  }

  #count(outcome: "created" | "dropped", pods: number): void {
    if (pods > 0) this.#options.telemetry.metrics.add("pods_expected_outcome_total", { outcome }, pods);
  }

  #numberFor(pod: Pod, { uid, demand }: Workload, outlook: Outlook): number | undefined {
    if (demand.kind !== "ordinals") return this.#placedFirst(uid, outlook)[0];
    const ordinal = ordinalOf(pod);
    return outlook.numbers.has(ordinal) ? ordinal : undefined;
  }

  /** Whether more pods are coming than were known of: not those that a ReplicaSet creates for a known Deployment. */
  #isNews(workload: Workload): boolean {
    const { cluster } = this.#options;
    if (!mayBeExpected(workload, cluster) || cluster.workloadByUid(workload.controller?.uid ?? "") !== undefined)
      return false;
    return missingPods(workload, cluster.podsOfWorkload(workload.uid)).length > 0;
  }

  #learnAdmission(pod: Pod): void {
    const workload = this.#options.cluster.workloadByUid(controllerUid(pod));
    if (workload !== undefined) this.#admissions.learn(pod, workload);
  }
}

const none: ReadonlySet<number> = new Set();

function uidOf(workloadUid: string, number: number): string {
  return `${workloadUid}/${number}`;
}

function splitUid(uid: string): [workloadUid: string, number: number] {
  const slash = uid.lastIndexOf("/");
  return [uid.slice(0, slash), Number(uid.slice(slash + 1))];
}

function isSame(one: Pod, other: Pod): boolean {
  return one.spec === other.spec && one.labels === other.labels && one.expectation === other.expectation;
}
