import { generateScenario } from "../../../bench/scenarios.ts";

/** Pods of the `fleet` kind for the pool that most users have, as Deployments: those with the same labels are of one. */
export function fleetManifests(podCount: number): { readonly pool: string; readonly deployments: object[] } {
  const { nodePools, pods } = generateScenario({ kind: "fleet", pods: podCount, seed: 1, isTypical: true });
  const nodeClass = { apiVersion: "karpenter.kwok.sh/v1alpha1", kind: "KWOKNodeClass", metadata: { name: "default" } };
  const groups = Map.groupBy(pods, ({ metadata }) => JSON.stringify(metadata.labels));
  const deployments = [...groups.values()].map((alike, index) => {
    const [{ metadata, spec } = never()] = alike;
    return {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: `fleet-${index}`, namespace: "default" },
      spec: {
        replicas: alike.length,
        selector: { matchLabels: metadata.labels },
        template: { metadata: { labels: metadata.labels }, spec },
      },
    };
  });
  return { pool: JSON.stringify({ apiVersion: "v1", kind: "List", items: [nodeClass, ...nodePools] }), deployments };
}

function never(): never {
  throw new Error("a group without pods");
}
