import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { claimReference } from "../../core/api/references.ts";
import { writeConditions } from "../../core/api/write-conditions.ts";
import { canBeCompared, findShortfalls } from "../../core/lifecycle/consistency.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import { type ConditionChange, changeConditions, findCondition } from "../../core/model/condition.ts";
import { claimReadiness, type NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import { patchStatus } from "../../runtime/patch-status.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import type { CollectorOptions } from "./collector-options.ts";

const name = "nodeclaim.consistency";
const interval = 600_000;
const soon = 10;
/** When a node has just come up, its pods come, and the API has more urgent things to write. */
const settling = 10_000;

/** Compares each node with what its claim promised, now and then. */
export class ConsistencyChecker {
  readonly #options: CollectorOptions;
  readonly #loop: WorkLoop;
  /** When each claim was last looked at, by its name; a claim that goes is forgotten. */
  readonly #scannedAt = new Map<string, number>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: CollectorOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#loop = new WorkLoop({ name, clock, telemetry, reconcile: (key) => this.#scan(key) });
  }

  start(): void {
    const { claims, nodes } = this.#options.cluster;
    for (const claim of claims.values()) this.#loop.enqueue(claim.name);
    this.#unsubscribe.push(
      claims.onChange(({ key, after }) => {
        if (after === undefined) this.#scannedAt.delete(key);
        else if (!this.#scannedAt.has(key)) this.#loop.enqueue(key);
      }),
      nodes.onChange(({ after }) => {
        if (after === undefined) return;
        for (const claim of this.#options.cluster.claimsOf(after)) {
          if (!this.#scannedAt.has(claim.name)) this.#loop.enqueue(claim.name);
        }
      }),
    );
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#loop.stop();
  }

  async #scan(claimName: string): Promise<number | undefined> {
    const { cluster, cloud, clock } = this.#options;
    const claim = cluster.claims.get(claimName);
    if (claim === undefined || !isManaged(claim, cloud.nodeClassKinds) || !canBeCompared(claim)) return undefined;
    const last = this.#scannedAt.get(claimName);
    if (last !== undefined && clock.now() < last + interval) return last + interval - clock.now();
    const settledAt = (findCondition(claim, "Initialized")?.lastTransitionTime ?? 0) + settling;
    if (clock.now() < settledAt) return settledAt - clock.now();
    const [node, ...others] = cluster.nodesOf(claim);
    // Several nodes are told of where the claim is registered.
    if (node === undefined || others.length > 0) return undefined;
    const isWritten = await this.#note(claim, node);
    if (!isWritten) return soon;
    this.#scannedAt.set(claimName, clock.now());
    return interval;
  }

  /** False when the claim has changed meanwhile. */
  async #note(claim: NodeClaim, node: NodeObject): Promise<boolean> {
    const { clock, kube } = this.#options;
    const shortfalls = findShortfalls(claim, node);
    const change: ConditionChange =
      shortfalls.length === 0
        ? { type: "ConsistentStateFound", status: "True" }
        : {
            type: "ConsistentStateFound",
            status: "False",
            reason: "ConsistencyCheckFailed",
            message: "Consistency Check Failed",
          };
    const conditions = changeConditions(claim, claimReadiness, { changes: [change], now: clock.now() });
    if (conditions !== claim.conditions) {
      const patch = { ...claim, status: { conditions: writeConditions(conditions) } };
      if ((await patchStatus(kube, nodeClaims, patch)) === "conflict") return false;
    }
    this.#tell(claim, shortfalls);
    return true;
  }

  #tell({ name: claimName, uid, nodeName }: NodeClaim, shortfalls: readonly string[]): void {
    const { log, events } = this.#options.telemetry;
    const object = claimReference({ name: claimName, uid });
    for (const message of shortfalls) {
      const fields = { controller: name, NodeClaim: { name: claimName }, Node: { name: nodeName }, issue: message };
      log.info("a node is less than its claim promised", fields);
      events.publish({ object, type: "Warning", reason: "FailedConsistencyCheck", message, sameAs: [uid, message] });
    }
  }
}
