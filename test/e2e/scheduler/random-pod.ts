import type {
  Affinity,
  Container,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  PodAffinityTerm,
  PodSpec,
  Toleration,
  TopologySpreadConstraint,
  Volume,
} from "kubernetes-types/core/v1.js";
import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import type { Dice } from "./dice.ts";
import { apps, gpu, namespaces, priorityClasses, tiers, topologyKeys, zoneKey, zones } from "./words.ts";

export interface PodSurroundings {
  readonly nodeNames: readonly string[];
  /** Claims by namespace. */
  readonly claims: ReadonlyMap<string, readonly string[]>;
  /** How often each constraint is used: pods that run already need fewer. */
  readonly density: number;
}

export function randomPod(dice: Dice, name: string, surroundings: PodSurroundings): Pod {
  const namespace = dice.pick(Object.keys(namespaces));
  const labels = {
    ...dice.maybe(0.85, () => ({ app: dice.pick(apps) })),
    ...dice.maybe(0.6, () => ({ tier: dice.pick(tiers) })),
    ...dice.maybe(0.4, () => ({ version: dice.pick(["1", "2"]) })),
  };
  const owner = { apiVersion: "apps/v1", kind: dice.pick(["ReplicaSet", "StatefulSet"]), name: dice.pick(apps) };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      labels,
      ...dice.maybe(0.3, () => ({ ownerReferences: [{ ...owner, uid: "7b1c", controller: true }] })),
    },
    spec: randomSpec(dice, namespace, surroundings),
  };
}

function randomSpec(dice: Dice, namespace: string, { nodeNames, claims, density }: PodSurroundings): PodSpec {
  const usesMany = (share: number) => share * density;
  const volumes = dice.chance(usesMany(0.3)) ? randomVolumes(dice, claims.get(namespace) ?? []) : [];
  const spec = {
    terminationGracePeriodSeconds: 0,
    containers: dice.times(1, 2, (index) => randomContainer(dice, `c${index}`)),
    ...dice.maybe(usesMany(0.25), () => ({
      initContainers: dice.times(1, 2, (index) => ({
        ...randomContainer(dice, `i${index}`),
        ...dice.maybe(0.5, () => ({ restartPolicy: "Always" })),
      })),
    })),
    ...dice.maybe(usesMany(0.1), () => ({ overhead: { cpu: "150m", memory: "64Mi" } })),
    ...dice.maybe(usesMany(0.2), () => ({ nodeSelector: { disk: dice.pick(["ssd", "hdd"]) } })),
    ...dice.maybe(0.5, () => ({ tolerations: dice.times(1, 3, () => randomToleration(dice)) })),
    ...dice.maybe(0.5, () => ({ priorityClassName: dice.pick(Object.keys(priorityClasses)) })),
    ...dice.maybe(usesMany(0.35), () => ({ topologySpreadConstraints: randomSpread(dice) })),
    affinity: randomAffinity(dice, nodeNames, density),
    volumes,
  };
  return dice.chance(usesMany(0.1)) ? withPodResources(dice, spec) : spec;
}

/** A pod as a whole must ask for as much as its containers do. */
function withPodResources(dice: Dice, spec: PodSpec): PodSpec {
  return { ...spec, resources: { requests: { cpu: dice.pick(["2", "5", "9"]) } } } as PodSpec;
}

function randomContainer(dice: Dice, name: string): Container {
  return {
    name,
    image: dice.pick(["example.com/a", "example.com/b:1", "c"]),
    resources: {
      requests: {
        ...dice.maybe(0.7, () => ({ cpu: dice.pick(["1m", "100m", "250m", "500m", "1", "0.0015"]) })),
        ...dice.maybe(0.6, () => ({ memory: dice.pick(["64Mi", "300M", "1Gi", "2Gi", "1500m"]) })),
        ...dice.maybe(0.2, () => ({ "ephemeral-storage": dice.pick(["1Gi", "3Gi"]) })),
      },
      limits: dice.maybe(0.15, () => ({ [gpu]: dice.pick(["1", "2"]) })),
    },
    ...dice.maybe(0.2, () => ({ ports: [randomPort(dice)] })),
  };
}

