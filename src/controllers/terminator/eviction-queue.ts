import { nodeReference, podReference } from "../../core/api/references.ts";
import { writeTime } from "../../core/api/write-time.ts";
import { findCondition } from "../../core/model/condition.ts";
import { deadlineOf } from "../../core/model/deadline.ts";
import { covers, type DisruptionBudget, isEvictable } from "../../core/model/disruption-budget.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import type { Pod } from "../../core/model/pod.ts";
import { type ForcedDeletion, forcedDeletion } from "../../core/termination/plan-drain.ts";
import { type KubeRefusal, orThrow } from "../../runtime/kube-client.ts";
import { pods } from "../../runtime/resources.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import { findPod, podKey } from "./pod-key.ts";
import type { TerminatorOptions } from "./terminator-options.ts";

const firstBackoff = 100;
const longestBackoff = 10_000;

interface Entry {
  /** How often it has been refused since it was last told that it may go. */
  attempts: number;
  /** It may go, and only has to be seen to. */
  isGranted: boolean;
}

/** Asks pods out of their nodes, each until it goes. */
export class EvictionQueue {
  readonly #options: TerminatorOptions;
  readonly #loop: WorkLoop;
  /** By the key of the pod. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: TerminatorOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#loop = new WorkLoop({
      name: "eviction-queue",
      reconcile: (key) => this.#reconcile(key),
      clock,
      telemetry,
      concurrency: 100,
      firstBackoff,
      longestBackoff,
    });
  }

  /** From now until the pod goes or must not be asked any more. */
  add(pod: Pod): void {
    if (!this.#entries.has(podKey(pod))) this.hurry(pod);
  }

  /** Whether the pod may go, although it has not been seen to yet. */
  isGranted(pod: Pod): boolean {
    return this.#entries.get(podKey(pod))?.isGranted === true;
  }

  /** At once, however long it was going to wait. */
  hurry(pod: Pod): void {
    const key = podKey(pod);
    if (!this.#entries.has(key)) this.#entries.set(key, { attempts: 0, isGranted: false });
    this.#loop.enqueue(key);
  }

  /** A budget that allows more than before lets that many pods try again. */
  onBudgetChange(before: DisruptionBudget | undefined, after: DisruptionBudget | undefined): void {
    const budget = after ?? before;
    if (budget === undefined) return;
    let left = after === undefined ? Infinity : after.disruptionsAllowed;
    for (const [key, entry] of this.#entries) {
      if (left <= 0) return;
      const pod = entry.attempts === 0 ? undefined : findPod(this.#options.cluster, key);
      if (pod === undefined || !covers(budget, pod)) continue;
      left--;
      entry.attempts = 0;
      this.#loop.enqueue(key);
    }
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #reconcile(key: string): Promise<number | undefined> {
    const { cluster, clock } = this.#options;
    const entry = this.#entries.get(key);
    const pod = findPod(cluster, key);
    const node = pod === undefined ? undefined : cluster.nodes.get(pod.nodeName);
    const now = clock.now();
    if (entry === undefined || pod === undefined || node === undefined) return this.#drop(key);
    const claims = cluster.claimsOf(node);
    const claim = claims.length === 1 ? claims[0] : undefined;
    const deadline = deadlineOf(claim);
    const forced = forcedDeletion(pod, { deadline, now });
    if (forced === undefined && !isEvictable(pod, now)) return this.#drop(key);
    entry.isGranted =
      forced !== undefined && deadline !== undefined
        ? await this.#delete(forced, deadline)
        : await this.#evict(pod, node, claim);
    entry.attempts = entry.isGranted ? 0 : entry.attempts + 1;
    // The pod stays on the list until it is seen to go.
    return entry.isGranted ? longestBackoff : Math.min(firstBackoff * 2 ** (entry.attempts - 1), longestBackoff);
  }

  #drop(key: string): undefined {
    this.#entries.delete(key);
  }

  async #delete({ pod, graceSeconds }: ForcedDeletion, deadline: number): Promise<boolean> {
    const { kube, telemetry } = this.#options;
    const { namespace, name, uid } = pod;
    const answer = await kube.delete(pods, { namespace, name }, { uid, graceSeconds });
    if (!answer.ok && isAboutAnotherPod(answer.refusal)) return false;
    orThrow(answer, `delete pod "${namespace}/${name}"`);
    telemetry.events.publish({
      object: podReference(pod),
      type: "Normal",
      reason: "Disrupted",
      message:
        `Deleted because its node goes at ${writeTime(deadline)}, whatever budgets and annotations say; ` +
        `it has ${graceSeconds} s of its ${pod.graceSeconds} s to end`,
      sameAs: [uid],
    });
    return true;
  }

  async #evict(pod: Pod, node: NodeObject, claim: NodeClaim | undefined): Promise<boolean> {
    const { kube, telemetry } = this.#options;
    const { namespace, name, uid } = pod;
    const answer = await kube.createSubresource(
      pods,
      { namespace, name, subresource: "eviction" },
      {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { namespace, name },
        deleteOptions: { preconditions: { uid } },
      },
    );
    telemetry.metrics.add("pods_eviction_requests_total", { code: answer.ok ? "200" : String(answer.refusal.code) });
    if (answer.ok) {
      const reason = evictionReason(claim);
      telemetry.events.publish({
        object: podReference(pod),
        type: "Normal",
        reason: "Evicted",
        message: `Evicted pod: ${reason}`,
        sameAs: [uid],
      });
      telemetry.metrics.add("pods_drained_total", { reason });
      return true;
    }
    const { refusal } = answer;
    if (isAboutAnotherPod(refusal)) return false;
    if (!isVerdict(refusal)) orThrow(answer, `evict pod "${namespace}/${name}"`);
    telemetry.events.publish({
      object: nodeReference(node),
      type: "Warning",
      reason: "FailedDraining",
      message: `Cannot evict pod "${namespace}/${name}", trying again: ${refusal.message}`,
      sameAs: [node.uid, refusal.message],
    });
    return false;
  }
}

/** Gone, or replaced by one of the same name. */
function isAboutAnotherPod({ code }: KubeRefusal): boolean {
  return code === 404 || code === 409;
}

/** Somebody decided against the eviction: a budget, several of them, or a webhook. The rest is the server's trouble. */
function isVerdict({ code, message }: KubeRefusal): boolean {
  return code < 500 || message.includes("PodDisruptionBudget") || message.includes("webhook");
}

function evictionReason(claim: NodeClaim | undefined): string {
  const condition = claim === undefined ? undefined : findCondition(claim, "DisruptionReason");
  return condition?.status === "True" ? condition.reason : "Forceful Termination";
}
