import type { Node, Pod } from "kubernetes-types/core/v1.js";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.js";
import { nodeNameFor } from "../../src/adapters/kwok/machine-name.ts";
import { deadlineAnnotation } from "../../src/core/model/deadline.ts";
import type { KubeObject } from "../../src/embedded/kube-object.ts";
import { matcherOf } from "../../src/embedded/label-matcher.ts";
import type { StoredEvent } from "../../src/embedded/storage/stored-event.ts";
import type { WholeController } from "../support/whole-controller.ts";

type StoredPod = KubeObject & Pod;
type StoredBudget = KubeObject & PodDisruptionBudget;

/** As long as there may be between two looks. */
const lately = 10_000;

/** A pod that went while a budget needed it. */
interface Loss {
  readonly podName: string;
  readonly budget: StoredBudget;
  readonly healthyLeft: number;
}

/** Sees every pod go, in the moment it does, and whether its budget could do without it. */
export class BudgetWatch {
  readonly #whole: WholeController;
  /** Of the nodes that there are or were, by name. */
  readonly #nodeUids = new Map<string, string>();
  /** Names of those that were not ready when they were last seen: their cloud may say that they are gone, pods and all. */
  readonly #dead = new Set<string>();
  /** By when claims that go must be gone, by the name of their node. */
  readonly #deadlines = new Map<string, number>();
  /** The node that each pod was last on, by `namespace/name`. */
  readonly #nodesOfPods = new Map<string, string>();
  /** When each pod went whose time was up, by `namespace/name`: another may have its name at once. */
  readonly #overdueAt = new Map<string, number>();
  #losses: Loss[] = [];

  constructor(whole: WholeController) {
    this.#whole = whole;
    this.#follow("v1", "Node", ({ object }) => this.#takeNode(object));
    this.#follow("karpenter.sh/v1", "NodeClaim", ({ object }) => this.#takeClaim(object));
    this.#follow("v1", "Pod", (event) => this.#takePod(event));
  }

  #follow(apiVersion: string, kind: string, take: (event: StoredEvent) => void): void {
    const { api } = this.#whole.cluster;
    const definition = api.registry.ofKind(apiVersion, kind);
    if (definition === undefined) throw new Error(`Nothing serves ${kind}`);
    api.collection(definition).subscribe(take);
  }

  /** Whether the claim of its node set a time, and it is so late that this pod has to go, or had to lately. */
  isOverdue(key: string, graceSeconds = 30): boolean {
    return this.#isOverdueNow(key, graceSeconds) || this.#whole.clock.now() - (this.#overdueAt.get(key) ?? 0) < lately;
  }

  #isOverdueNow(key: string, graceSeconds = 30): boolean {
    const deadline = this.#deadlines.get(this.#nodesOfPods.get(key) ?? "") ?? Infinity;
    return this.#whole.clock.now() >= deadline - graceSeconds * 1_000;
  }

  /** What budgets have lost since it was last asked for, by what they want now: those who scale down need fewer. */
  takeBreaches(): readonly string[] {
    const losses = this.#losses;
    this.#losses = [];
    const current = new Map(this.#budgets.map((budget) => [budget.metadata.uid, budget]));
    return losses.flatMap(({ podName, budget, healthyLeft }) => {
      const now = current.get(budget.metadata.uid)?.status?.desiredHealthy ?? 0;
      const desired = Math.min(now, budget.status?.desiredHealthy ?? 0);
      const { name } = budget.metadata;
      return healthyLeft < desired
        ? [`budget "${name}" wants ${desired} and had ${healthyLeft} without ${podName}`]
        : [];
    });
  }

  get #budgets(): readonly StoredBudget[] {
    return this.#whole.list("policy/v1", "PodDisruptionBudget") as StoredBudget[];
  }

  get #pods(): readonly StoredPod[] {
    return this.#whole.list("v1", "Pod") as StoredPod[];
  }

  #takeNode(object: KubeObject): void {
    const {
      metadata: { name, uid },
      status,
    } = object as KubeObject & Node;
    this.#nodeUids.set(name, uid);
    if (isReady(status)) this.#dead.delete(name);
    else this.#dead.add(name);
  }

  #takeClaim({ metadata }: KubeObject): void {
    const deadline = Date.parse(metadata.annotations?.[deadlineAnnotation] ?? "");
    if (!Number.isNaN(deadline)) this.#deadlines.set(nodeNameFor(metadata), deadline);
  }

  #takePod({ type, object, previous }: StoredEvent): void {
    const pod = object as StoredPod;
    if (pod.spec?.nodeName !== undefined) this.#nodesOfPods.set(keyOf(pod), pod.spec.nodeName);
    const before = previous as StoredPod | undefined;
    const goes = type === "DELETED" || pod.metadata.deletionTimestamp !== undefined;
    if (goes && this.#isOverdueNow(keyOf(pod))) this.#overdueAt.set(keyOf(pod), this.#whole.clock.now());
    if (!goes || before === undefined || !isHealthy(before) || this.#isExcused(before)) return;
    for (const budget of this.#budgets) {
      if (!covers(budget, before)) continue;
      const left = this.#pods.filter(
        (other) => other.metadata.uid !== pod.metadata.uid && isHealthy(other) && covers(budget, other),
      );
      this.#losses.push({ podName: pod.metadata.name, budget, healthyLeft: left.length });
    }
  }

  /** Somebody else took it, or its node, or there are more than its owner wants; or its time was up. */
  #isExcused(pod: StoredPod): boolean {
    const { deletedByHand, released } = this.#whole;
    const nodeUid = this.#nodeUids.get(pod.spec?.nodeName ?? "") ?? "";
    if (deletedByHand.has(pod.metadata.uid) || released.has(nodeUid)) return true;
    if (this.#dead.has(pod.spec?.nodeName ?? "") || wasAllowed(pod)) return true;
    return this.#isSurplus(pod) || this.#isOverdueNow(keyOf(pod), pod.spec?.terminationGracePeriodSeconds);
  }

  #isSurplus({ metadata }: StoredPod): boolean {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller);
    if (owner?.kind !== "ReplicaSet") return false;
    const set = this.#whole.list(owner.apiVersion, owner.kind).find((one) => one.metadata.uid === owner.uid);
    const { replicas = 0 } = (set?.spec ?? {}) as { replicas?: number };
    const siblings = this.#pods.filter(
      (other) =>
        other.metadata.uid !== metadata.uid &&
        other.metadata.deletionTimestamp === undefined &&
        other.metadata.ownerReferences?.some(({ uid }) => uid === owner.uid),
    );
    return siblings.length >= replicas;
  }
}

function keyOf({ metadata: { namespace, name } }: KubeObject): string {
  return `${namespace}/${name}`;
}

function isReady(status: { readonly conditions?: readonly { type: string; status: string }[] } | undefined): boolean {
  return status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true;
}

function isHealthy({ metadata, status }: StoredPod): boolean {
  return isReady(status) && metadata.deletionTimestamp === undefined;
}

/** The server asked its budget, which may not have known yet of another that had just gone. */
function wasAllowed({ status }: StoredPod): boolean {
  return status?.conditions?.some(({ reason }) => reason === "EvictionByEvictionAPI") === true;
}

function covers({ metadata: { namespace }, spec }: StoredBudget, { metadata }: StoredPod): boolean {
  return namespace === metadata.namespace && matcherOf(spec?.selector).matches(metadata.labels ?? {});
}
