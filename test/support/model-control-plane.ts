import type { Pod } from "../../src/core/model/pod.ts";
import { isActive, isFinished } from "../../src/core/model/pod-lifecycle.ts";
import type { OrdinalDemand, TaskDemand, Workload, WorkloadKind } from "../../src/core/model/workload.ts";
import { modelJob, modelStatefulSet, modelWorkload, podOf } from "./model-workload.ts";

/** What happens to the cluster. `pick` decides which object it happens to, and how much of it. */
export interface Step {
  readonly what: (typeof stepKinds)[number];
  readonly pick: number;
}

export const stepKinds = ["sync", "scale", "roll", "delete", "evict", "remove", "start", "end", "watch"] as const;

type Stream = WorkloadKind | "Pod";
type Stored = Workload | Pod;

interface Event {
  readonly uid: string;
  readonly object: Stored | undefined;
}

interface Rollout {
  revision: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

export const goingNode = "going";
const nodeNames = ["node", goingNode];
/** How many pods a controller creates in one go at most. */
const burst = 2;

/**
 * Workloads and pods with a small kube-controller-manager, and a watch for each kind of object. Every watch lags behind by
 * its own amount. The events of one kind arrive in order; there is no order between kinds.
 */
export class ModelControlPlane {
  readonly #objects = new Map<string, Stored>();
  readonly #rollouts = new Map<string, Rollout>();
  readonly #events = new Map<Stream, Event[]>();
  readonly #seenEvents = new Map<Stream, number>();
  readonly #seen = new Map<string, Stored>();
  readonly #mostAsked = new Map<string, number>();
  readonly #onSeen: (before: Stored | undefined, after: Stored | undefined) => void;
  #now = 1;
  #ids = 0;

  constructor(onSeen: (before: Stored | undefined, after: Stored | undefined) => void = () => {}) {
    this.#onSeen = onSeen;
  }

