import { generateScenario } from "../../../bench/scenarios.ts";

/** Pods of the `fleet` kind, and the pool that most users have, for kubectl. */
export function fleetManifests(podCount: number): { readonly pool: string; readonly pods: string } {
  const { nodePools, pods } = generateScenario({ kind: "fleet", pods: podCount, seed: 1, isTypical: true });
  const nodeClass = { apiVersion: "karpenter.kwok.sh/v1alpha1", kind: "KWOKNodeClass", metadata: { name: "default" } };
  // The scenario's own word about how they fare is for planners without a cluster.
  const fresh = pods.map(({ apiVersion, kind, metadata, spec }) => ({ apiVersion, kind, metadata, spec }));
  return { pool: listOf([nodeClass, ...nodePools]), pods: listOf(fresh) };
}

function listOf(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}
