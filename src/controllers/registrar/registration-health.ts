import { nodePools } from "../../core/api/karpenter-resources.ts";
import { writeConditions } from "../../core/api/write-conditions.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { poolDependents } from "../../core/lifecycle/judge-pool.ts";
import {
  emptyRecord,
  isOutdated,
  judgeHealth,
  type RegistrationFailure,
  type RegistrationRecord,
  recordFromCondition,
  recordOutcome,
  unknownHealth,
} from "../../core/lifecycle/registration-health.ts";
import { changeConditions } from "../../core/model/condition.ts";
import { nodePoolLabel } from "../../core/model/labels.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { KubeClient } from "../../runtime/kube-client.ts";
import { patchStatus } from "../../runtime/patch-status.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";

export interface RegistrationHealthOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** Somebody else wrote meanwhile, and what they wrote is on its way to us. */
const soon = 10;

/** Tells on each NodePool whether its latest machines became nodes. */
export class RegistrationHealth {
  readonly #options: RegistrationHealthOptions;
  readonly #loop: WorkLoop;
  /** By the pool's uid. */
  readonly #records = new Map<string, RegistrationRecord>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: RegistrationHealthOptions) {
    this.#options = options;
    this.#loop = new WorkLoop({
      name: "nodepool.registrationhealth",
      reconcile: (name) => this.#reconcile(name),
      clock: options.clock,
      telemetry: options.telemetry,
    });
  }

  start(): void {
    const { pools, nodeClasses } = this.#options.cluster;
    this.#unsubscribe.push(
      pools.onChange(({ key, before, after }) => {
        if (after === undefined) this.#records.delete(before?.uid ?? "");
        else if (before?.generation !== after.generation || before.uid !== after.uid) this.#loop.enqueue(key);
      }),
      nodeClasses.onChange(({ before, after }) => {
        if (before?.generation !== after?.generation) this.#enqueueAll();
      }),
    );
    this.#enqueueAll();
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#loop.stop();
  }

  /** Takes in that a claim became a node, or why it did not. */
  record(claim: NodeClaim, failure?: RegistrationFailure): void {
    const pool = this.#options.cluster.pools.get(claim.labels.get(nodePoolLabel) ?? "");
    // A claim that is older than the pool came from another one of the same name.
    if (pool === undefined || claim.createdAt < pool.createdAt) return;
    this.#records.set(pool.uid, recordOutcome(this.#recordOf(pool), failure));
    this.#loop.enqueue(pool.name);
  }

  #enqueueAll(): void {
    for (const { name } of this.#options.cluster.pools.values()) this.#loop.enqueue(name);
  }

  #recordOf(pool: NodePoolObject): RegistrationRecord {
    return this.#records.get(pool.uid) ?? recordFromCondition(pool);
  }

  async #reconcile(name: string): Promise<number | undefined> {
    const { cluster, kube, clock } = this.#options;
    const pool = cluster.pools.get(name);
    const nodeClass = pool && cluster.nodeClassOf(pool.nodeClassRef);
    if (pool === undefined || nodeClass === undefined) return undefined;
    const isReset = isOutdated(pool, nodeClass);
    if (isReset) this.#records.set(pool.uid, emptyRecord);
    const change = isReset ? unknownHealth : judgeHealth(pool, this.#recordOf(pool));
    if (change === undefined) return undefined;
    const owner = { ...pool, conditions: pool.status.conditions };
    const conditions = changeConditions(owner, poolDependents, { changes: [change], now: clock.now() });
    const written = await patchStatus(kube, nodePools, {
      ...pool,
      status: { conditions: writeConditions(conditions), nodeClassObservedGeneration: nodeClass.generation },
    });
    return written === "conflict" ? soon : undefined;
  }
}
