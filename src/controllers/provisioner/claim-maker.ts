import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { writeNodeClaim } from "../../core/api/write-node-claim.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CloudProvider } from "../../ports/cloud-provider.ts";
import type { NodeToLaunch } from "../../ports/planner.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { type KubeClient, orThrow } from "../../runtime/kube-client.ts";
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
}

/** Turns planned nodes into NodeClaims. */
export class ClaimMaker {
  readonly #options: ClaimMakerOptions;

  constructor(options: ClaimMakerOptions) {
    this.#options = options;
  }

  nameFor({ poolName }: NodeToLaunch): string {
    return `${poolName}-${randomName(this.#options.random)}`;
  }

  /**
   * The pods are meant for the claim before it is written, so that a plan made meanwhile leaves them alone. A claim that
   * could not be written, for all we know, sets them free; should it be there after all, the next plan fills it.
   */
  async make({ name, node, podUids }: Purchase): Promise<void> {
    const { cluster, kube, cloud, clock, telemetry } = this.#options;
    const pool = cluster.pools.get(node.poolName);
    if (pool?.pool === undefined) throw new Error(`NodePool "${node.poolName}" went away before its claim was made`);
    for (const uid of podUids) cluster.nominations.nominate(uid, name, clock.now());
    try {
      const claim = writeNodeClaim(pool, { ...node, name, wellKnownLabels: cloud.wellKnownLabels });
      orThrow(await kube.create(nodeClaims, claim), `create NodeClaim "${name}"`);
    } catch (error) {
      for (const uid of podUids) if (cluster.nominations.claimOf(uid) === name) cluster.nominations.drop(uid);
      throw error;
    }
    telemetry.metrics.add("nodeclaims_created_total", {
      reason: "provisioned",
      nodepool: node.poolName,
      min_values_relaxed: String(node.isMinValuesRelaxed),
    });
  }
}
