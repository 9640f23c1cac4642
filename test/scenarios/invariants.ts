import type { Node, Pod } from "kubernetes-types/core/v1.js";
import { nodeNameFor } from "../../src/adapters/kwok/machine-name.ts";
import { claimAnnotation } from "../../src/adapters/kwok/make-node.ts";
import { nodePoolLabel } from "../../src/core/model/labels.ts";
import { parseQuantity } from "../../src/core/model/quantity.ts";
import type { WholeController } from "../support/whole-controller.ts";
import { BudgetWatch } from "./budget-watch.ts";
import { DisruptionWatch } from "./disruption-watch.ts";

/** How long anything may stay as it must not stay, once the controller runs undisturbed. */
export interface Patience {
  /** Until a pod that waits has a place or has been told why not. */
  readonly pod: number;
  /** Until a machine that no claim stands for is gone. */
  readonly machine: number;
  /** Until a node that is marked to go, with nothing that would take its place, goes or is no longer marked. */
  readonly mark: number;
  /** The same, when something takes its place, which has to be up first. */
  readonly replacement: number;
}

const collectionInterval = 120_000;
const usual: Patience = {
  pod: 60_000,
  machine: collectionInterval + 30_000,
  mark: 60_000,
  replacement: 720_000,
};

interface Claim {
  readonly metadata: {
    name: string;
    uid: string;
    creationTimestamp: string;
    deletionTimestamp?: string;
    labels?: Record<string, string>;
  };
  readonly status?: {
    readonly providerID?: string;
    readonly capacity?: Record<string, string>;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

interface Pool {
  readonly metadata: { readonly name: string; readonly generation?: number };
  readonly spec: { readonly limits?: Record<string, string> };
}

const milestones = ["Launched", "Registered", "Initialized"];

/** Watches over a cluster from the outside, and says what must not be. */
export class Invariants {
  readonly #whole: WholeController;
  readonly #patience: Patience;
  readonly #budgets: BudgetWatch;
  readonly disruption: DisruptionWatch;
  /** When something was first seen that may only last for a while. */
  readonly #since = new Map<string, number>();
  /** The milestones that each claim has reached, by uid. */
  readonly #reached = new Map<string, number>();
  /** Uids of the nodes that each claim ever had, by uid. */
  readonly #machines = new Map<string, Set<string>>();
  /** When each pool was last changed by somebody. */
  readonly #edited = new Map<string, { readonly generation: number; readonly at: number }>();
  /** When pods were last told why they have no place, by uid. */
  readonly #toldAt = new Map<string, number>();
  #heard = 0;
  #calmSince = 0;
  #sentSeen = 0;

  constructor(whole: WholeController, patience: Partial<Patience> = {}) {
    this.#whole = whole;
    this.#patience = { ...usual, ...patience };
    this.#budgets = new BudgetWatch(whole);
    this.disruption = new DisruptionWatch(whole);
  }

  /** What counts from now on, because something was done to the controller or its API. */
  disturb(): void {
    this.#calmSince = this.#whole.clock.now();
    this.disruption.disturbedAt = this.#calmSince;
  }

  /** What is wrong now; nothing, if all is well. */
  check(): readonly string[] {
    const claims = this.#whole.list("karpenter.sh/v1", "NodeClaim") as unknown as readonly Claim[];
    const nodes = this.#whole.list("v1", "Node") as unknown as readonly StoredNode[];
    const pods = this.#whole.list("v1", "Pod") as unknown as readonly StoredPod[];
    const lasting = [...this.#orphans(claims, nodes), ...this.#forgotten(pods, claims, nodes), ...this.#leftovers()];
    return [
      ...this.#lastingTooLong(lasting),
      ...this.#twins(claims, nodes),
      ...this.#setbacks(claims),
      ...this.#excesses(claims, nodes),
      ...this.#forcedDeletions(),
      ...this.#budgets.takeBreaches(),
      ...this.disruption.takeBreaches(),
    ];
  }

  #lastingTooLong(found: readonly Lasting[]): readonly string[] {
    const now = this.#whole.clock.now();
    const keys = new Set(found.map(({ key }) => key));
    for (const key of this.#since.keys()) if (!keys.has(key)) this.#since.delete(key);
    return found.flatMap(({ key, mostMilliseconds, message }) => {
      const since = this.#since.get(key) ?? now;
      this.#since.set(key, since);
      const lasted = now - Math.max(since, this.#calmSince);
      return lasted > mostMilliseconds ? [`${message} for ${lasted / 1000} s`] : [];
    });
  }

  *#orphans(claims: readonly Claim[], nodes: readonly StoredNode[]): Generator<Lasting> {
    const known = new Set(claims.flatMap(({ metadata, status }) => [nodeNameFor(metadata), status?.providerID ?? ""]));
    for (const { metadata, spec } of nodes) {
      const providerId = spec?.providerID ?? "";
      // One that is on its way out goes when its pods have gone.
      if (!providerId.startsWith("kwok://") || metadata.deletionTimestamp !== undefined) continue;
      if (known.has(metadata.name) || known.has(providerId)) continue;
      const key = `machine ${metadata.uid}`;
      yield { key, mostMilliseconds: this.#patience.machine, message: `machine ${metadata.name} has no claim` };
    }
    const names = new Set(nodes.map(({ spec }) => spec?.providerID));
    for (const { metadata, status } of claims) {
      if (reached(status) < 2 || names.has(status?.providerID)) continue;
      const key = `claim ${metadata.uid}`;
      yield { key, mostMilliseconds: this.#patience.machine, message: `claim ${metadata.name} has lost its machine` };
    }
  }

  /** What says that it goes or replaces something, although nobody is about to do that. */
  *#leftovers(): Generator<Lasting> {
    const { mark, replacement } = this.#patience;
    for (const { name, isReplaced } of this.disruption.marked) {
      const mostMilliseconds = isReplaced ? replacement : mark;
      yield { key: `mark ${name} ${isReplaced}`, mostMilliseconds, message: `claim ${name} is marked to go` };
    }
    for (const name of this.disruption.idleReplacements) {
      yield { key: `replacement ${name}`, mostMilliseconds: mark, message: `claim ${name} replaces what stays` };
    }
  }

  /** A pod is remembered when it is meant for a machine that is on its way, or has been told why there is none. */
  *#forgotten(pods: readonly StoredPod[], claims: readonly Claim[], nodes: readonly StoredNode[]): Generator<Lasting> {
    if (!this.#whole.isRunning) return;
    const { intendedPods } = this.#whole.controller.cluster;
    const claimNames = new Set(claims.map(({ metadata }) => metadata.name));
    const nodeNames = new Set(nodes.map(({ metadata }) => metadata.name));
    this.#listen();
    for (const { metadata, spec, status } of pods) {
      const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
      if (spec?.nodeName !== undefined || scheduled?.reason !== "Unschedulable" || metadata.deletionTimestamp) continue;
      if (isOfDaemonSet(metadata)) continue;
      const isMeant = claimNames.has(intendedPods.claimOf(metadata.uid) ?? "");
      if (isMeant || nodeNames.has(status?.nominatedNodeName ?? "") || this.#isTold(metadata.uid)) continue;
      const key = `pod ${metadata.uid}`;
      yield { key, mostMilliseconds: this.#patience.pod, message: `pod ${metadata.name} is forgotten` };
    }
  }

  /** Names of pods that have been without a node for a while and have not been told why lately. */
  get unexplained(): readonly string[] {
    const longAgo = this.#whole.clock.now() - this.#patience.pod;
    return (this.#whole.list("v1", "Pod") as unknown as readonly StoredPod[])
      .filter(({ metadata, spec }) => spec?.nodeName === undefined && !isOfDaemonSet(metadata))
      .filter(
        ({ metadata: { creationTimestamp, uid } }) =>
          Date.parse(creationTimestamp ?? "") < longAgo && !this.#isTold(uid),
      )
      .map(({ metadata }) => metadata.name);
  }

  #listen(): void {
    const { happenings } = this.#whole.telemetry;
    for (const { reason, object } of happenings.slice(this.#heard)) {
      if (reason === "FailedScheduling") this.#toldAt.set(object.uid, this.#whole.clock.now());
    }
    this.#heard = happenings.length;
  }

  /** Lately: what is said once is no sign that the pod is still thought of. */
  #isTold(uid: string): boolean {
    return this.#whole.clock.now() - (this.#toldAt.get(uid) ?? Number.NEGATIVE_INFINITY) < 60_000;
  }

  /** A claim has one machine in all its life, unless somebody deletes it, and a machine is of one claim. */
  *#twins(claims: readonly Claim[], nodes: readonly StoredNode[]): Generator<string> {
    const uids = new Map(claims.map(({ metadata }) => [metadata.name, metadata.uid]));
    for (const { metadata } of nodes) {
      const uid = uids.get(metadata.annotations?.[claimAnnotation] ?? "");
      if (uid === undefined) continue;
      const machines = this.#machines.get(uid) ?? new Set();
      this.#machines.set(uid, machines.add(metadata.uid));
      const own = [...machines].filter((machine) => !this.#whole.deletedByHand.has(machine));
      if (own.length > 1) yield `the claim of ${metadata.name} was launched ${own.length} times`;
    }
    const seen = new Map<string, string>();
    for (const { metadata, status } of claims) {
      const other = seen.get(status?.providerID ?? "");
      if (other !== undefined) yield `claims ${other} and ${metadata.name} have the same machine`;
      if (status?.providerID !== undefined) seen.set(status.providerID, metadata.name);
    }
  }

  *#setbacks(claims: readonly Claim[]): Generator<string> {
    for (const { metadata, status } of claims) {
      const now = reached(status);
      const before = this.#reached.get(metadata.uid) ?? 0;
      this.#reached.set(metadata.uid, now);
      if (now < before) yield `claim ${metadata.name} was ${milestones[before - 1]} and is not any more`;
      const later = milestones.slice(now + 1).find((type) => isTrue(status, type));
      if (later !== undefined) yield `claim ${metadata.name} is ${later} before it is ${milestones[now]}`;
    }
  }

  /** Limits hold for what is bought; what was there when they were lowered may stay, and what goes does not count. */
  *#excesses(claims: readonly Claim[], nodes: readonly StoredNode[]): Generator<string> {
    const now = this.#whole.clock.now();
    const leaving = new Set(
      nodes.filter(({ metadata }) => metadata.deletionTimestamp).map(({ spec }) => spec?.providerID),
    );
    for (const { metadata, spec } of this.#whole.list("karpenter.sh/v1", "NodePool") as unknown as readonly Pool[]) {
      const { name, generation = 0 } = metadata;
      if (this.#edited.get(name)?.generation !== generation) this.#edited.set(name, { generation, at: now });
      const editedAt = this.#edited.get(name)?.at ?? now;
      const own = claims.filter(
        ({ metadata: { labels, deletionTimestamp }, status }) =>
          labels?.[nodePoolLabel] === name && !deletionTimestamp && !leaving.has(status?.providerID),
      );
      const isBought = own.some(
        ({ metadata: { creationTimestamp } }) => Date.parse(creationTimestamp) > editedAt + 5_000,
      );
      for (const [resource, limit] of Object.entries(spec.limits ?? {})) {
        const used = own.reduce(
          (sum, { status }) => sum + amount(resource === "nodes" ? "1" : status?.capacity?.[resource]),
          0,
        );
        if (used > amount(limit) && (isBought || generation === 1))
          yield `pool ${name} has ${used / 1e9} of ${limit} ${resource} in ${own.length} claims`;
      }
    }
  }

  /** Pods are deleted instead of evicted only when the claim sets a time by which its node must be gone, and it has come. */
  *#forcedDeletions(): Generator<string> {
    const { sent } = this.#whole;
    const fresh = sent.slice(this.#sentSeen);
    this.#sentSeen = sent.length;
    for (const { request, status } of fresh) {
      const [, namespace, name] = /\/namespaces\/([^/]+)\/pods\/([^/?]+)$/.exec(request.path) ?? [];
      if (request.method !== "DELETE" || name === undefined || status !== 200) continue;
      if (!this.#budgets.isOverdue(`${namespace}/${name}`)) yield `pod ${name} was deleted before its time`;
    }
  }
}

interface Lasting {
  readonly key: string;
  readonly mostMilliseconds: number;
  readonly message: string;
}

type Stored<T extends { metadata?: object }> = T & {
  readonly metadata: NonNullable<T["metadata"]> & { name: string; uid: string };
};
type StoredNode = Stored<Node>;
type StoredPod = Stored<Pod>;

/** Where it runs is not for us to say. */
function isOfDaemonSet({ ownerReferences = [] }: StoredPod["metadata"]): boolean {
  return ownerReferences.some(({ kind }) => kind === "DaemonSet");
}

function isTrue(status: Claim["status"], type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
}

/** How many milestones it has reached in order. */
function reached(status: Claim["status"]): number {
  const missing = milestones.findIndex((type) => !isTrue(status, type));
  return missing < 0 ? milestones.length : missing;
}

function amount(text: string | undefined): number {
  return Number(parseQuantity(text ?? "0") ?? 0);
}
