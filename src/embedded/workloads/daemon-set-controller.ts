import type { ControllerRevision, DaemonSet } from "kubernetes-types/apps/v1.js";
import type { Node, Pod } from "kubernetes-types/core/v1.js";
import { areEqual } from "../../core/api/schema/json.ts";
import { labelSelectorMatch } from "../api/label-selector.ts";
import type { ControlLoop } from "../control-loop.ts";
import { isPodAvailable, isPodFinished, isPodReady, untilNextAvailable } from "../pod-state.ts";
import { keyOf } from "../storage/collection.ts";
import { ClaimedObjects } from "./claim-objects.ts";
import { createPod, deletePod, type PodWork } from "./create-pod.ts";
import { daemonPod, hashLabel, type Suitability, suitabilityFor, targetNode } from "./daemon-pods.ts";
import { byAge, type DaemonPlan, type DaemonSituation, planPresence, planUpdate } from "./daemon-rollout.ts";
import { enqueueControllers } from "./enqueue-controllers.ts";
import type { ObjectIndex } from "./object-index.ts";
import { counted } from "./replica-set-controller.ts";
import { Resource, type Stored } from "./resource.ts";
import { RevisionHistory } from "./revision-history.ts";
import { controlLoop, type RunningPart, type WorkloadContext } from "./workload-context.ts";

const firstBackoff = 1000;
const longestBackoff = 900_000;
const burst = 250;

/** Keeps a pod of every daemon set on every node that is meant. */
export class DaemonSetController implements RunningPart {
  readonly #context: WorkloadContext;
  readonly #sets: Resource<DaemonSet>;
  readonly #nodes: Resource<Node>;
  readonly #pods: Resource<Pod>;
  readonly #claimed: ClaimedObjects<Pod>;
  readonly #history: RevisionHistory;
  readonly #work: PodWork;
  /** What each set was found to want of each node, as long as neither has changed. */
  readonly #judgements = new Map<string, Judgements>();
  /** How long pods that fail at once are left alone, by set and node. */
  readonly #backoffs = new Map<string, { readonly delay: number; readonly until: number }>();
  readonly #loop: ControlLoop;
  readonly #stops: (() => void)[];

