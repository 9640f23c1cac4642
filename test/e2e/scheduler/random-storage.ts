import type { PersistentVolume, PersistentVolumeClaim } from "kubernetes-types/core/v1.js";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from "kubernetes-types/storage/v1.js";
import type { Dice } from "./dice.ts";
import { driver, hostnameKey, namespaces, zoneKey, zones } from "./words.ts";

const waits = "WaitForFirstConsumer";

export function randomClasses(dice: Dice): StorageClass[] {
  const make = (name: string, rest: Omit<StorageClass, "metadata">): StorageClass => ({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    ...rest,
  });
  return [
    make("waiting", { provisioner: driver, volumeBindingMode: waits }),
    make("zonal", {
      provisioner: driver,
      volumeBindingMode: waits,
      allowedTopologies: [{ matchLabelExpressions: [{ key: zoneKey, values: dice.several(zones) }] }],
    }),
    make("static", { provisioner: "kubernetes.io/no-provisioner", volumeBindingMode: waits }),
    make("old", { provisioner: "kubernetes.io/aws-ebs", volumeBindingMode: waits }),
    make("immediate", { provisioner: driver, volumeBindingMode: "Immediate" }),
  ];
}

const classNames = ["waiting", "zonal", "static", "old", "immediate"];

export interface Storage {
  readonly volumes: readonly PersistentVolume[];
  readonly claims: readonly PersistentVolumeClaim[];
}

export function randomStorage(dice: Dice, prefix: string, nodeNames: readonly string[]): Storage {
  const claims: PersistentVolumeClaim[] = [];
  const volumes = dice.times(2, 6, (index) => randomVolume(dice, `${prefix}v${index}`, nodeNames));
  for (const namespace of Object.keys(namespaces)) {
    claims.push(
      ...dice.times(2, 4, (index) => randomClaim(dice, { name: `${prefix}c${index}`, namespace }, nodeNames)),
    );
    const bound = dice.times(1, 3, (index) => boundPair(dice, { name: `${prefix}b${index}`, namespace }, nodeNames));
    claims.push(...bound.map(({ claim }) => claim));
    for (const { volume } of bound) if (dice.chance(0.93)) volumes.push(volume);
  }
  return { volumes, claims };
}

function randomVolume(dice: Dice, name: string, nodeNames: readonly string[]): PersistentVolume {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name,
      labels: {
        ...dice.maybe(0.3, () => ({ [zoneKey]: dice.pick(["z1", "z2", "z1__z3"]) })),
        ...dice.maybe(0.2, () => ({ "failure-domain.beta.kubernetes.io/zone": dice.pick(zones) })),
        ...dice.maybe(0.5, () => ({ kind: "fast" })),
      },
    },
    spec: {
      capacity: { storage: dice.pick(["1Gi", "2Gi", "5Gi"]) },
      accessModes: dice.several(["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"]),
      storageClassName: dice.pick(["static", "static", "waiting", "zonal"]),
      ...dice.maybe(0.15, () => ({ volumeMode: "Block" })),
      ...dice.pick([
        { csi: { driver, volumeHandle: dice.pick([name, "shared"]) } },
        { hostPath: { path: "/data" } },
        { awsElasticBlockStore: { volumeID: dice.pick(["vol-1", "vol-2"]) } },
      ]),
      // Some are meant for a claim that does not know of it.
      ...dice.maybe(0.2, () => ({
        claimRef: { kind: "PersistentVolumeClaim", name: `${name.split("v")[0]}c0`, namespace: "alpha" },
      })),
      ...dice.maybe(0.6, () => ({ nodeAffinity: { required: { nodeSelectorTerms: [randomReach(dice, nodeNames)] } } })),
    },
    status: { phase: dice.pick(["Available", "Available", "Available", "Released"]) },
  };
}

