import { restartedAtAnnotation } from "../../core/api/read-rollout.ts";
import { podReference } from "../../core/api/references.ts";
import { writeTime } from "../../core/api/write-time.ts";
import { isEvictable } from "../../core/model/disruption-budget.ts";
import { drainStrategyAnnotation } from "../../core/model/drain-strategy.ts";
import type { Pod } from "../../core/model/pod.ts";
import type { Rollout } from "../../core/model/rollout.ts";
import { controllerOf } from "../../core/model/workload.ts";
import { planSurge } from "../../core/termination/plan-surge.ts";
import { deployments, statefulSets } from "../../runtime/resources.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import { afterConflict } from "./claim-writes.ts";
import type { EvictionQueue } from "./eviction-queue.ts";
import { findRollout, lastingAnswer } from "./find-rollout.ts";
import { isEnding } from "./ownership.ts";
import { findPod, podKey } from "./pod-key.ts";
import type { TerminatorOptions } from "./terminator-options.ts";

/** Owners are not followed, so a rollout that stalls or is paused is found out by asking. */
const pollInterval = 10_000;

/** Has pods replaced by a rollout of their owner before they leave; where that cannot be, they are evicted. */
export class SurgeQueue {
  readonly #options: TerminatorOptions;
  readonly #evictions: EvictionQueue;
  readonly #loop: WorkLoop;
  /** The pods of each owner, so that all of them ask for one restart. */
  readonly #owners = new Map<string, Map<string, "waiting" | "given-up">>();

  constructor(options: TerminatorOptions, evictions: EvictionQueue) {
    this.#options = options;
    this.#evictions = evictions;
    const { clock, telemetry } = options;
    const reconcile = (key: string) => this.#reconcile(key);
    this.#loop = new WorkLoop({ name: "surge", reconcile, clock, telemetry, longestBackoff: pollInterval });
  }

  add(pod: Pod): void {
    const key = ownerKey(pod);
    const pods = this.#owners.get(key) ?? new Map<string, "waiting" | "given-up">();
    if (pods.has(podKey(pod))) return;
    this.#owners.set(key, pods.set(podKey(pod), "waiting"));
    this.#loop.enqueue(key);
  }

  /** Whether no replacement comes before the pod leaves. */
  hasGivenUp(pod: Pod): boolean {
    return this.#owners.get(ownerKey(pod))?.get(podKey(pod)) === "given-up";
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #reconcile(key: string): Promise<number | undefined> {
    const { cluster, kube, clock } = this.#options;
    const leaving = this.#waitingPods(key);
    const [first] = leaving;
    // Those that were given up are looked at again until they are gone, to be forgotten.
    if (first === undefined) return this.#owners.has(key) ? pollInterval : undefined;
    const found = await findRollout(kube, controllerOf(first), first.namespace);
    if (found.failure !== undefined) return this.#giveUp(key, leaving, found.failure);
    const { rollout, revisionOf } = found;
    const now = clock.now();
    const began = leaving.map(({ nodeName }) => cluster.nodes.get(nodeName)?.deletedAt ?? now);
    const step = planSurge({
      rollout,
      revisions: leaving.map(revisionOf),
      since: Math.max(Math.min(...began), this.#lastNewsOf(first)),
      now,
    });
    switch (step.kind) {
      case "evict":
        return this.#giveUp(key, leaving, step.reason);
      case "restart":
        return await this.#restart(key, leaving, rollout);
      case "wait":
        for (const pod of leaving) this.#reportWait(pod, rollout);
        return Math.max(1, Math.min(pollInterval, step.until - now));
    }
  }

  /** Forgets those that have left, or that must not be asked any more. */
  #waitingPods(key: string): Pod[] {
    const { cluster, clock } = this.#options;
    const pods = this.#owners.get(key) ?? new Map<string, "waiting" | "given-up">();
    const waiting: Pod[] = [];
    for (const [name, state] of pods) {
      const pod = findPod(cluster, name);
      const node = pod === undefined ? undefined : cluster.nodes.get(pod.nodeName);
      if (pod === undefined || node === undefined || !isEnding(node) || !isEvictable(pod, clock.now()))
        pods.delete(name);
      else if (state === "waiting") waiting.push(pod);
    }
    if (pods.size === 0) this.#owners.delete(key);
    return waiting;
  }

  /** When a pod of a StatefulSet last came or got ready: the set itself does not say when it got further. */
  #lastNewsOf(pod: Pod): number {
    if (controllerOf(pod)?.kind !== "StatefulSet") return 0;
    const key = ownerKey(pod);
    let last = 0;
    for (const other of this.#options.cluster.pods.values()) {
      if (other.namespace === pod.namespace && ownerKey(other) === key)
        last = Math.max(last, other.createdAt, other.readyAt ?? 0);
    }
    return last;
  }

  async #restart(key: string, leaving: readonly Pod[], rollout: Rollout): Promise<number | undefined> {
    const { kube, clock, telemetry } = this.#options;
    const { kind, namespace, name, uid, resourceVersion } = rollout;
    const resource = kind === "Deployment" ? deployments : statefulSets;
    const annotations = { [restartedAtAnnotation]: writeTime(clock.now()) };
    const body = { metadata: { resourceVersion }, spec: { template: { metadata: { annotations } } } };
    const answer = await kube.patch(resource, { namespace, name }, { body });
    if (!answer.ok && answer.refusal.code === 409) return afterConflict;
    const { failure } = lastingAnswer(answer, `restart ${kind} "${name}"`);
    if (failure !== undefined) return this.#giveUp(key, leaving, failure);
    const goingNodes = new Set(leaving.map(({ nodeName }) => nodeName));
    telemetry.events.publish({
      object: { apiVersion: "apps/v1", kind, namespace, name, uid },
      type: "Normal",
      reason: "SurgeRestarted",
      message: `Restarted so that others stand in for ${leaving.length} of its pods, whose nodes go: ${[...goingNodes].join(", ")}`,
    });
    for (const pod of leaving) this.#reportWait(pod, rollout);
    return pollInterval;
  }

  #reportWait(pod: Pod, { kind, name }: Rollout): void {
    this.#options.telemetry.events.publish({
      object: podReference(pod),
      type: "Normal",
      reason: "AwaitingReplacement",
      message: `Stays on its node, which goes, until the rollout of ${kind} "${name}" has replaced it`,
      sameAs: [pod.uid],
    });
  }

  #giveUp(key: string, leaving: readonly Pod[], reason: string): number {
    const pods = this.#owners.get(key);
    for (const pod of leaving) {
      pods?.set(podKey(pod), "given-up");
      this.#evictions.add(pod);
      this.#options.telemetry.events.publish({
        object: podReference(pod),
        type: "Warning",
        reason: "SurgeImpossible",
        message: `Evicted before another pod stands in for it, although annotated ${drainStrategyAnnotation}=surge: ${reason}`,
        sameAs: [pod.uid],
      });
    }
    return pollInterval;
  }
}

/** Pods without an owner share nothing. */
function ownerKey(pod: Pod): string {
  const { kind, name } = controllerOf(pod) ?? { kind: "Pod", name: pod.name };
  return `${pod.namespace}/${kind}/${name}`;
}
