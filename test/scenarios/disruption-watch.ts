import type { Node } from "kubernetes-types/core/v1.js";
import { readNodePoolObject } from "../../src/core/api/read-node-pool-object.ts";
import { isWithinWindow } from "../../src/core/model/cron-schedule.ts";
import { initializedLabel, nodePoolLabel } from "../../src/core/model/labels.ts";
import { replacesAnnotation } from "../../src/core/model/move-annotations.ts";
import type { NodeBudget } from "../../src/core/model/pool-disruption.ts";
import type { KubeObject } from "../../src/embedded/kube-object.ts";
import type { StoredEvent } from "../../src/embedded/storage/stored-event.ts";
import type { WholeController } from "../support/whole-controller.ts";

const disruptedTaint = "karpenter.sh/disrupted";
const replacementsAnnotation = "karpenter.sh/replacements";
/** How long after a change somebody may still act by what was before: when all is well, and when it is not. */
const usualDelay = 2_000;
const troubledDelay = 60_000;

interface SeenClaim {
  readonly name: string;
  readonly poolName: string;
  readonly providerId: string;
  readonly isTerminating: boolean;
  readonly isDeleted: boolean;
  /** Why it goes by a decision of ours; it stays so when it is deleted. */
  readonly reason: string | undefined;
}

interface SeenNode {
  readonly isTainted: boolean;
  readonly isInitialized: boolean;
}

/** What was, until when; the last is what is now. */
interface Past<T> {
  readonly value: T;
  readonly until: number;
}

/** Sees every node that goes by a decision of the controller in the moment it begins to, and whether its pool allows it. */
export class DisruptionWatch {
  readonly #whole: WholeController;
  readonly #claims = new Map<string, SeenClaim>();
  readonly #nodes = new Map<string, SeenNode>();
  readonly #budgets = new Map<string, Past<readonly NodeBudget[]>[]>();
  readonly #counts = new Map<string, Past<number>[]>();
  #breaches: string[] = [];
  /** When something was last wrong with the API or the process. */
  disturbedAt = Number.NEGATIVE_INFINITY;
  /** How many nodes went by choice so far, by reason. */
  readonly chosen = new Map<string, number>();

  constructor(whole: WholeController) {
    this.#whole = whole;
    this.#follow("karpenter.sh/v1", "NodePool", (event) => this.#takePool(event));
    this.#follow("v1", "Node", (event) => this.#takeNode(event));
    this.#follow("karpenter.sh/v1", "NodeClaim", (event) => this.#takeClaim(event));
  }

