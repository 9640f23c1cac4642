import type { PersistentVolumeClaim, Pod, Volume } from "kubernetes-types/core/v1.js";
import type { CSINode } from "kubernetes-types/storage/v1.js";
import { driverOfProvisioner, driverOfVolumeFields } from "../../../core/api/in-tree-drivers.ts";
import { filterBy, type Preparation, resolvable, type Situation, skip } from "../node-filter.ts";
import { claimNameOf, volumesOf } from "../pod-info.ts";
import { classOfClaim, type StorageState } from "../storage-state.ts";

const tooMany = resolvable("node(s) exceed max volume count");

/** Drivers that have taken over from volume plugins of Kubernetes for good. */
const successors = new Set([
  "ebs.csi.aws.com",
  "pd.csi.storage.gke.io",
  "disk.csi.azure.com",
  "cinder.csi.openstack.org",
  "pxd.portworx.com",
]);

export function nodeVolumeLimits({ cache, pod }: Situation): Preparation {
  const { storage } = cache;
  const counts = volumesOf(pod.pod).some(
    (volume) => claimNameOf(pod.pod, volume) !== undefined || takenOver(volume) !== undefined,
  );
  if (!counts) return skip;
  const own = attachedBy(pod.pod, storage);
  return filterBy(({ name, pods }) => {
    const csiNode = storage.csiNodes.get(name);
    const limits = limitsOf(csiNode);
    if (csiNode === undefined || limits.size === 0) return undefined;
    const wanted = new Map(own);
    const attached = new Map<string, string>();
    for (const other of pods) for (const [id, driver] of attachedBy(other.pod, storage)) attached.set(id, driver);
    for (const id of attached.keys()) wanted.delete(id);
    // One that is only still attached counts beside the pod's, even if it is the same.
    for (const [id, driver] of attachmentsOf(name, storage)) attached.set(id, driver);
    const isOver = [...countByDriver(wanted)].some(([driver, count]) => {
      const limit = limits.get(driver);
      return limit !== undefined && (countByDriver(attached).get(driver) ?? 0) + count > limit;
    });
    return isOver ? tooMany : undefined;
  });
}

function limitsOf(csiNode: CSINode | undefined): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { name, allocatable } of csiNode?.spec.drivers ?? []) {
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
  }
  return limits;
}

/** The drivers of the pod's volumes, by what tells one volume from another. */
function attachedBy(pod: Pod, storage: StorageState): Map<string, string> {
  const attached = new Map<string, string>();
  for (const volume of volumesOf(pod)) {
    const found = volumeIdentity(pod, volume, storage);
    if (found !== undefined) attached.set(`${found.driver}/${found.handle}`, found.driver);
  }
  return attached;
}

interface Identity {
  readonly driver: string;
  readonly handle: string;
}

function volumeIdentity(pod: Pod, volume: Volume, storage: StorageState): Identity | undefined {
  const name = claimNameOf(pod, volume);
  if (name === undefined) {
    return takenOver(volume);
  }
  const claim = storage.claims.get(`${pod.metadata?.namespace ?? ""}/${name}`);
  if (claim === undefined) return undefined;
  const source = storage.volumes.get(claim.spec?.volumeName ?? "")?.spec;
  if (source === undefined) return provisionedIdentity(claim, storage);
  if (source.csi !== undefined) return { driver: source.csi.driver, handle: source.csi.volumeHandle };
  return takenOver(source);
}

type OldSource = Pick<Volume, "awsElasticBlockStore" | "gcePersistentDisk" | "azureDisk" | "cinder" | "portworxVolume">;

/** A volume of an old plugin, as its driver knows it. */
function takenOver(source: OldSource): Identity | undefined {
  const driver = driverOfVolumeFields(Object.keys(source));
  if (!successors.has(driver)) return undefined;
  const { awsElasticBlockStore, gcePersistentDisk, azureDisk, cinder, portworxVolume } = source;
  const handle =
    awsElasticBlockStore?.volumeID.split("/").at(-1) ??
    gcePersistentDisk?.pdName ??
    azureDisk?.diskURI ??
    cinder?.volumeID ??
    portworxVolume?.volumeID;
  return { driver, handle: handle ?? "" };
}

/** A volume that does not exist yet is told apart by its claim. */
function provisionedIdentity(claim: PersistentVolumeClaim, { classes }: StorageState): Identity | undefined {
  const provisioner = classes.get(classOfClaim(claim))?.provisioner;
  if (provisioner === undefined) return undefined;
  const driver = driverOfProvisioner(provisioner);
  if (driver !== provisioner && !successors.has(driver)) return undefined;
  return { driver, handle: `claim ${claim.metadata?.namespace ?? ""}/${claim.metadata?.name ?? ""}` };
}

function attachmentsOf(node: string, storage: StorageState): Map<string, string> {
  const attached = new Map<string, string>();
  for (const { spec } of storage.attachments.with(node)) {
    const csi = storage.volumes.get(spec.source.persistentVolumeName ?? "")?.spec?.csi;
    if (csi !== undefined) attached.set(`${spec.attacher}/${csi.volumeHandle}`, spec.attacher);
  }
  return attached;
}

function countByDriver(volumes: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const driver of volumes.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1);
  return counts;
}
