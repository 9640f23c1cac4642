import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { writeNodeClaim } from "../../core/api/write-node-claim.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Labels } from "../../core/model/labels.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CloudProvider } from "../../ports/cloud-provider.ts";
import type { NodeToLaunch } from "../../ports/planner.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { type KubeClient, NotLeadingError, orThrow, unless } from "../../runtime/kube-client.ts";
import { randomName } from "../../runtime/random-name.ts";

export interface ClaimMakerOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
  readonly cloud: CloudProvider;
  readonly clock: Clock;
  readonly random: () => number;
  readonly telemetry: Telemetry;
}

/** A planned node, and who is to go there. */
export interface Purchase {
  readonly name: string;
  readonly node: NodeToLaunch;
  readonly podUids: readonly string[];
  /** For the metric: `provisioned`, or why the nodes go that it replaces. */
  readonly reason: string;
  /** Besides those of the pool's template. */
  readonly annotations?: Labels;
}

const askAgain = 1_000;
/** Out of so many tries one is told of. */
const sayAgain = 60;

/** Turns planned nodes into NodeClaims, for all who buy. */
export class ClaimMaker {
  readonly #options: ClaimMakerOptions;
  #isStopped = false;

  constructor(options: ClaimMakerOptions) {
    this.#options = options;
  }

  nameFor({ poolName }: NodeToLaunch): string {
    return `${poolName}-${randomName(this.#options.random)}`;
  }

  /**
   * The pods are meant for the claim before it is written, so that a plan made meanwhile leaves them alone. A claim that
   * could not be written sets them free.
   */
  async make({ name, node, podUids, reason, annotations }: Purchase): Promise<void> {
    const { cluster, cloud, clock, telemetry } = this.#options;
    const pool = cluster.pools.get(node.poolName);
    if (pool?.pool === undefined) throw new Error(`NodePool "${node.poolName}" went away before its claim was made`);
    for (const uid of podUids) cluster.nominations.nominate(uid, name, clock.now());
    try {
      const { wellKnownLabels } = cloud;
      const more = annotations === undefined ? {} : { annotations };
      const claim = writeNodeClaim(pool, { ...node, ...more, name, wellKnownLabels });
      await this.#create(name, claim);
    } catch (error) {
      for (const uid of podUids) if (cluster.nominations.claimOf(uid) === name) cluster.nominations.drop(uid);
      throw error;
    }
    telemetry.metrics.add("nodeclaims_created_total", {
      reason,
      nodepool: node.poolName,
      min_values_relaxed: String(node.isMinValuesRelaxed),
    });
  }

  /** Asks no more for claims that nobody knows of; those who lead next will see them. */
  stop(): void {
    this.#isStopped = true;
  }

  async #create(name: string, claim: object): Promise<void> {
    const act = `create NodeClaim "${name}"`;
    const { kube } = this.#options;
    const outcome = await kube.create(nodeClaims, claim).catch((error: unknown) => ({ error }));
    if ("error" in outcome) {
      if (outcome.error instanceof NotLeadingError || !(await this.#isThere(name))) throw outcome.error;
    } else if (outcome.ok || outcome.refusal.code < 500 || !(await this.#isThere(name))) orThrow(outcome, act);
  }

  /**
   * Whether a claim is there although the answer was lost. To buy another before that is known could break the limits of
   * the pool, and without answers nothing can be bought anyway.
   */
  async #isThere(name: string): Promise<boolean> {
    const { kube, clock, telemetry } = this.#options;
    for (let tries = 0; !this.#isStopped; tries++) {
      try {
        const answer = await kube.getNews(nodeClaims, { name });
        const isHopeless = !answer.ok && [400, 401, 403].includes(answer.refusal.code);
        if (isHopeless) return false;
        return unless([404], answer, `look for NodeClaim "${name}"`) !== undefined;
      } catch (error) {
        if (tries % sayAgain === 0) {
          telemetry.log.error("nothing is bought until it is known whether a claim is there", {
            NodeClaim: { name },
            error,
          });
        }
        await new Promise<void>((resolve) => {
          clock.after(askAgain, resolve);
        });
      }
    }
    return false;
  }
}