  /** What went beyond its budget since it was last asked for. */
  takeBreaches(): readonly string[] {
    const breaches = this.#breaches;
    this.#breaches = [];
    return [...breaches, ...this.#doubled()];
  }

  /** Names of nodes and claims that are marked to go and that nobody has asked to go, and whether something replaces them. */
  get marked(): readonly { readonly name: string; readonly isReplaced: boolean }[] {
    const replaced = new Set(this.#replacements.flatMap(({ replaces }) => replaces));
    return [...this.#claims.values()]
      .filter((claim) => !claim.isDeleted && (claim.reason !== undefined || this.#nodeOf(claim)?.isTainted === true))
      .map(({ name }) => ({ name, isReplaced: replaced.has(name) }));
  }

  /** Names of claims that say they replace others which stay, although those are not marked. */
  get idleReplacements(): readonly string[] {
    const staying = new Set([...this.#claims.values()].filter(({ isDeleted }) => !isDeleted).map(({ name }) => name));
    const marked = new Set(this.marked.map(({ name }) => name));
    return this.#replacements
      .filter(({ replaces }) => replaces.some((name) => staying.has(name) && !marked.has(name)))
      .map(({ name }) => name);
  }

  get #replacements() {
    return this.#whole
      .list("karpenter.sh/v1", "NodeClaim")
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata: { name, annotations } }) => ({
        name,
        replaces: annotations?.[replacesAnnotation]?.split(",") ?? [],
        together: annotations?.[replacementsAnnotation] ?? "",
      }));
  }

  *#doubled(): Generator<string> {
    const staying = new Set([...this.#claims.values()].filter(({ isDeleted }) => !isDeleted).map(({ name }) => name));
    const groups = new Map<string, string>();
    for (const { replaces, together } of this.#replacements) {
      for (const name of replaces.filter((one) => staying.has(one))) {
        const other = groups.get(name) ?? together;
        if (other !== together) yield `claim ${name} is replaced twice: by ${other} and by ${together}`;
        groups.set(name, together);
      }
    }
  }

  #follow(apiVersion: string, kind: string, take: (event: StoredEvent) => void): void {
    const { api } = this.#whole.cluster;
    const definition = api.registry.ofKind(apiVersion, kind);
    if (definition === undefined) throw new Error(`Nothing serves ${kind}`);
    api.collection(definition).subscribe(take);
  }

  #takePool({ type, object }: StoredEvent): void {
    const { name } = object.metadata;
    const read = readNodePoolObject(object);
    if (type === "DELETED" || read.problems !== undefined) return;
    this.#append(this.#budgets, name, read.value.disruption.budgets);
  }

  #takeNode({ type, object }: StoredEvent): void {
    const { metadata, spec } = object as KubeObject & Node;
    const providerId = spec?.providerID ?? "";
    if (type === "DELETED") this.#nodes.delete(providerId);
    else {
      this.#nodes.set(providerId, {
        isTainted: spec?.taints?.some(({ key }) => key === disruptedTaint) === true,
        isInitialized: metadata.labels?.[initializedLabel] === "true",
      });
    }
    this.#count(metadata.labels?.[nodePoolLabel] ?? "");
  }

  #takeClaim({ type, object }: StoredEvent): void {
    const { metadata } = object;
    const before = this.#claims.get(metadata.uid);
    if (type === "DELETED") {
      this.#claims.delete(metadata.uid);
      this.#count(before?.poolName ?? "");
      return;
    }
    const { providerID = "", conditions = [] } = (object.status ?? {}) as {
      providerID?: string;
      conditions?: readonly { type: string; status: string; reason: string }[];
    };
    const isDeleted = metadata.deletionTimestamp !== undefined;
    const mark = conditions.find((condition) => condition.type === "DisruptionReason" && condition.status === "True");
    const claim: SeenClaim = {
      name: metadata.name,
      poolName: metadata.labels?.[nodePoolLabel] ?? "",
      providerId: providerID,
      isTerminating: conditions.some(
        (condition) => condition.type === "InstanceTerminating" && condition.status === "True",
      ),
      isDeleted,
      reason: mark?.reason ?? (isDeleted ? before?.reason : undefined),
    };
    this.#claims.set(metadata.uid, claim);
    this.#count(claim.poolName);
    if (claim.reason !== undefined && before?.reason === undefined) this.#begin(claim, claim.reason);
  }

  #begin(claim: SeenClaim, reason: string): void {
    const { poolName } = claim;
    this.chosen.set(reason, (this.chosen.get(reason) ?? 0) + 1);
    const going = this.#initialized(poolName).filter((one) => this.#goesByChoice(one));
    const allowed = this.#allowed(poolName, reason);
    if (going.length <= allowed) return;
    const names = going.map(({ name, reason: why }) => `${name} (${why ?? "tainted"})`).join(", ");
    this.#breaches.push(`pool ${poolName} lets ${allowed} nodes go for ${reason}, and these do: ${names}`);
  }

  #goesByChoice(claim: SeenClaim): boolean {
    if (claim.reason !== undefined) return true;
    return !claim.isDeleted && this.#nodeOf(claim)?.isTainted === true;
  }

  /** By the strictest budget, as it was at best since somebody last had to know of it. */
  #allowed(poolName: string, reason: string): number {
    const now = this.#whole.clock.now();
    const delay = now - this.disturbedAt < 2 * troubledDelay ? troubledDelay : usualDelay;
    const nodes = Math.max(...recent(this.#counts.get(poolName), now - delay));
    const versions = recent(this.#budgets.get(poolName), now - delay);
    const allowances = versions.flatMap((budgets) =>
      [now, now - delay].map((time) => {
        const governing = budgets.filter(({ reasons }) => reasons === undefined || reasons.has(reason as never));
        return Math.min(...governing.map((budget) => allowedBy(budget, nodes, time)));
      }),
    );
    return Math.max(...allowances);
  }

  #initialized(poolName: string): readonly SeenClaim[] {
    return [...this.#claims.values()].filter(
      (claim) => claim.poolName === poolName && !claim.isTerminating && this.#nodeOf(claim)?.isInitialized === true,
    );
  }

  #nodeOf({ providerId }: SeenClaim): SeenNode | undefined {
    return this.#nodes.get(providerId);
  }

  #count(poolName: string): void {
    const count = this.#initialized(poolName).length;
    if (this.#counts.get(poolName)?.at(-1)?.value !== count) this.#append(this.#counts, poolName, count);
  }

  #append<T>(pasts: Map<string, Past<T>[]>, key: string, value: T): void {
    const now = this.#whole.clock.now();
    const before = (pasts.get(key) ?? []).map((past) => (past.until === Infinity ? { ...past, until: now } : past));
    pasts.set(key, [...before.filter(({ until }) => until >= now - troubledDelay), { value, until: Infinity }]);
  }
}

function recent<T>(pasts: readonly Past<T>[] = [], since: number): readonly T[] {
  return pasts.filter(({ until }) => until >= since).map(({ value }) => value);
}

function allowedBy({ nodes: bound, window, problem }: NodeBudget, nodes: number, time: number): number {
  if (problem !== undefined) return 0;
  if (window !== undefined && !isWithinWindow(window, time)) return Infinity;
  return bound.kind === "count" ? bound.count : Math.ceil((nodes * bound.percent) / 100);
}
