import type { Container, Node, Pod } from "kubernetes-types/core/v1.js";
import type { ClusterObject } from "../../../src/embedded/scheduler/scheduler-cache.ts";
import { Dice } from "./dice.ts";
import { randomPod, randomSelector } from "./random-pod.ts";
import { randomAttachments, randomCapacities, randomClasses, randomCsiNodes, randomStorage } from "./random-storage.ts";
import { apps, gpu, hostnameKey, namespaces, regionKey, zoneKey, zones } from "./words.ts";

export interface RandomCluster {
  /** Everything but pods that wait, in an order in which it can be created. */
  readonly objects: readonly ClusterObject[];
  /** Pods that can never start but are nominated to a node, so that its room is kept for them. */
  readonly nominated: readonly Pod[];
  readonly pending: readonly Pod[];
  /** Pods that were nominated to a node before and try again. */
  readonly returning: readonly Pod[];
}

export function randomCluster(seed: number, { hasVolumes = true } = {}): RandomCluster {
  const dice = new Dice(seed);
  const prefix = `s${seed}`;
  const nodes = dice.times(1, 9, (index) => randomNode(dice, `${prefix}n${index}`));
  const nodeNames = nodes.map(({ metadata }) => metadata?.name ?? "");
  const { volumes, claims } = randomStorage(dice, prefix, nodeNames);
  const claimNames = new Map(
    Object.keys(namespaces).map((namespace) => [
      namespace,
      claims.filter(({ metadata }) => metadata?.namespace === namespace).map(({ metadata }) => metadata?.name ?? ""),
    ]),
  );
  const surroundings = { nodeNames, claims: hasVolumes ? claimNames : new Map(), density: 1 };
  const make = (name: string, density: number) => randomPod(dice, `${prefix}${name}`, { ...surroundings, density });
  const running = nodeNames.flatMap((nodeName, position) =>
    withFreePorts(dice.times(0, 5, (index) => onNode(dice, nodeName, make(`r${position}-${index}`, 0.4)))),
  );
  return {
    objects: [
      ...randomClasses(dice),
      ...nodes,
      ...randomCsiNodes(dice, nodeNames),
      ...randomCapacities(dice),
      ...volumes,
      ...claims,
      ...randomAttachments(
        dice,
        nodeNames,
        volumes.map(({ metadata }) => metadata?.name ?? ""),
      ),
      ...randomSelectingObjects(dice),
      ...running,
    ],
    nominated: dice.times(0, 3, (index) => nominate(dice, nodeNames, unstartable(make(`w${index}`, 0.4)))),
    pending: Array.from({ length: 20 }, (_, index) => make(`p${index}`, dice.pick([0.1, 0.5, 1]))),
    returning: dice.times(0, 3, (index) => nominate(dice, nodeNames, make(`t${index}`, dice.pick([0.1, 0.5])))),
  };
}

function randomNode(dice: Dice, name: string): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        ...dice.maybe(0.95, () => ({ [hostnameKey]: name })),
        ...dice.maybe(0.85, () => ({ [zoneKey]: dice.pick(zones) })),
        ...dice.maybe(0.5, () => ({ [regionKey]: "r1" })),
        ...dice.maybe(0.7, () => ({ rack: dice.pick(["1", "2"]) })),
        ...dice.maybe(0.8, () => ({ disk: dice.pick(["ssd", "hdd"]) })),
        ...dice.maybe(0.7, () => ({ size: dice.chance(0.9) ? String(dice.between(1, 20)) : "big" })),
      },
    },
    spec: {
      ...dice.maybe(0.1, () => ({ unschedulable: true })),
      taints: dice.times(0, 1, () => ({
        key: dice.pick(["dedicated", "special"]),
        ...dice.maybe(0.8, () => ({ value: dice.pick(["a", "b"]) })),
        effect: dice.pick(["NoSchedule", "NoExecute", "PreferNoSchedule", "PreferNoSchedule"]),
      })),
    },
    status: {
      allocatable: {
        cpu: dice.pick(["1", "2", "3500m", "4", "16"]),
        memory: dice.pick(["1Gi", "4Gi", "7577Mi", "16Gi"]),
        pods: dice.pick(["3", "6", "10", "110"]),
        ...dice.maybe(0.8, () => ({ "ephemeral-storage": dice.pick(["2Gi", "10Gi"]) })),
        ...dice.maybe(0.5, () => ({ [gpu]: dice.pick(["1", "2", "4"]) })),
      },
      images: dice.some(["example.com/a:latest", "example.com/b:1", "c:latest"]).map((image) => ({
        names: [image],
        sizeBytes: image.startsWith("example.com/a") ? 700_000_000 : 90_000_000,
      })),
    },
  };
}

/** Without host ports that another pod of the node has: kube-scheduler forgets both when one of the two goes. */
function withFreePorts(pods: readonly Pod[]): Pod[] {
  const taken = new Set<string>();
  return pods.map((pod) => {
    const free = <T extends Container>(container: T): T => ({
      ...container,
      ports: (container.ports ?? []).filter(({ hostPort, protocol }) => {
        const key = `${hostPort}/${protocol}`;
        return !taken.has(key) && taken.add(key);
      }),
    });
    const { containers = [], initContainers = [] } = pod.spec ?? { containers: [] };
    return {
      ...pod,
      spec: { ...pod.spec, containers: containers.map(free), initContainers: initContainers.map(free) },
    };
  });
}

function onNode(dice: Dice, nodeName: string, pod: Pod): Pod {
  return {
    ...pod,
    spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName: dice.chance(0.97) ? nodeName : "gone" },
    status: {
      phase: dice.chance(0.06) ? "Succeeded" : "Running",
      conditions: dice.chance(0.1)
        ? [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }]
        : [],
      startTime: new Date(Date.UTC(2026, 0, 1) + dice.between(0, 999_999) * 1000).toISOString(),
    },
  };
}

function unstartable(pod: Pod): Pod {
  const volumes = [{ name: "never", persistentVolumeClaim: { claimName: "never" } }];
  return { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], volumes } };
}

function nominate(dice: Dice, nodeNames: readonly string[], pod: Pod): Pod {
  return { ...pod, status: { nominatedNodeName: dice.pick(nodeNames) } };
}

function randomSelectingObjects(dice: Dice): ClusterObject[] {
  return Object.keys(namespaces).flatMap((namespace) => [
    ...dice.some(apps).map((name) => selecting("ReplicaSet", { name, namespace })),
    ...dice.some(apps).map((name) => selecting("StatefulSet", { name, namespace })),
    ...dice.some(apps, 0.3).map((name) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace },
      spec: { selector: { app: name }, ports: [{ port: 80 }], clusterIP: "None" },
    })),
    ...dice.some(apps, 0.3).map((name) => ({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name, namespace },
      spec: { minAvailable: 1, selector: randomSelector(dice) },
      status: {
        disruptionsAllowed: dice.between(0, 2),
        currentHealthy: 1,
        desiredHealthy: 1,
        expectedPods: 1,
      },
    })),
  ]);
}

function selecting(kind: string, metadata: { name: string; namespace: string }): ClusterObject {
  const labels = { app: metadata.name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "c" }] } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template, serviceName: "none" };
  return { apiVersion: "apps/v1", kind, metadata, spec } as ClusterObject;
}
