import type { Node, PersistentVolume, PersistentVolumeClaim } from "kubernetes-types/core/v1.js";
import type { StorageClass } from "kubernetes-types/storage/v1.js";
import { labelSelectorMatch } from "../api/label-selector.ts";
import { exactQuantity } from "../scheduler/node-resources.ts";
import type { Stored } from "./resource.ts";

const zoneLabel = "topology.kubernetes.io/zone";
export const selectedNodeAnnotation = "volume.kubernetes.io/selected-node";

export function claimReference({ metadata }: Stored<PersistentVolumeClaim>) {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid, resourceVersion };
}

/** The volume that a provisioner would make for the claim, in the zone of the node that was chosen for it. */
export function provisionedVolume(
  claim: Stored<PersistentVolumeClaim>,
  storageClass: Stored<StorageClass>,
  node: Node | undefined,
): PersistentVolume {
  const { provisioner, reclaimPolicy = "Delete", mountOptions } = storageClass;
  const name = `pvc-${claim.metadata.uid}`;
  const zone = node?.metadata?.labels?.[zoneLabel];
  const terms = [{ matchExpressions: [{ key: zoneLabel, operator: "In", values: [zone ?? ""] }] }];
  const { accessModes = [], volumeMode = "Filesystem", resources } = claim.spec ?? {};
  const body = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, annotations: { "pv.kubernetes.io/provisioned-by": provisioner } },
    spec: {
      capacity: { storage: resources?.requests?.storage ?? "1Gi" },
      accessModes,
      volumeMode,
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata.name,
      claimRef: claimReference(claim),
      csi: { driver: provisioner, volumeHandle: name },
      ...(mountOptions === undefined ? {} : { mountOptions }),
      ...(zone === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: terms } } }),
    },
  };
  return body as unknown as PersistentVolume;
}

/** The smallest free volume that the claim can have. */
export function freeVolumeFor(
  { spec }: Stored<PersistentVolumeClaim>,
  volumes: Iterable<Stored<PersistentVolume>>,
): Stored<PersistentVolume> | undefined {
  const wanted = exactQuantity(spec?.resources?.requests?.storage);
  const sizeOf = (volume: PersistentVolume) => exactQuantity(volume.spec?.capacity?.storage);
  const suits = (volume: Stored<PersistentVolume>): boolean =>
    volume.spec?.claimRef === undefined &&
    volume.metadata.deletionTimestamp === undefined &&
    (volume.spec?.storageClassName ?? "") === (spec?.storageClassName ?? "") &&
    (volume.spec?.volumeMode ?? "Filesystem") === (spec?.volumeMode ?? "Filesystem") &&
    (spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode)) &&
    (spec?.selector === undefined || labelSelectorMatch(spec.selector)(volume.metadata.labels ?? {})) &&
    sizeOf(volume) >= wanted;
  let smallest: Stored<PersistentVolume> | undefined;
  for (const volume of volumes) {
    if (suits(volume) && (smallest === undefined || sizeOf(volume) < sizeOf(smallest))) smallest = volume;
  }
  return smallest;
}
