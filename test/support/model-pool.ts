import type { NodePool } from "../../src/core/model/node-pool.ts";
import type { NodePoolObject } from "../../src/core/model/node-pool-object.ts";
import type { NodeBudget, PoolDisruption } from "../../src/core/model/pool-disruption.ts";

/** A pool that takes pods and says nothing about disruption but what the test does. */
export function modelPool(
  name: string,
  {
    disruption,
    ...fields
  }: Partial<Omit<NodePoolObject, "disruption">> & { disruption?: Partial<PoolDisruption> } = {},
): NodePoolObject {
  return {
    name,
    uid: `uid-${name}`,
    resourceVersion: "1",
    generation: 1,
    createdAt: 0,
    deletedAt: undefined,
    finalizers: [],
    annotations: new Map(),
    nodeClassRef: { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" },
    replicas: undefined,
    limits: new Map(),
    pool: undefined,
    problems: [],
    warnings: [],
    hash: "",
    terminationGracePeriod: undefined,
    expireAfter: undefined,
    status: { conditions: [], resources: new Map(), nodes: 0, nodeClassObservedGeneration: 1 },
    ...fields,
    disruption: {
      consolidateAfter: 0,
      consolidationPolicy: "WhenEmptyOrUnderutilized",
      budgets: [modelNodeBudget("10%")],
      balancedThreshold: 0.5,
      isPaused: false,
      softExpireAfter: undefined,
      ...disruption,
    },
  };
}

/** A budget such as "10%" or "5" that always counts. */
export function modelNodeBudget(nodes: string, fields: Partial<NodeBudget> = {}): NodeBudget {
  const amount = Number.parseInt(nodes, 10);
  return {
    nodes: nodes.endsWith("%") ? { kind: "percent", percent: amount } : { kind: "count", count: amount },
    window: undefined,
    reasons: undefined,
    problem: undefined,
    ...fields,
  };
}

/** The same pool as the planner sees it: any machine, without taints or limits but those of the test. */
export function modelPlannedPool(name: string, fields: Partial<NodePool> = {}): NodePool {
  return {
    name,
    weight: 0,
    replicas: undefined,
    unusableBecause: undefined,
    labels: new Map(),
    annotations: new Map(),
    taints: [],
    startupTaints: [],
    requirements: new Map(),
    defaultKeys: new Set(),
    limits: new Map(),
    nodeClassRef: { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" },
    instanceTypes: [],
    ...fields,
  };
}