  addDeployment(name: string, replicas: number, surge: Omit<Rollout, "revision">): void {
    const uid = `uid-${name}`;
    this.#rollouts.set(uid, { ...surge, revision: 1 });
    this.#put(
      modelWorkload(name, { kind: "Deployment", uid, createdAt: this.#now, demand: { kind: "replicas", replicas } }),
    );
  }

  addStatefulSet(name: string, replicas: number, isParallel: boolean): void {
    this.#put({ ...modelStatefulSet(name, { replicas, isParallel }), createdAt: this.#now });
  }

  addJob(name: string, demand: Partial<TaskDemand>): void {
    this.#put({ ...modelJob(name, demand), createdAt: this.#now });
  }

  /** As the watches have told it so far. */
  get seenWorkloads(): readonly Workload[] {
    return [...this.#seen.values()].filter(isWorkload);
  }

  get seenPods(): readonly Pod[] {
    return [...this.#seen.values()].filter(isPod);
  }

  /** The most pods that a workload may ever have had at once, those of a rollout included. */
  mostAsked(uid: string): number {
    return this.#mostAsked.get(uid) ?? 0;
  }

  take({ what, pick }: Step): void {
    this.#now++;
    const choose = <T>(from: readonly T[]): T | undefined => from[pick % from.length];
    const amount = Math.floor(pick / 7) % 7;
    const owners = this.#workloads.filter(({ kind }) => kind !== "ReplicaSet");
    const pod = choose(this.#pods);
    if (what === "sync") this.#sync(choose(this.#workloads));
    else if (what === "scale") this.#scale(choose(owners), amount);
    else if (what === "roll") this.#roll(choose(owners));
    // Not often: nothing happens to a workload that goes.
    else if (what === "delete" && amount === 0) this.#deleteWorkload(choose(owners));
    else if (what === "watch") this.watch(choose([...this.#events.keys()])!, amount + 1);
    else if (pod === undefined) return;
    else if (what === "evict") this.#evict(pod);
    else if (what === "remove" && pod.isDeleting) this.#remove(pod);
    else if (what === "start") this.#startPod(pod, nodeNames[amount % 2]!);
    else if (what === "end") this.#endPod(pod, amount);
  }

  /** The next events of one kind arrive. */
  watch(stream: Stream, count: number): void {
    const events = this.#events.get(stream) ?? [];
    const from = this.#seenEvents.get(stream) ?? 0;
    this.#seenEvents.set(stream, Math.min(events.length, from + count));
    for (const { uid, object } of events.slice(from, from + count)) {
      const before = this.#seen.get(uid);
      if (object === undefined) this.#seen.delete(uid);
      else this.#seen.set(uid, object);
      this.#onSeen(before, object);
    }
  }

  catchUp(): void {
    for (const stream of this.#events.keys()) this.watch(stream, Number.POSITIVE_INFINITY);
  }

  get #workloads(): readonly Workload[] {
    return [...this.#objects.values()].filter(isWorkload);
  }

  get #pods(): readonly Pod[] {
    return [...this.#objects.values()].filter(isPod);
  }

  #podsOf({ uid }: Workload): readonly Pod[] {
    return this.#pods.filter(({ owners }) => owners[0]?.uid === uid);
  }

  #setsOf({ uid }: Workload): readonly Workload[] {
    return this.#workloads.filter(({ controller }) => controller?.uid === uid);
  }

  #put(object: Stored): void {
    this.#objects.set(object.uid, object);
    this.#tell(isWorkload(object) ? object.kind : "Pod", object.uid, object);
    if (isWorkload(object) && object.kind !== "ReplicaSet") {
      const most = askedBy(object) + (this.#rollouts.get(object.uid)?.maxSurge ?? 0);
      this.#mostAsked.set(object.uid, Math.max(most, this.mostAsked(object.uid)));
    }
  }

  #remove(object: Stored): void {
    this.#objects.delete(object.uid);
    this.#tell(isWorkload(object) ? object.kind : "Pod", object.uid, undefined);
  }

  #tell(stream: Stream, uid: string, object: Stored | undefined): void {
    const events = this.#events.get(stream) ?? [];
    this.#events.set(stream, events);
    events.push({ uid, object });
  }

  #scale(workload: Workload | undefined, amount: number): void {
    if (workload === undefined) return;
    const { demand } = workload;
    if (demand.kind === "replicas") this.#put({ ...workload, demand: { ...demand, replicas: amount } });
    if (demand.kind === "ordinals") this.#put({ ...workload, demand: { ...demand, replicas: amount } });
    if (demand.kind === "tasks") this.#put({ ...workload, demand: { ...demand, parallelism: amount } });
  }

  #roll(workload: Workload | undefined): void {
    if (workload?.demand.kind === "ordinals") {
      const revision = `${workload.name}-${this.#now}`;
      this.#put({ ...workload, demand: { ...workload.demand, revision } });
    }
    const rollout = this.#rollouts.get(workload?.uid ?? "");
    if (rollout !== undefined) rollout.revision++;
  }

  /** With what it owns, at once, as a garbage collector in a hurry would. */
  #deleteWorkload(workload: Workload | undefined): void {
    if (workload === undefined) return;
    this.#remove(workload);
    for (const set of this.#setsOf(workload)) this.#deleteWorkload(set);
    for (const pod of this.#podsOf(workload)) this.#evict(pod);
  }

  /** A pod without a node is gone at once. */
  #evict(pod: Pod): void {
    if (pod.nodeName === "") this.#remove(pod);
    else if (!pod.isDeleting) this.#put({ ...pod, isDeleting: true, deletesAt: this.#now, readyAt: undefined });
  }

  #startPod(pod: Pod, nodeName: string): void {
    if (pod.isDeleting || isFinished(pod)) return;
    if (pod.nodeName === "") this.#put({ ...pod, nodeName });
    else this.#put({ ...pod, phase: "Running", readyAt: this.#now });
  }

  #endPod(pod: Pod, amount: number): void {
    if (pod.nodeName === "" || isFinished(pod)) return;
    const phase = pod.owners[0]?.kind === "Job" && amount < 5 ? "Succeeded" : "Failed";
    this.#put({ ...pod, phase, readyAt: undefined });
  }

  #create(workload: Workload, id: string | number, fields: Partial<Pod> = {}): void {
    const uid = `pod-${++this.#ids}`;
    const pending = { phase: "Pending", nodeName: "", readyAt: undefined, scheduledReason: "Unschedulable" };
    this.#put({ ...podOf(workload, id, { uid, createdAt: this.#now, ...pending }), ...fields });
  }

