import type { Catalogue } from "../catalogue.ts";
import { Random } from "../random.ts";
import { catalogueFile, nodePool, pendingPod } from "../scenarios.ts";
import type { NodePool, Scenario } from "../wire.ts";
import { randomCluster } from "./cluster.ts";
import { batchPool, randomWorkload, type Workload } from "./workload.ts";

const [mostPods, mostWorkloads, mostNodes, mostFillers] = [50, 10, 100, 12];
/** Most pods are pending because the nodes are full. */
const spares: readonly [number, ...number[]] = [0, 0, 0, 0.1, 0.5];

/** A batch of 1 to 50 pending pods, more often a small one, on a cluster of 0 to 100 nodes. The same for the same seed. */
export function randomBatch(seed: number, catalogue: Catalogue): Scenario {
  const random = new Random(`small-${seed}`);
  const pods = upTo(mostPods, random);
  const hasBatchPool = random.next() < 0.25;
  const general = nodePool(random.next() < 0.65);
  const pools: readonly [NodePool, ...NodePool[]] = hasBatchPool ? [general, taintedPool()] : [general];
  const workloads: Workload[] = [];
  const replicasOf = division(pods, Math.min(pods, upTo(mostWorkloads, random)), random);
  for (const [index, replicas] of replicasOf.entries()) {
    workloads.push(randomWorkload({ random, name: `app-${index}`, replicas, others: workloads, hasBatchPool }));
  }
  const nodes = random.next() < 0.3 ? 0 : upTo(mostNodes, random);
  const fillers = Array.from({ length: Math.ceil(random.next() * mostFillers) }, (_, index) =>
    randomWorkload({ random, name: `other-${index}`, replicas: mostPods, others: [], hasBatchPool }),
  );
  const running = workloads
    .filter(({ isNew }) => !isNew && random.next() < 0.4)
    .map((workload) => ({ workload, replicas: upTo(mostWorkloads, random) }));
  return {
    name: `small-${seed}`,
    instanceTypesFile: catalogueFile,
    nodePools: pools,
    pods: workloads
      .flatMap((workload, index) => Array.from({ length: replicasOf[index] ?? 0 }, () => workload))
      .map(pendingPod),
    objects: randomCluster({ random, nodes, pools, catalogue, running, fillers, mostSpare: random.choose(spares) }),
  };
}

/** From 1 to the most, and a number twice as large is half as likely. */
function upTo(most: number, random: Random): number {
  return Math.min(most, Math.floor((most + 1) ** random.next()));
}

/** So many parts, none of them empty. */
function division(total: number, parts: number, random: Random): readonly number[] {
  const sizes = Array.from({ length: parts }, () => 1);
  for (let rest = total - parts; rest > 0; rest--) {
    const index = Math.floor(random.next() * parts);
    sizes[index] = (sizes[index] ?? 0) + 1;
  }
  return sizes;
}

function taintedPool(): NodePool {
  const { spec, ...pool } = nodePool(true);
  const { name, labels, taint } = batchPool;
  return {
    ...pool,
    metadata: { name },
    spec: {
      ...spec,
      template: { metadata: { labels }, spec: { ...spec.template.spec, taints: [{ ...taint, effect: "NoSchedule" }] } },
    },
  };
}
