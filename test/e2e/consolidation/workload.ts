import { boundsOf } from "../../../bench/bound.ts";
import { openCatalogue } from "../../../bench/catalogue.ts";
import { catalogueFile, generateScenario } from "../../../bench/scenarios.ts";
import type { NodePool } from "../../../bench/wire.ts";
import { deploymentOf, listOf, nodeClass, workloadsOf } from "../scenario-manifests.ts";

/** Deployments of the `fleet` kind, and what becomes of them when half of each goes away. */
export interface Workload {
  /** The pool and its node class, for kubectl. */
  readonly pool: string;
  readonly nodePools: readonly NodePool[];
  /** All Deployments, for kubectl. */
  readonly deployments: string;
  readonly podCount: number;
  /** Replicas that stay, by the name of the Deployment. */
  readonly halves: ReadonlyMap<string, number>;
  readonly halfCount: number;
  /** What no set of nodes for those that stay can cost less than. */
  readonly boundPerHour: number;
}

export function fleetWorkload(podCount: number): Workload {
  const scenario = generateScenario({ kind: "fleet", pods: podCount, seed: 1, isTypical: true });
  const workloads = workloadsOf(scenario.pods);
  const halves = new Map(workloads.map(({ name, pods }) => [name, Math.ceil(pods.length / 2)] as const));
  const staying = workloads.flatMap(({ name, pods }) => pods.slice(0, halves.get(name)));
  const pools = scenario.nodePools.map((pool) => ({
    ...pool,
    spec: {
      ...pool.spec,
      disruption: {
        consolidationPolicy: "WhenEmptyOrUnderutilized",
        consolidateAfter: "10s",
        budgets: [{ nodes: "20%" }],
      },
    },
  }));
  return {
    pool: listOf([nodeClass(), ...pools]),
    nodePools: scenario.nodePools,
    deployments: listOf(workloads.map(deploymentOf)),
    podCount,
    halves,
    halfCount: staying.length,
    boundPerHour: boundsOf({ scenario: { ...scenario, pods: staying }, catalogue: openCatalogue(catalogueFile) })
      .boundPerHour,
  };
}