  #sync(workload: Workload | undefined): void {
    if (workload === undefined) return;
    const { demand } = workload;
    if (workload.kind === "Deployment") this.#syncDeployment(workload);
    else if (demand.kind === "replicas") this.#syncReplicas(workload, demand.replicas);
    else if (demand.kind === "ordinals") this.#syncOrdinals(workload, demand);
    else if (demand.kind === "tasks") this.#syncTasks(workload, demand);
  }

  /** One act of the Deployment controller: the new ReplicaSet grows within maxSurge, old ones shrink within maxUnavailable. */
  #syncDeployment(deployment: Workload): void {
    const { revision, maxSurge, maxUnavailable } = this.#rollouts.get(deployment.uid)!;
    const [wanted, sets] = [askedBy(deployment), this.#setsOf(deployment)];
    const name = `${deployment.name}-${revision}`;
    const current = sets.find((set) => set.name === name);
    const others = sets.filter((set) => set !== current && askedBy(set) > 0);
    const total = sets.reduce((sum, set) => sum + askedBy(set), 0);
    const grown = Math.min(
      wanted,
      (current === undefined ? 0 : askedBy(current)) + Math.max(0, wanted + maxSurge - total),
    );
    if (current === undefined) {
      const controller = { apiVersion: "apps/v1", kind: "Deployment", name: deployment.name, uid: deployment.uid };
      const set = modelWorkload(name, { createdAt: this.#now, demand: { kind: "replicas", replicas: grown } });
      this.#put({ ...set, controller: { ...controller, isController: true } });
    } else if (grown !== askedBy(current)) this.#scale(current, grown);
    else if (others[0] !== undefined) {
      const ready = sets.flatMap((set) => this.#podsOf(set)).filter(({ readyAt }) => readyAt !== undefined).length;
      const surplus = Math.max(ready - (wanted - maxUnavailable), total - wanted - maxSurge, 0);
      this.#scale(others[0], Math.max(0, askedBy(others[0]) - surplus));
    }
  }

  #syncReplicas(set: Workload, replicas: number): void {
    const active = this.#podsOf(set).filter(isActive);
    for (let i = 0; i < Math.min(burst, replicas - active.length); i++) this.#create(set, ++this.#ids);
    for (const pod of active.slice(0, Math.max(0, active.length - replicas))) this.#evict(pod);
  }

  #syncOrdinals(set: Workload, { replicas, isParallel, revision }: OrdinalDemand): void {
    const pods = new Map(this.#podsOf(set).map((pod) => [pod.name, pod]));
    const labels = new Map([["controller-revision-hash", revision]]);
    for (let ordinal = 0; ordinal < replicas; ordinal++) {
      const pod = pods.get(`${set.name}-${ordinal}`);
      if (pod === undefined) this.#create(set, ordinal, { labels });
      else if (isFinished(pod)) {
        pods.delete(pod.name);
        this.#remove(pod);
      }
      if (!isParallel && (pod?.readyAt === undefined || pod.isDeleting)) return;
    }
    const isOld = (pod: Pod): boolean => pod.labels.get("controller-revision-hash") !== revision;
    const surplus = [...pods.values()].filter(({ name }) => Number(name.slice(name.lastIndexOf("-") + 1)) >= replicas);
    const leaving = surplus.length > 0 ? surplus : [...pods.values()].filter(isOld).slice(0, 1);
    for (const pod of isParallel ? leaving : leaving.slice(-1)) this.#evict(pod);
  }

  /** What has ended is counted first, and its pods may be gone when the Job is looked at next. */
  #syncTasks(job: Workload, demand: TaskDemand): void {
    const { completions = 0, parallelism } = demand;
    const uncounted = this.#podsOf(job).filter((pod) => isFinished(pod) && pod.isUncounted);
    const succeeded = demand.succeeded + uncounted.filter(({ phase }) => phase === "Succeeded").length;
    const failed = demand.failed + uncounted.length - (succeeded - demand.succeeded);
    if (uncounted.length > 0) this.#put({ ...job, demand: { ...demand, succeeded, failed } });
    for (const pod of uncounted) {
      if (pod.createdAt % 2 === 0) this.#remove(pod);
      else this.#put({ ...pod, isUncounted: false });
    }
    const active = this.#podsOf(job).filter(isActive);
    const wanted = failed > demand.backoffLimit ? 0 : Math.max(0, Math.min(parallelism, completions - succeeded));
    for (let i = 0; i < Math.min(burst, wanted - active.length); i++)
      this.#create(job, ++this.#ids, { isUncounted: true });
    for (const pod of active.slice(0, Math.max(0, active.length - wanted))) this.#evict(pod);
  }
}

function isWorkload(object: Stored): object is Workload {
  return "demand" in object;
}

function isPod(object: Stored): object is Pod {
  return !isWorkload(object);
}

/** What a workload asks for. */
export function askedBy({ demand }: Workload): number {
  switch (demand.kind) {
    case "none":
      return 0;
    case "replicas":
    case "ordinals":
      return demand.replicas;
    case "tasks":
      return Math.max(0, Math.min(demand.parallelism, (demand.completions ?? Infinity) - demand.succeeded));
  }
}
