import type { Node, PersistentVolume, PersistentVolumeClaim } from "kubernetes-types/core/v1.js";
import type { CSIStorageCapacity, StorageClass } from "kubernetes-types/storage/v1.js";
import { matcherOf, matcherOfConditions } from "../label-matcher.ts";
import { exactQuantity } from "./node-resources.ts";
import { labelsOf, matchNodeSelector } from "./node-selector.ts";
import { classOfClaim, classOfVolume, type StorageState } from "./storage-state.ts";

export interface PodClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** Those that wait for the pod to get a node. */
  readonly unbound: readonly PersistentVolumeClaim[];
}

/** What becomes of the claims that wait for the pod, once it goes to a certain node. */
export interface VolumePlan {
  readonly bindings: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
  /** Volumes are to be made for these: they get the annotation `volume.kubernetes.io/selected-node`. */
  readonly provisions: readonly PersistentVolumeClaim[];
}

const selectedNode = "volume.kubernetes.io/selected-node";
/** The provisioner of classes whose volumes are made by hand. */
const noProvisioner = "kubernetes.io/no-provisioner";

export function planVolumes(
  claims: readonly PersistentVolumeClaim[],
  node: Node,
  storage: StorageState,
): VolumePlan | "no volume" | "no space" {
  const chosen = claims.map((claim) => claim.metadata?.annotations?.[selectedNode]);
  if (chosen.some((name) => name !== undefined && name !== node.metadata?.name)) return "no volume";
  const provisions = claims.filter((_, position) => chosen[position] !== undefined);
  const open = claims.filter((_, position) => chosen[position] === undefined);
  const bindings: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
  const taken = new Set<PersistentVolume>();
  // The smallest claim first, so that it takes the smallest volume that is large enough.
  for (const claim of open.toSorted((a, b) => compare(sizeOf(a), sizeOf(b)))) {
    const volume = findVolume(claim, node, { storage, taken });
    if (volume === undefined) provisions.push(claim);
    else {
      taken.add(volume);
      bindings.push({ claim, volume });
    }
  }
  for (const claim of provisions) {
    const storageClass = storage.classes.get(classOfClaim(claim));
    if (!canProvision(storageClass, node)) return "no volume";
    if (!hasSpace(claim, node, storage)) return "no space";
  }
  return { bindings, provisions };
}

function findVolume(
  claim: PersistentVolumeClaim,
  node: Node,
  { storage, taken }: { storage: StorageState; taken: ReadonlySet<PersistentVolume> },
): PersistentVolume | undefined {
  let smallest: PersistentVolume | undefined;
  for (const volume of storage.volumes.with(classOfClaim(claim))) {
    if (taken.has(volume) || !couldServe(volume, claim)) continue;
    const isOurs = volume.spec?.claimRef !== undefined;
    if (isOurs) return volumeReaches(volume, node) ? volume : undefined;
    if (!isFree(volume, claim) || !volumeReaches(volume, node)) continue;
    if (smallest === undefined || sizeOfVolume(volume) < sizeOfVolume(smallest)) smallest = volume;
  }
  return smallest;
}

function couldServe(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (volume.spec?.claimRef !== undefined && !isReservedFor(volume, claim)) return false;
  if (sizeOfVolume(volume) < sizeOf(claim) || volume.metadata?.deletionTimestamp !== undefined) return false;
  if ((volume.spec?.volumeMode ?? "Filesystem") !== (claim.spec?.volumeMode ?? "Filesystem")) return false;
  return attributesClass(volume.spec) === attributesClass(claim.spec);
}

function attributesClass(spec: { readonly volumeAttributesClassName?: string } | undefined): string {
  return spec?.volumeAttributesClassName ?? "";
}

function isReservedFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { name, namespace, uid = "" } = spec?.claimRef ?? {};
  if (name !== metadata?.name || namespace !== metadata?.namespace) return false;
  return uid === "" || uid === metadata?.uid;
}

function isFree(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (volume.status?.phase !== "Available" || classOfVolume(volume) !== classOfClaim(claim)) return false;
  const selector = claim.spec?.selector;
  if (selector !== undefined && !matcherOf(selector).matches(labelsOf(volume))) return false;
  return (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode));
}

/** Volumes look at the labels of nodes only, not at their names. */
export function volumeReaches(volume: PersistentVolume | undefined, node: Node): boolean {
  const required = volume?.spec?.nodeAffinity?.required;
  return required === undefined || matchNodeSelector(required)({ metadata: { labels: labelsOf(node) } });
}

function canProvision(storageClass: StorageClass | undefined, node: Node): boolean {
  if (storageClass === undefined || storageClass.provisioner === noProvisioner) return false;
  const terms = storageClass.allowedTopologies ?? [];
  return (
    terms.length === 0 ||
    terms.some(({ matchLabelExpressions = [] }) => {
      const conditions = matchLabelExpressions.map(({ key, values }) => ({ key, operator: "In", values }));
      return conditions.length > 0 && matcherOfConditions(conditions).matches(labelsOf(node));
    })
  );
}

/** Only drivers that publish their capacity are held to it. */
function hasSpace(
  claim: PersistentVolumeClaim,
  node: Node,
  { classes, csiDrivers, capacities }: StorageState,
): boolean {
  const className = classOfClaim(claim);
  const driver = csiDrivers.get(classes.get(className)?.provisioner ?? "");
  if (driver?.spec.storageCapacity !== true || claim.spec?.resources?.requests?.storage === undefined) return true;
  for (const capacity of capacities.values()) {
    if (capacity.storageClassName === className && isEnough(capacity, claim) && isReachable(capacity, node))
      return true;
  }
  return false;
}

function isEnough({ maximumVolumeSize, capacity }: CSIStorageCapacity, claim: PersistentVolumeClaim): boolean {
  const limit = maximumVolumeSize ?? capacity;
  return limit !== undefined && exactQuantity(limit) >= sizeOf(claim);
}

function isReachable({ nodeTopology }: CSIStorageCapacity, node: Node): boolean {
  return matcherOf(nodeTopology).matches(labelsOf(node));
}

function sizeOf({ spec }: PersistentVolumeClaim): bigint {
  return exactQuantity(spec?.resources?.requests?.storage);
}

function sizeOfVolume({ spec }: PersistentVolume): bigint {
  return exactQuantity(spec?.capacity?.storage);
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
