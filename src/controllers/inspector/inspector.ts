import { nodePoolHashVersionAnnotation } from "../../core/api/drift-hash.ts";
import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { writeConditions } from "../../core/api/write-conditions.ts";
import type { Change } from "../../core/cluster/collection.ts";
import { judgeQuiet, type Quiet } from "../../core/lifecycle/consolidatable.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import { type ConditionChange, changeConditions, findCondition } from "../../core/model/condition.ts";
import { nodePoolLabel } from "../../core/model/labels.ts";
import { claimReadiness, type NodeClaim } from "../../core/model/node-claim.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import { softExpireAfterAnnotation } from "../../core/model/pool-disruption.ts";
import { patchStatus } from "../../runtime/patch-status.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import { type Drift, DriftFinder } from "./drift-finder.ts";
import type { InspectorOptions } from "./inspector-options.ts";

const name = "nodeclaim.disruption";
const concurrency = 100;
/** Somebody else wrote meanwhile, and what they wrote is on its way to us. */
const soon = 10;

/**
 * Says on each claim what is the matter with it: Drifted, when it is not what is wanted any more, and Consolidatable,
 * when it has been quiet for long enough. What to do about it is decided by others.
 */
export class Inspector {
  readonly #options: InspectorOptions;
  readonly #loop: WorkLoop;
  readonly #drift: DriftFinder;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: InspectorOptions) {
    this.#options = options;
    this.#drift = new DriftFinder(options);
    const { clock, telemetry } = options;
    this.#loop = new WorkLoop({ name, clock, telemetry, concurrency, reconcile: (key) => this.#inspect(key) });
  }

  start(): void {
    const { claims, pools, nodeClasses } = this.#options.cluster;
    for (const claim of claims.values()) this.#loop.enqueue(claim.name);
    this.#unsubscribe.push(
      // Pods count by the time that is noted on the claim when they come and go.
      claims.onChange(({ key, before, after }) => {
        if (before !== undefined && before.uid !== after?.uid) this.#drift.forget(before.uid);
        if (after !== undefined) this.#loop.enqueue(key);
      }),
      pools.onChange((change) => {
        if (saysSomethingNew(change)) this.#lookAt(this.#options.cluster.claimsOfPool(change.key));
      }),
      nodeClasses.onChange(({ before, after }) => {
        const nodeClass = after ?? before;
        this.#lookAt(
          [...claims.values()].filter(
            ({ nodeClassRef: { group, kind, name: className } }) =>
              group === nodeClass?.group && kind === nodeClass.kind && className === nodeClass.name,
          ),
        );
      }),
    );
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#loop.stop();
  }

  #lookAt(claims: readonly NodeClaim[]): void {
    for (const claim of claims) this.#loop.enqueue(claim.name);
  }

  async #inspect(key: string): Promise<number | undefined> {
    const { cluster, cloud, clock } = this.#options;
    const claim = cluster.claims.get(key);
    const pool = cluster.pools.get(claim?.labels.get(nodePoolLabel) ?? "");
    if (claim === undefined || pool === undefined || claim.deletedAt !== undefined) return undefined;
    if (!isManaged(claim, cloud.nodeClassKinds)) return undefined;
    const [drift] = await Promise.allSettled([this.#drift.find(claim, pool)]);
    const quiet = judgeQuiet(claim, pool, clock.now());
    // What is known of the one is said although the cloud has no answer for the other.
    const drifted = drift.status === "fulfilled" ? drift.value : ({ kind: "unknown" } as const);
    if (!(await this.#note(claim, [changeForDrift(drifted), changeForQuiet(quiet)]))) return soon;
    if (drift.status === "rejected") throw drift.reason;
    return earliest(
      drifted.kind === "judged" ? drifted.lookAgainIn : undefined,
      quiet.kind === "wait" ? quiet.milliseconds : undefined,
    );
  }

  /** False when the claim has changed meanwhile. */
  async #note(claim: NodeClaim, wanted: readonly Wanted[]): Promise<boolean> {
    const { kube, clock, telemetry } = this.#options;
    const changes = wanted.flatMap((one) => (typeof one === "object" ? [one] : []));
    const removals = wanted.flatMap((one) => (typeof one === "string" && findCondition(claim, one) ? [one] : []));
    // What is missing otherwise is written by those who know: in a burst, one write less for every claim counts.
    if (changes.length === 0 && removals.length === 0) return true;
    const conditions = changeConditions(claim, claimReadiness, { changes, removals, now: clock.now() });
    if (conditions === claim.conditions) return true;
    const patch = { ...claim, status: { conditions: writeConditions(conditions) } };
    const outcome = await patchStatus(kube, nodeClaims, patch);
    if (outcome !== "written") return outcome === "gone";
    const fields = { controller: name, NodeClaim: { name: claim.name }, Node: { name: claim.nodeName } };
    for (const { type, reason = type } of changes) {
      if (findCondition(claim, type) === undefined) telemetry.log.debug(`marking ${type}`, { ...fields, reason });
    }
    for (const type of removals) telemetry.log.debug(`no longer ${type}`, fields);
    return true;
  }
}

/** A condition to set, or the type of one to remove; undefined leaves what is there. */
type Wanted = ConditionChange | string | undefined;

function changeForDrift(drift: Drift): Wanted {
  if (drift.kind === "unknown") return undefined;
  const { reason } = drift;
  return reason === undefined ? "Drifted" : { type: "Drifted", status: "True", reason, message: reason };
}

function changeForQuiet({ kind }: Quiet): Wanted {
  return kind === "consolidatable" ? { type: "Consolidatable", status: "True" } : "Consolidatable";
}

/** A pool is written to all the time, and each of its claims would be looked at for it. */
function saysSomethingNew({ before, after }: Change<NodePoolObject>): boolean {
  if (after === undefined) return false;
  if (before === undefined || before.uid !== after.uid || before.generation !== after.generation) return true;
  return [nodePoolHashVersionAnnotation, softExpireAfterAnnotation].some(
    (key) => before.annotations.get(key) !== after.annotations.get(key),
  );
}

function earliest(...delays: readonly (number | undefined)[]): number | undefined {
  const known = delays.filter((delay) => delay !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
