import { boundsOf } from "../../../bench/bound.ts";
import { openCatalogue } from "../../../bench/catalogue.ts";
import { catalogueFile, generateScenario } from "../../../bench/scenarios.ts";
import type { NodePool, Pod } from "../../../bench/wire.ts";

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
  const byApp = Map.groupBy(scenario.pods, ({ metadata }) => metadata.labels?.app ?? "");
  const halves = new Map([...byApp].map(([app, pods]) => [app, Math.ceil(pods.length / 2)] as const));
  const staying = [...byApp].flatMap(([app, pods]) => pods.slice(0, halves.get(app)));
  const nodeClass = { apiVersion: "karpenter.kwok.sh/v1alpha1", kind: "KWOKNodeClass", metadata: { name: "default" } };
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
    pool: listOf([nodeClass, ...pools]),
    nodePools: scenario.nodePools,
    deployments: listOf([...byApp].map(([app, pods]) => deploymentOf(app, pods))),
    podCount,
    halves,
    halfCount: staying.length,
    boundPerHour: boundsOf({ scenario: { ...scenario, pods: staying }, catalogue: openCatalogue(catalogueFile) })
      .boundPerHour,
  };
}

function deploymentOf(name: string, pods: readonly Pod[]): object {
  const [first] = pods;
  const labels = first?.metadata.labels;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: {
      replicas: pods.length,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: first?.spec },
    },
  };
}

function listOf(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}