  constructor(context: WorkloadContext, podsByOwner: ObjectIndex<Pod>) {
    this.#context = context;
    this.#sets = new Resource<DaemonSet>(context.api, "apps", "daemonsets");
    this.#nodes = new Resource<Node>(context.api, "", "nodes");
    this.#pods = new Resource<Pod>(context.api, "", "pods");
    this.#claimed = new ClaimedObjects(this.#pods, podsByOwner);
    this.#history = new RevisionHistory(context.api, hashLabel);
    this.#work = { pods: this.#pods, recordEvent: context.recordEvent, source: "daemonset-controller" };
    this.#loop = controlLoop(context, "daemon set", (key) => this.#reconcile(key));
    this.#stops = [
      () => this.#history.stop(),
      enqueueControllers({
        dependents: this.#pods,
        controllers: this.#sets,
        loop: this.#loop,
        onGone: (uid) => this.#forget(uid),
      }),
      this.#nodes.subscribe(({ type, object, previous }) => {
        if (type === "MODIFIED" && previous !== undefined && isSamePlace(object, previous)) return;
        for (const set of this.#sets.list()) this.#loop.enqueue(keyOf(set));
      }),
    ];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#loop.stop();
  }

  #forget(uid: string): void {
    this.#claimed.forget(uid);
    this.#judgements.delete(uid);
    for (const key of this.#backoffs.keys()) if (key.startsWith(uid)) this.#backoffs.delete(key);
  }

  #reconcile(key: string): void {
    const set = this.#sets.find(key);
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
    const revision = this.#revisionOf(set);
    if (revision === undefined) return;
    const hash = this.#history.hashOf(revision);
    const situation = this.#situation(set, hash);
    const presence = planPresence(situation);
    const failed = this.#failed(situation);
    this.#carryOut(set, { create: presence.create, remove: [...presence.remove, ...failed] }, hash);
    if (set.spec?.updateStrategy?.type === "RollingUpdate") {
      const after = this.#situation(set, hash);
      this.#carryOut(set, planUpdate(after), hash);
    }
    const settled = this.#situation(set, hash);
    this.#cleanUp(set, revision, settled);
    this.#report(settled);
  }

  #revisionOf(set: Stored<DaemonSet>): Stored<ControllerRevision> | undefined {
    const collisionCount = set.status?.collisionCount ?? 0;
    const { apiVersion, kind, metadata } = set;
    const template = set.spec?.template ?? {};
    const revision = this.#history.newest({ apiVersion, kind, metadata, template, collisionCount });
    if (revision !== "collision") return revision;
    this.#sets.writeStatus(set, { ...set.status, collisionCount: collisionCount + 1 });
    return undefined;
  }

  #situation(set: Stored<DaemonSet>, hash: string): DaemonSituation {
    const pods = this.#claimed.claim(set, labelSelectorMatch(set.spec?.selector));
    const podsByNode = new Map<string, Stored<Pod>[]>();
    for (const pod of pods) {
      const node = targetNode(pod);
      const others = podsByNode.get(node);
      if (others === undefined) podsByNode.set(node, [pod]);
      else others.push(pod);
    }
    return { set, podsByNode, nodes: this.#judge(set), hash, now: this.#context.clock.now() };
  }

  #judge(set: Stored<DaemonSet>): Map<string, Suitability> {
    const { uid, generation = 0 } = set.metadata;
    const known = this.#judgements.get(uid);
    const judgements = known?.generation === generation ? known : new Judgements(set);
    this.#judgements.set(uid, judgements);
    return judgements.of(this.#nodes.list());
  }

  /** Pods that have finished, which a daemon should not; those that keep failing more and more slowly. */
  #failed({ set, podsByNode, now }: DaemonSituation): Stored<Pod>[] {
    const { recordEvent } = this.#context;
    const removed: Stored<Pod>[] = [];
    for (const [node, pods] of podsByNode) {
      for (const pod of pods) {
        if (!isPodFinished(pod) || pod.metadata.deletionTimestamp !== undefined) continue;
        const key = `${set.metadata.uid} ${node}`;
        const backoff = this.#backoffs.get(key);
        if (backoff !== undefined && now < backoff.until) {
          this.#loop.enqueue(keyOf(set), backoff.until - now);
          continue;
        }
        const hasFailed = pod.status?.phase === "Failed";
        const delay = Math.min(longestBackoff, backoff === undefined ? firstBackoff : backoff.delay * 2);
        if (hasFailed) this.#backoffs.set(key, { delay, until: now + delay });
        const [state, act] = hasFailed ? ["failed", "kill"] : ["succeeded", "delete"];
        recordEvent({
          about: set,
          type: hasFailed ? "Warning" : "Normal",
          reason: hasFailed ? "FailedDaemonPod" : "SucceededDaemonPod",
          message: `Found ${state} daemon pod ${keyOf(pod)} on node ${node}, will try to ${act} it`,
          source: this.#work.source,
        });
        removed.push(pod);
      }
    }
    return removed;
  }

  #carryOut(set: Stored<DaemonSet>, { create, remove }: DaemonPlan, hash: string): void {
    for (const node of create.slice(0, burst)) createPod(this.#work, set, daemonPod(set, node, hash));
    for (const pod of remove.slice(0, burst)) deletePod(this.#work, set, pod);
    if (create.length > burst || remove.length > burst) this.#loop.enqueue(keyOf(set));
  }

  #cleanUp(set: Stored<DaemonSet>, revision: Stored<ControllerRevision>, { podsByNode }: DaemonSituation): void {
    const used = new Set([...podsByNode.values()].flat().map(({ metadata }) => metadata.labels?.[hashLabel]));
    const limit = set.spec?.revisionHistoryLimit ?? 10;
    this.#history.cleanUp(set.metadata.uid, limit, (past) => {
      return past.metadata.uid === revision.metadata.uid || used.has(this.#history.hashOf(past));
    });
  }

  #report({ set, podsByNode, nodes, hash, now }: DaemonSituation): void {
    const minReadySeconds = set.spec?.minReadySeconds ?? 0;
    const wanted = [...nodes].filter(([, { shouldRun }]) => shouldRun);
    const first = wanted
      .map(([node]) => [...(podsByNode.get(node) ?? [])].sort(byAge)[0])
      .filter((pod) => pod !== undefined);
    const available = first.filter((pod) => isPodAvailable(pod, minReadySeconds, now)).length;
    const unwanted = [...nodes].filter(([node, { shouldRun }]) => !shouldRun && podsByNode.has(node));
    const { collisionCount } = set.status ?? {};
    this.#sets.writeStatus(this.#sets.current(set) ?? set, {
      currentNumberScheduled: first.length,
      numberMisscheduled: unwanted.length,
      desiredNumberScheduled: wanted.length,
      numberReady: first.filter(isPodReady).length,
      observedGeneration: set.metadata.generation ?? 0,
      ...counted(
        "updatedNumberScheduled",
        first.filter(({ metadata }) => metadata.labels?.[hashLabel] === hash).length,
      ),
      ...counted("numberAvailable", available),
      ...counted("numberUnavailable", wanted.length - available),
      ...(collisionCount === undefined ? {} : { collisionCount }),
    });
    const wait = untilNextAvailable(first, minReadySeconds, now);
    if (wait !== undefined) this.#loop.enqueue(keyOf(set), wait);
  }
}

/** Which nodes a set wants, worked out again only for nodes that have been written since. */
class Judgements {
  readonly generation: number;
  readonly #judge: (node: Node) => Suitability;
  readonly #known = new Map<string, { readonly node: Stored<Node>; readonly suitability: Suitability }>();

  constructor(set: Stored<DaemonSet>) {
    this.generation = set.metadata.generation ?? 0;
    this.#judge = suitabilityFor(set);
  }

  of(nodes: Iterable<Stored<Node>>): Map<string, Suitability> {
    const result = new Map<string, Suitability>();
    for (const node of nodes) {
      const { name } = node.metadata;
      const known = this.#known.get(name);
      const suitability = known?.node === node ? known.suitability : this.#judge(node);
      if (known?.node !== node) this.#known.set(name, { node, suitability });
      result.set(name, suitability);
    }
    if (this.#known.size > result.size)
      for (const name of this.#known.keys()) if (!result.has(name)) this.#known.delete(name);
    return result;
  }
}

function isSamePlace(node: Stored<Node>, previous: Stored<Node>): boolean {
  return areEqual(node.metadata.labels, previous.metadata.labels) && areEqual(node.spec?.taints, previous.spec?.taints);
}
