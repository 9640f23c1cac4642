import { readNodePoolObject } from "../../src/core/api/read-node-pool-object.ts";
import { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import type { Node } from "../../src/core/model/node.ts";
import type { NodeClaim } from "../../src/core/model/node-claim.ts";
import type { NodeObject } from "../../src/core/model/node-object.ts";
import type { Snapshot } from "../../src/core/model/snapshot.ts";
import { generateScenario, type ScenarioOptions } from "../scenarios.ts";

/** What a controller would know of the fleet after watching it. */
export function clusterOf(snapshot: Snapshot, options: ScenarioOptions): ClusterState {
  const cluster = new ClusterState();
  for (const wire of generateScenario({ ...options, pods: 1 }).nodePools) {
    const read = readNodePoolObject(wire);
    if (read.problems === undefined) cluster.pools.put(read.value.name, read.value);
  }
  for (const node of snapshot.nodes) {
    cluster.nodes.put(node.name, nodeObject(node));
    cluster.claims.put(node.name, claimOf(node));
    for (const pod of snapshot.podsByNode.get(node.name) ?? []) cluster.pods.put(`${pod.namespace}/${pod.name}`, pod);
  }
  return cluster;
}

function identityOf(name: string, kind: string) {
  const annotations = new Map<string, string>();
  return {
    name,
    uid: `${kind}-${name}`,
    resourceVersion: "1",
    generation: 1,
    createdAt: 0,
    deletedAt: undefined,
    finalizers: [],
    annotations,
  };
}

function nodeObject({ name, labels, taints, capacity, allocatable }: Node): NodeObject {
  return {
    ...identityOf(name, "node"),
    providerId: `kwok://${name}`,
    labels: new Map([...labels, ["karpenter.sh/registered", "true"], ["karpenter.sh/initialized", "true"]]),
    writtenTaints: taints.map((taint) => ({ ...taint, timeAdded: undefined })),
    taints,
    capacity,
    allocatable,
    ownerUids: [],
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: 0 }],
  };
}

function claimOf({ name, labels, capacity, allocatable }: Node): NodeClaim {
  return {
    ...identityOf(name, "claim"),
    labels,
    requirements: new Map(),
    requirementEntries: [],
    taints: [],
    startupTaints: [],
    requests: new Map(),
    nodeClassRef: { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" },
    terminationGracePeriod: undefined,
    expireAfter: undefined,
    providerId: `kwok://${name}`,
    nodeName: name,
    imageId: "",
    capacity,
    allocatable,
    conditions: ["Launched", "Registered", "Initialized", "Consolidatable"].map((type) => ({
      type,
      status: "True" as const,
      reason: type,
      message: "",
      lastTransitionTime: 0,
      observedGeneration: 1,
    })),
    lastPodEventTime: undefined,
  };
}
