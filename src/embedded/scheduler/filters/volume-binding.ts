import type { PersistentVolumeClaim, Pod, Volume } from "kubernetes-types/core/v1.js";
import { filterBy, type Preparation, type Situation, skip, unresolvable } from "../node-filter.ts";
import { claimNameOf, volumesOf } from "../pod-info.ts";
import { classOfClaim, type StorageState } from "../storage-state.ts";
import { type PodClaims, planVolumes, volumeReaches } from "../volume-plan.ts";

const wrongNode = "node(s) didn't match PersistentVolume's node affinity";
const noVolume = "node(s) didn't find available persistent volumes to bind";
const noSpace = "node(s) did not have enough free storage";
const lostVolume = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

export function volumeBinding({ cache, pod }: Situation): Preparation {
  const { storage } = cache;
  const found = claimsOf(pod.pod, storage);
  if (typeof found === "string") return { kind: "refuse", message: found };
  if (found.bound.length === 0 && found.unbound.length === 0) return skip;
  return filterBy(({ node }) => {
    if (node === undefined) return undefined;
    const reasons: string[] = [];
    const missing = found.bound.findIndex(({ spec }) => storage.volumes.get(spec?.volumeName ?? "") === undefined);
    const present = missing === -1 ? found.bound : found.bound.slice(0, missing);
    const isWrong = present.some(({ spec }) => !volumeReaches(storage.volumes.get(spec?.volumeName ?? ""), node));
    if (isWrong) reasons.push(wrongNode);
    const plan = planVolumes(found.unbound, node, storage);
    if (plan === "no volume") reasons.push(noVolume);
    if (plan === "no space") reasons.push(noSpace);
    if (missing !== -1 && !isWrong) reasons.push(lostVolume);
    return reasons.length === 0 ? undefined : unresolvable(...reasons);
  });
}

/** The pod's claims, or the reason why it cannot run anywhere yet. */
export function claimsOf(pod: Pod, storage: StorageState): PodClaims | string {
  const claims: PersistentVolumeClaim[] = [];
  for (const volume of volumesOf(pod)) {
    const name = claimNameOf(pod, volume);
    if (name === undefined) continue;
    const claim = storage.claims.get(`${pod.metadata?.namespace ?? ""}/${name}`);
    const problem = claim === undefined ? missingMessage(volume, name) : problemOf(pod, volume, claim);
    if (problem !== undefined) return problem;
    if (claim !== undefined) claims.push(claim);
  }
  const open = claims.filter((claim) => !isBound(claim));
  if (open.some((claim) => !waitsForPod(claim, storage))) return "pod has unbound immediate PersistentVolumeClaims";
  return { bound: claims.filter(isBound), unbound: open };
}

function missingMessage({ ephemeral }: Volume, name: string): string {
  return ephemeral === undefined
    ? `persistentvolumeclaim "${name}" not found`
    : `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`;
}

function problemOf(
  pod: Pod,
  { ephemeral }: Volume,
  { metadata, spec, status }: PersistentVolumeClaim,
): string | undefined {
  const name = metadata?.name ?? "";
  if (status?.phase === "Lost") {
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${spec?.volumeName ?? ""}"`;
  }
  if (metadata?.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (ephemeral === undefined || owner?.uid === pod.metadata?.uid) return undefined;
  const namespace = pod.metadata?.namespace ?? "";
  return `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata?.name ?? ""} (pod is not owner)`;
}

/** Both sides of the bond have been written. */
function isBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return (spec?.volumeName ?? "") !== "" && metadata?.annotations?.["pv.kubernetes.io/bind-completed"] !== undefined;
}

/** Its volume is found, or made, once the pod's node is known. */
function waitsForPod(claim: PersistentVolumeClaim, { classes }: StorageState): boolean {
  const mode = classes.get(classOfClaim(claim))?.volumeBindingMode;
  return mode === "WaitForFirstConsumer" && (claim.spec?.volumeName ?? "") === "";
}
