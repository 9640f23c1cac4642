import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { writeNodeClaim } from "../../core/api/write-node-claim.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { chooseSurplus, isGrowing, planGrowth } from "../../core/lifecycle/static-pools.ts";
import { nodePoolLabel } from "../../core/model/labels.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import { noResources } from "../../core/model/resources.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CloudProvider } from "../../ports/cloud-provider.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { type KubeClient, orThrow, unless } from "../../runtime/kube-client.ts";
import { randomName } from "../../runtime/random-name.ts";
import type { WorkLoop } from "../../runtime/work-loop.ts";
import { poolLoop } from "./pool-loop.ts";

export interface StaticPoolsOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
  readonly cloud: CloudProvider;
  readonly clock: Clock;
  readonly random: () => number;
  readonly telemetry: Telemetry;
  readonly isStaticCapacityEnabled: boolean;
}

const pause = 60_000;
const pauseAtLimit = 30_000;

/** Keeps as many nodes in each static pool as it says. */
export class StaticPools {
  readonly #options: StaticPoolsOptions;
  readonly #provisioning: WorkLoop;
  readonly #deprovisioning: WorkLoop;
  /** By pool and name, claims that were sent and that we do not see yet. Whether they were written may be unknown. */
  readonly #sent = new Map<string, Map<string, object>>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: StaticPoolsOptions) {
    this.#options = options;
    this.#provisioning = poolLoop(options, "static.provisioning", (pool) => this.#grow(pool));
    this.#deprovisioning = poolLoop(options, "static.deprovisioning", (pool) => this.#shrink(pool));
  }

  start(): void {
    if (!this.#options.isStaticCapacityEnabled) return;
    const { pools, claims } = this.#options.cluster;
    for (const { name } of [...pools.values()]) this.#look(name);
    this.#unsubscribe.push(
      pools.onChange(({ key, after }) => {
        if (after === undefined) this.#sent.delete(key);
        else this.#look(key);
      }),
      claims.onChange(({ before, after }) => {
        const isUpdate = before !== undefined && after !== undefined && before.deletedAt === after.deletedAt;
        if (!isUpdate) this.#look((after ?? before)?.labels.get(nodePoolLabel) ?? "");
      }),
    );
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await Promise.all([this.#provisioning.stop(), this.#deprovisioning.stop()]);
  }

  #look(poolName: string): void {
    if (this.#options.cluster.pools.get(poolName)?.replicas === undefined) return;
    this.#provisioning.enqueue(poolName);
    this.#deprovisioning.enqueue(poolName);
  }

  async #grow(pool: NodePoolObject): Promise<number | undefined> {
    if (!isGrowing(pool)) return undefined;
    const { cluster, telemetry } = this.#options;
    const sent = this.#sentFor(pool.name);
    // The same name again: if the first attempt did arrive after all, this one is refused.
    await all([...sent].map(([name, claim]) => this.#create(pool.name, name, claim)));
    const { lacking, allowed } = planGrowth(pool, { claims: cluster.claimsOfPool(pool.name), onTheirWay: sent.size });
    if (lacking === 0) return pause;
    const fields = { controller: "static.provisioning", NodePool: { name: pool.name }, lacking, allowed };
    if (allowed === 0) {
      telemetry.log.info("the limit of a static pool lets it make no more nodes", fields);
      return pauseAtLimit;
    }
    telemetry.log.info("making nodes for a static pool", fields);
    const { random, cloud } = this.#options;
    const names = Array.from({ length: allowed }, () => `${pool.name}-${randomName(random)}`);
    const details = {
      requirements: pool.pool?.requirements ?? new Map(),
      instanceTypes: [],
      requests: noResources,
      isMinValuesRelaxed: false,
      wellKnownLabels: cloud.wellKnownLabels,
    };
    await all(names.map((name) => this.#create(pool.name, name, writeNodeClaim(pool, { ...details, name }))));
    return allowed < lacking ? pauseAtLimit : pause;
  }

  /** What was sent and is in sight by now is sent no more. */
  #sentFor(poolName: string): Map<string, object> {
    const sent = this.#sent.get(poolName) ?? new Map<string, object>();
    this.#sent.set(poolName, sent);
    for (const name of sent.keys()) if (this.#options.cluster.claims.get(name) !== undefined) sent.delete(name);
    return sent;
  }

  /** The claim counts from now on; no more when it is in sight or surely refused. */
  async #create(poolName: string, name: string, claim: object): Promise<void> {
    const { kube, telemetry } = this.#options;
    const sent = this.#sentFor(poolName);
    sent.set(name, claim);
    const answer = await kube.create(nodeClaims, claim);
    if (!answer.ok && answer.refusal.reason === "AlreadyExists") return;
    if (answer.ok || answer.refusal.code < 500) sent.delete(name);
    orThrow(answer, `create NodeClaim "${name}" of static pool "${poolName}"`);
    const labels = { reason: "provisioned", nodepool: poolName, min_values_relaxed: "false" };
    telemetry.metrics.add("nodeclaims_created_total", labels);
  }

  async #shrink(pool: NodePoolObject): Promise<number | undefined> {
    if (pool.replicas === undefined || pool.deletedAt !== undefined) return undefined;
    const { cluster, clock, telemetry } = this.#options;
    const surplus = chooseSurplus(cluster, pool, clock.now());
    if (surplus.length > 0) {
      const names = surplus.map(({ name }) => name);
      const fields = { controller: "static.deprovisioning", NodePool: { name: pool.name }, NodeClaims: names };
      telemetry.log.info("removing nodes that a static pool has too many", fields);
    }
    await all(surplus.map((claim) => this.#delete(claim)));
    return pause;
  }

  async #delete({ name, uid }: NodeClaim): Promise<void> {
    const answer = await this.#options.kube.delete(nodeClaims, { name }, { uid });
    // Gone already, or another of that name.
    unless([404, 409], answer, `delete NodeClaim "${name}", which its static pool has too many`);
  }
}

/** Waits for all of them, and then fails with the first that failed. */
async function all(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
