import { isOfOldTemplate } from "../../core/api/drift-hash.ts";
import { isCatalogueDue, isForSale, judgePoolDrift, millisecondsToSoftExpiry } from "../../core/lifecycle/drift.ts";
import { isConditionTrue } from "../../core/model/condition.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import type { InspectorOptions } from "./inspector-options.ts";

/** So often it is looked again, for what nobody tells of. */
const interval = 300_000;

export type Drift =
  /** No reason when the claim is what it should be. */
  | { readonly kind: "judged"; readonly reason: string | undefined; readonly lookAgainIn: number | undefined }
  /** What is known of it stays; the pool will change soon. */
  | { readonly kind: "unknown" };

interface Answer {
  /** All that the cloud may have looked at. */
  readonly about: string;
  readonly askedAt: number;
  readonly reason: string;
}

/** Finds out whether claims are still what their pools, and the cloud, want them to be. */
export class DriftFinder {
  readonly #options: Pick<InspectorOptions, "cluster" | "cloud" | "clock">;
  /** By the uid of the claim, when its instance type was last found in the catalogue. */
  readonly #foundAt = new Map<string, number>();
  /** By the uid of the claim: clouds take their time, and pods come and go on a node all the while. */
  readonly #answers = new Map<string, Answer>();

  constructor(options: Pick<InspectorOptions, "cluster" | "cloud" | "clock">) {
    this.#options = options;
  }

  forget(uid: string): void {
    this.#foundAt.delete(uid);
    this.#answers.delete(uid);
  }

  async find(claim: NodeClaim, pool: NodePoolObject): Promise<Drift> {
    if (!isConditionTrue(claim, "Launched")) return { kind: "judged", reason: undefined, lookAgainIn: undefined };
    const isOld = isOfOldTemplate(claim, pool);
    if (isOld === undefined) return { kind: "unknown" };
    const now = this.#options.clock.now();
    const reason =
      judgePoolDrift({ claim, pool, isOfOldTemplate: isOld, now }) ??
      ((await this.#isOffTheMarket(claim, pool)) ? "InstanceTypeNotFound" : await this.#askCloud(claim, pool));
    // Once it is up it stays so, and there is nothing to wait for.
    const expiry = millisecondsToSoftExpiry(claim, pool, now) || interval;
    return { kind: "judged", reason: reason === "" ? undefined : reason, lookAgainIn: Math.min(interval, expiry) };
  }

  async #isOffTheMarket(claim: NodeClaim, pool: NodePoolObject): Promise<boolean> {
    const { cloud, clock } = this.#options;
    if (!isCatalogueDue(claim, this.#foundAt.get(claim.uid), clock.now())) return false;
    const instanceTypes = await cloud.instanceTypes(pool.nodeClassRef);
    // All nodes would drift, for a mistake of the cloud most probably, and nothing could replace them.
    if (instanceTypes.length === 0) return false;
    if (!isForSale(claim, instanceTypes, cloud.wellKnownLabels)) return true;
    this.#foundAt.set(claim.uid, clock.now());
    return false;
  }

  async #askCloud(claim: NodeClaim, pool: NodePoolObject): Promise<string> {
    const { cloud, clock } = this.#options;
    const about = this.#matter(claim, pool);
    const known = this.#answers.get(claim.uid);
    const askedAt = clock.now();
    if (known?.about === about && askedAt - known.askedAt < interval) return known.reason;
    const reason = await cloud.driftReason(claim);
    this.#answers.set(claim.uid, { about, askedAt, reason });
    return reason;
  }

  #matter(claim: NodeClaim, pool: NodePoolObject): string {
    const nodeClass = this.#options.cluster.nodeClassOf(claim.nodeClassRef);
    return JSON.stringify([
      nodeClass?.uid,
      nodeClass?.resourceVersion,
      pool.generation,
      claim.generation,
      claim.providerId,
      claim.imageId,
      [...claim.labels],
      [...claim.annotations],
    ]);
  }
}
