import { hostLabel, type Pod } from "../../bench/wire.ts";

/** The pods of a scenario that one Deployment creates: they differ in their names only. */
export interface ScenarioWorkload {
  readonly name: string;
  readonly pods: readonly Pod[];
}

/** In the order of the scenario, called d1, d2 and so on. */
export function workloadsOf(pods: readonly Pod[]): ScenarioWorkload[] {
  const alike = Map.groupBy(pods, ({ metadata: { labels }, spec }) => JSON.stringify([labels, spec]));
  return [...alike.values()].map((pods, index) => ({ name: `d${index + 1}`, pods }));
}

export function deploymentOf({ name, pods }: ScenarioWorkload): object {
  const [first] = pods;
  // Pods of several workloads may have the same labels, and no two Deployments may select the same pods.
  const labels = { ...first?.metadata.labels, workload: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: {
      replicas: pods.length,
      selector: { matchLabels: { workload: name } },
      template: { metadata: { labels }, spec: first?.spec },
    },
  };
}

/** The node class of the pool that every scenario has. */
export function nodeClass(spec: object = {}): object {
  return { apiVersion: "karpenter.kwok.sh/v1alpha1", kind: "KWOKNodeClass", metadata: { name: "default" }, spec };
}

/** A node that is there before Karpenter creates any, where a controller would run; no pod of a scenario fits it. */
export function systemNode(): object {
  const resources = { cpu: "4", memory: "16Gi", pods: "110" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "system", annotations: { "kwok.x-k8s.io/node": "fake" }, labels: { [hostLabel]: "system" } },
    spec: { taints: [{ key: "CriticalAddonsOnly", effect: "NoSchedule" }] },
    status: { capacity: resources, allocatable: resources },
  };
}

export function listOf(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}
