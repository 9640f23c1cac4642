import { fingerprint } from "../../core/api/fingerprint.ts";
import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { writeNodeClaim } from "../../core/api/write-node-claim.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Labels } from "../../core/model/labels.ts";
import { seededRandom } from "../../core/model/seeded-random.ts";
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

export interface Purchase {
  readonly name: string;
  readonly node: NodeToLaunch;
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

  /**
   * The same plan gives the same name: whoever sends a claim again, not knowing what became of the first request, cannot
   * create two.
   */
  nameFor({ poolName, podUids }: NodeToLaunch): string {
    const { cluster, random } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const seed = Number(BigInt.asIntN(32, BigInt(fingerprint([poolName, podUids.toSorted(), attempt]))));
      const name = `${poolName}-${randomName(podUids.length === 0 ? random : seededRandom(seed))}`;
      if (cluster.claims.get(name) === undefined) return name;
    }
  }

  async make({ name, node, reason, annotations }: Purchase): Promise<void> {
    const { cluster, cloud, telemetry } = this.#options;
    const pool = cluster.pools.get(node.poolName);
    if (pool?.pool === undefined) throw new Error(`NodePool "${node.poolName}" went away before its claim was made`);
    const { wellKnownLabels } = cloud;
    const more = annotations === undefined ? {} : { annotations };
    await this.#create(name, writeNodeClaim(pool, { ...node, ...more, name, wellKnownLabels }));
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
