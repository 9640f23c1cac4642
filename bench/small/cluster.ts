import { type Catalogue, type InstanceType, requestsOf } from "../catalogue.ts";
import { labelsOf } from "../placed-node.ts";
import type { Random } from "../random.ts";
import { pendingPod } from "../scenarios.ts";
import { hasLabels, satisfies, tolerates } from "../selector.ts";
import { type ExistingNode, hostLabel, type NodePool, type Pod, zoneLabel } from "../wire.ts";
import type { Workload } from "./workload.ts";

export interface RandomClusterOptions {
  readonly random: Random;
  readonly nodes: number;
  readonly pools: readonly [NodePool, ...NodePool[]];
  readonly catalogue: Catalogue;
  /** Pods that run by workload; the batch may have more of them. */
  readonly running: readonly { readonly workload: Workload; readonly replicas: number }[];
  /** Fill the nodes up. */
  readonly fillers: readonly Workload[];
  /** The largest share of a node's CPU that they leave free. */
  readonly mostSpare: number;
}

interface Host {
  readonly node: ExistingNode;
  readonly room: Map<string, number>;
  readonly workloads: Workload[];
  /** Filled until no more of its CPU is left. */
  readonly spareCpu: number;
}

const [leastCpus, mostCpus] = [2, 16];
const attempts = 40;

/** Nodes of the pools with pods on them. Those of a full cluster have room for hardly any more. */
export function randomCluster(options: RandomClusterOptions): (ExistingNode | Pod)[] {
  const { random, nodes, running, fillers } = options;
  const hosts = Array.from({ length: nodes }, (_, index) => randomHost(options, index));
  const pods: Pod[] = [];
  const bind = (workload: Workload, host: Host): void => {
    const pod = runningPod(workload, host, pods.length);
    host.workloads.push(workload);
    for (const [resource, amount] of requestsOf(pod.spec)) {
      host.room.set(resource, (host.room.get(resource) ?? 0) - amount);
    }
    pods.push(pod);
  };
  const pickHost = (): Host | undefined => hosts[Math.floor(random.next() * hosts.length)];
  for (const { workload, replicas } of running) {
    for (let replica = 0; replica < replicas; replica++) {
      const host = Array.from({ length: attempts }, pickHost).find((one) => one && takes(one, workload, hosts));
      if (host !== undefined) bind(workload, host);
    }
  }
  for (const host of hosts) {
    for (let attempt = 0; attempt < attempts && (host.room.get("cpu") ?? 0) > host.spareCpu; attempt++) {
      const workload = fillers[Math.floor(random.next() * fillers.length)];
      if (workload !== undefined && takes(host, workload, hosts)) bind(workload, host);
    }
  }
  return [...hosts.map(({ node }) => node), ...pods];
}

function randomHost({ random, pools, catalogue, mostSpare }: RandomClusterOptions, index: number): Host {
  const pool = random.choose(pools);
  const types = [...catalogue.values()].filter((type) => isUsual(type, pool));
  const type = types[Math.floor(random.next() * types.length)];
  const offer = type?.offers[Math.floor(random.next() * type.offers.length)];
  if (type === undefined || offer === undefined) throw new Error(`Pool "${pool.metadata.name}" takes no usual machine`);
  const { zone, capacityType, price } = offer;
  const planned = {
    nodePool: pool.metadata.name,
    instanceType: type.name,
    zone,
    capacityType,
    pricePerHour: price,
    pods: [],
  };
  return {
    node: existingNode(`node-${index}`, { type, pool, labels: labelsOf(type, pool, planned) }),
    room: new Map(type.allocatable),
    workloads: [],
    spareCpu: (type.allocatable.get("cpu") ?? 0) * random.next() * mostSpare,
  };
}

function isUsual({ labels, allocatable }: InstanceType, pool: NodePool): boolean {
  const cpus = Math.ceil((allocatable.get("cpu") ?? 0) / 1000);
  const requirements = pool.spec.template.spec.requirements ?? [];
  const hasMemory = (allocatable.get("memory") ?? 0) > 0;
  return (
    hasMemory &&
    cpus >= leastCpus &&
    cpus <= mostCpus &&
    requirements.every((requirement) => satisfies(requirement, labels))
  );
}

function existingNode(
  name: string,
  { type, pool, labels }: { type: InstanceType; pool: NodePool; labels: ExistingNode["metadata"]["labels"] },
): ExistingNode {
  const allocatable = Object.fromEntries(
    Array.from(type.allocatable, ([resource, amount]) => [resource, resource === "cpu" ? `${amount}m` : `${amount}`]),
  );
  const states = { "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { ...labels, ...states, [hostLabel]: name } },
    spec: { providerID: `kwok://${name}`, taints: pool.spec.template.spec.taints ?? [] },
    status: { capacity: allocatable, allocatable, conditions: [{ type: "Ready", status: "True" }] },
  };
}

/** Whether a pod of the workload may run there beside those that do. Spreads need not be even: pods come and go. */
function takes(host: Host, workload: Workload, hosts: readonly Host[]): boolean {
  const { labels } = host.node.metadata;
  const { spec } = workload;
  const rules = JSON.stringify(spec.affinity ?? {});
  const isSelective = (key: string, rule: string): boolean => rules.includes(rule) && rules.includes(`"${key}"`);
  const isTogether = isSelective(zoneLabel, "podAffinity");
  const elsewhere = hosts.find((one) => one.workloads.includes(workload));
  const zoneOf = ({ node }: Host): string | undefined => node.metadata.labels[zoneLabel];
  return (
    [...requestsOf(pendingPod(workload, 0).spec)].every(([key, amount]) => amount <= (host.room.get(key) ?? 0)) &&
    hasLabels(spec.nodeSelector ?? {}, labels) &&
    (host.node.spec.taints ?? []).every((taint) => tolerates(spec, taint)) &&
    !(isSelective(hostLabel, "podAntiAffinity") && host.workloads.includes(workload)) &&
    !(isTogether && elsewhere !== undefined && zoneOf(elsewhere) !== zoneOf(host))
  );
}

function runningPod(workload: Workload, { node }: Host, index: number): Pod {
  const pod = pendingPod(workload, index);
  return {
    ...pod,
    metadata: { ...pod.metadata, name: `running-${index}` },
    spec: { ...pod.spec, nodeName: node.metadata.name },
    status: { phase: "Running" },
  };
}