function randomReach(dice: Dice, nodeNames: readonly string[]) {
  const byZone = { matchExpressions: [{ key: zoneKey, operator: "In", values: dice.several(zones) }] };
  const byHost = { matchExpressions: [{ key: hostnameKey, operator: "In", values: [dice.pick(nodeNames)] }] };
  return dice.pick([byZone, byZone, byHost]);
}

function randomClaim(
  dice: Dice,
  { name, namespace }: { name: string; namespace: string },
  nodeNames: readonly string[],
): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      namespace,
      ...dice.maybe(0.1, () => ({ annotations: { "volume.kubernetes.io/selected-node": dice.pick(nodeNames) } })),
    },
    spec: {
      accessModes: [dice.pick(["ReadWriteOnce", "ReadWriteOnce", "ReadWriteOncePod", "ReadWriteMany"])],
      storageClassName: dice.chance(0.85) ? dice.pick(classNames.slice(0, 4)) : dice.pick(["immediate", "missing"]),
      resources: { requests: { storage: dice.pick(["1Gi", "1500M", "3Gi"]) } },
      ...dice.maybe(0.15, () => ({ selector: { matchLabels: { kind: "fast" } } })),
      ...dice.maybe(0.05, () => ({ volumeName: "nowhere" })),
    },
    status: { phase: dice.chance(0.04) ? "Lost" : "Pending" },
  };
}

function boundPair(dice: Dice, { name, namespace }: { name: string; namespace: string }, nodeNames: readonly string[]) {
  const volumeName = `${namespace}-${name}`;
  const claim = randomClaim(dice, { name, namespace }, nodeNames);
  const volume = randomVolume(dice, volumeName, nodeNames);
  return {
    claim: {
      ...claim,
      metadata: { ...claim.metadata, annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
      spec: { ...claim.spec, volumeName },
      status: { phase: "Bound" },
    },
    volume: {
      ...volume,
      spec: { ...volume.spec, claimRef: { kind: "PersistentVolumeClaim", name, namespace } },
      status: { phase: "Bound" },
    },
  };
}

export function randomCsiNodes(dice: Dice, nodeNames: readonly string[]): CSINode[] {
  return dice.some(nodeNames, 0.7).map((name) => ({
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: { name },
    spec: {
      drivers: [
        { name: driver, nodeID: name, ...dice.maybe(0.7, () => ({ allocatable: { count: dice.between(1, 3) } })) },
        { name: "ebs.csi.aws.com", nodeID: name, ...dice.maybe(0.7, () => ({ allocatable: { count: 1 } })) },
      ],
    },
  }));
}

export function randomCapacities(dice: Dice): [CSIDriver, ...CSIStorageCapacity[]] {
  return [
    {
      apiVersion: "storage.k8s.io/v1",
      kind: "CSIDriver",
      metadata: { name: driver },
      spec: { storageCapacity: dice.chance(0.4) },
    },
    ...dice.times(
      1,
      4,
      (index): CSIStorageCapacity => ({
        apiVersion: "storage.k8s.io/v1",
        kind: "CSIStorageCapacity",
        metadata: { name: `capacity${index}`, namespace: "alpha" },
        storageClassName: dice.pick(["waiting", "zonal"]),
        ...dice.maybe(0.9, () => ({ capacity: dice.pick(["1Gi", "2Gi", "10Gi"]) })),
        ...dice.maybe(0.3, () => ({ maximumVolumeSize: dice.pick(["1Gi", "4Gi"]) })),
        ...dice.maybe(0.9, () => ({
          nodeTopology: dice.chance(0.5) ? {} : { matchLabels: { [zoneKey]: dice.pick(zones) } },
        })),
      }),
    ),
  ];
}

export function randomAttachments(
  dice: Dice,
  nodeNames: readonly string[],
  volumes: readonly string[],
): VolumeAttachment[] {
  return dice.times(0, 3, (index) => ({
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: { name: `attachment${index}` },
    spec: {
      attacher: driver,
      nodeName: dice.pick(nodeNames),
      source: { persistentVolumeName: dice.pick(volumes) },
    },
  }));
}