function randomPort(dice: Dice) {
  return {
    containerPort: 80,
    hostPort: dice.between(8000, 8002),
    protocol: dice.pick(["TCP", "TCP", "UDP"]),
    ...dice.maybe(0.4, () => ({ hostIP: dice.pick(["0.0.0.0", "127.0.0.1", "10.0.0.1"]) })),
  };
}

function randomToleration(dice: Dice): Toleration {
  if (dice.chance(0.1)) return { operator: "Exists" };
  const effect = dice.maybe(0.6, () => ({ effect: dice.pick(["NoSchedule", "NoExecute", "PreferNoSchedule"]) }));
  if (dice.chance(0.2)) return { key: "node.kubernetes.io/unschedulable", operator: "Exists", ...effect };
  const key = dice.pick(["dedicated", "special"]);
  return dice.chance(0.5) ? { key, operator: "Exists", ...effect } : { key, value: dice.pick(["a", "b"]), ...effect };
}

export function randomSelector(dice: Dice): LabelSelector {
  if (dice.chance(0.1)) return {};
  if (dice.chance(0.5)) return { matchLabels: { app: dice.pick(apps) } };
  const expression = dice.pick([
    { key: "app", operator: "In", values: dice.several(apps) },
    { key: "tier", operator: "NotIn", values: [dice.pick(tiers)] },
    { key: "version", operator: "Exists" },
    { key: "tier", operator: "DoesNotExist" },
  ]);
  return { ...dice.maybe(0.3, () => ({ matchLabels: { tier: dice.pick(tiers) } })), matchExpressions: [expression] };
}

function randomSpread(dice: Dice): TopologySpreadConstraint[] {
  const constraints = dice.times(1, 2, (): TopologySpreadConstraint => {
    const whenUnsatisfiable = dice.pick(["DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"]);
    return {
      topologyKey: dice.pick(topologyKeys),
      whenUnsatisfiable,
      maxSkew: dice.between(1, 3),
      ...dice.maybe(0.9, () => ({
        labelSelector: randomSelector(dice),
        ...dice.maybe(0.2, () => ({ matchLabelKeys: ["version"] })),
      })),
      ...(whenUnsatisfiable === "DoNotSchedule" ? dice.maybe(0.3, () => ({ minDomains: dice.between(1, 4) })) : {}),
      ...dice.maybe(0.3, () => ({ nodeAffinityPolicy: dice.pick(["Honor", "Ignore"]) })),
      ...dice.maybe(0.3, () => ({ nodeTaintsPolicy: dice.pick(["Honor", "Ignore"]) })),
    };
  });
  const key = ({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint) => `${topologyKey} ${whenUnsatisfiable}`;
  return [...new Map(constraints.map((constraint) => [key(constraint), constraint])).values()];
}

function randomAffinity(dice: Dice, nodeNames: readonly string[], density: number): Affinity {
  const weighted = () =>
    dice.times(1, 2, () => ({ weight: dice.between(1, 100), podAffinityTerm: randomPodTerm(dice) }));
  const podRules = (requiredShare: number) => ({
    ...dice.maybe(requiredShare * density, () => ({
      requiredDuringSchedulingIgnoredDuringExecution: dice.times(1, 2, () => randomPodTerm(dice)),
    })),
    ...dice.maybe(0.2, () => ({ preferredDuringSchedulingIgnoredDuringExecution: weighted() })),
  });
  return {
    nodeAffinity: {
      ...dice.maybe(0.3 * density, () => ({
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: dice.times(1, 3, () => randomNodeTerm(dice, nodeNames)),
        },
      })),
      ...dice.maybe(0.2, () => ({
        preferredDuringSchedulingIgnoredDuringExecution: dice.times(1, 2, () => ({
          weight: dice.between(1, 100),
          preference: randomNodeTerm(dice, nodeNames),
        })),
      })),
    },
    podAffinity: podRules(0.15),
    podAntiAffinity: podRules(0.2),
  };
}

