import type { Labels } from "../../../bench/wire.ts";
import type { WatchEvent } from "./object-watch.ts";

interface Metadata {
  readonly uid: string;
  readonly name: string;
  readonly labels?: Labels;
}

export interface WirePod {
  readonly metadata: Metadata;
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase?: string };
}

export interface WireNode {
  readonly metadata: Metadata;
  readonly spec: { readonly providerID?: string };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export interface WireClaim {
  readonly metadata: Metadata;
  readonly status?: { readonly providerID?: string };
}

/** What became of a pod, in seconds since the start. */
export interface PodHistory {
  readonly createdAt: number;
  readonly nodeName?: string;
  /** Bound to a node. */
  readonly scheduledAt?: number;
  readonly runningAt?: number;
  readonly deletedAt?: number;
}

export interface NodeHistory {
  readonly name: string;
  readonly providerId: string | undefined;
  readonly joinedAt: number;
  readonly readyAt?: number;
}

export interface ClaimHistory {
  readonly createdAt: number;
  readonly deletedAt?: number;
  readonly providerId?: string;
  /** Undefined until the machine is launched. */
  readonly pricePerHour?: number;
}

export interface RaceRecordOptions {
  /** In seconds since the start. */
  readonly now: () => number;
  readonly priceOf: (labels: Labels) => number | undefined;
}

/**
 * Notes when pods, nodes and NodeClaims come, change and go. The times are those at which the changes arrive here: the
 * times in the objects are whole seconds.
 */
export class RaceRecord {
  readonly #options: RaceRecordOptions;
  readonly #pods = new Map<string, PodHistory>();
  readonly #nodes = new Map<string, NodeHistory>();
  readonly #claims = new Map<string, ClaimHistory>();
  #running = 0;
  #lastChangeAt = 0;

  constructor(options: RaceRecordOptions) {
    this.#options = options;
  }

  /** Pods that run now. */
  get running(): number {
    return this.#running;
  }

  /** When a pod or a NodeClaim last came or went, or a pod last started to run. */
  get lastChangeAt(): number {
    return this.#lastChangeAt;
  }

  get pods(): PodHistory[] {
    return [...this.#pods.values()];
  }

  get nodes(): NodeHistory[] {
    return [...this.#nodes.values()];
  }

  get claims(): ClaimHistory[] {
    return [...this.#claims.values()];
  }

  takePod({ type, object: { metadata, spec, status } }: WatchEvent<WirePod>): void {
    const now = this.#options.now();
    const known = this.#pods.get(metadata.uid);
    const pod = known ?? { createdAt: now };
    const { nodeName } = spec;
    const isRunning = status.phase === "Running";
    const next: PodHistory = {
      ...pod,
      ...(nodeName === undefined || pod.scheduledAt !== undefined ? {} : { nodeName, scheduledAt: now }),
      ...(isRunning && pod.runningAt === undefined ? { runningAt: now } : {}),
      ...(type === "DELETED" ? { deletedAt: now } : {}),
    };
    this.#pods.set(metadata.uid, next);
    this.#running += (runs(next) ? 1 : 0) - (runs(pod) ? 1 : 0);
    if (known === undefined || type === "DELETED" || runs(next) !== runs(pod)) this.#lastChangeAt = now;
  }

  takeNode({ object: { metadata, spec, status } }: WatchEvent<WireNode>): void {
    const now = this.#options.now();
    const node = this.#nodes.get(metadata.uid) ?? {
      name: metadata.name,
      providerId: spec.providerID,
      joinedAt: now,
    };
    const isReady = status.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True");
    const readyNow = isReady === true && node.readyAt === undefined;
    this.#nodes.set(metadata.uid, { ...node, ...(readyNow ? { readyAt: now } : {}) });
  }

  takeClaim({ type, object: { metadata, status } }: WatchEvent<WireClaim>): void {
    const now = this.#options.now();
    const known = this.#claims.get(metadata.uid);
    const claim = known ?? { createdAt: now };
    const pricePerHour = claim.pricePerHour ?? this.#options.priceOf(metadata.labels ?? {});
    const providerId = claim.providerId ?? (status?.providerID || undefined);
    this.#claims.set(metadata.uid, {
      ...claim,
      ...(pricePerHour === undefined ? {} : { pricePerHour }),
      ...(providerId === undefined ? {} : { providerId }),
      ...(type === "DELETED" ? { deletedAt: now } : {}),
    });
    if (known === undefined || type === "DELETED") this.#lastChangeAt = now;
  }
}

function runs({ runningAt, deletedAt }: PodHistory): boolean {
  return runningAt !== undefined && deletedAt === undefined;
}