function randomPodTerm(dice: Dice): PodAffinityTerm {
  const hasSelector = dice.chance(0.95);
  return {
    topologyKey: dice.pick(topologyKeys),
    ...(hasSelector ? { labelSelector: randomSelector(dice) } : {}),
    ...(hasSelector ? dice.maybe(0.15, () => ({ matchLabelKeys: ["version"] })) : {}),
    ...(hasSelector ? dice.maybe(0.15, () => ({ mismatchLabelKeys: ["tier"] })) : {}),
    ...dice.maybe(0.2, () => ({ namespaces: dice.some(Object.keys(namespaces)) })),
    ...dice.maybe(0.25, () => ({ namespaceSelector: randomNamespaceSelector(dice) })),
  };
}

function randomNamespaceSelector(dice: Dice): LabelSelector {
  return dice.pick<LabelSelector>([
    {},
    { matchLabels: { team: "one" } },
    { matchExpressions: [{ key: "env", operator: "NotIn", values: ["prod"] }] },
    { matchExpressions: [{ key: "env", operator: "Exists" }] },
  ]);
}

function randomNodeTerm(dice: Dice, nodeNames: readonly string[]): NodeSelectorTerm {
  if (dice.chance(0.05)) return {};
  return {
    ...dice.maybe(0.8, () => ({ matchExpressions: dice.times(1, 2, () => randomNodeCondition(dice)) })),
    ...dice.maybe(0.25, () => ({
      matchFields: [
        {
          key: "metadata.name",
          operator: dice.pick(["In", "In", "NotIn"]),
          values: [dice.pick([...nodeNames, "nowhere"])],
        },
      ],
    })),
  };
}

function randomNodeCondition(dice: Dice): NodeSelectorRequirement {
  return dice.pick([
    { key: zoneKey, operator: "In", values: ["z1", dice.pick(zones)] },
    { key: zoneKey, operator: "NotIn", values: [dice.pick(zones)] },
    { key: "disk", operator: "Exists" },
    { key: "disk", operator: "DoesNotExist" },
    { key: "size", operator: "Gt", values: [String(dice.between(1, 15))] },
    { key: "size", operator: "Lt", values: [String(dice.between(5, 20))] },
  ]);
}

function randomVolumes(dice: Dice, claims: readonly string[]): Volume[] {
  return dice.times(1, 2, (index) => {
    const name = `v${index}`;
    const claimName = dice.chance(0.97) ? dice.pick(claims) : "nothing";
    if (dice.chance(0.8) && claimName !== undefined) return { name, persistentVolumeClaim: { claimName } };
    return { name, ...dice.pick(inlineVolumes) };
  });
}

const inlineVolumes: readonly Omit<Volume, "name">[] = [
  { gcePersistentDisk: { pdName: "disk" } },
  { gcePersistentDisk: { pdName: "disk", readOnly: true } },
  { awsElasticBlockStore: { volumeID: "vol-1" } },
  { iscsi: { targetPortal: "10.0.0.1:3260", iqn: "iqn.2001-04.com.example:storage", lun: 0, readOnly: true } },
  { iscsi: { targetPortal: "10.0.0.1:3260", iqn: "iqn.2001-04.com.example:storage", lun: 0 } },
  { rbd: { monitors: ["10.0.0.1", "10.0.0.2"], image: "image" } },
  { rbd: { monitors: ["10.0.0.2"], image: "image", readOnly: true } },
  {
    ephemeral: {
      volumeClaimTemplate: {
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    },
  },
  { emptyDir: {} },
];
