import { hostnameLabel } from "../model/labels.ts";
import type { Pod, PodSpec, VolumeClaimUse } from "../model/pod.ts";
import { conflictingKey, intersectAll, type NodeTerm } from "../model/requirements.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { findDefaultClass, type StorageClass, type VolumeClaim } from "../model/volumes.ts";

/** What a pod's volumes ask of a node, or why the pod cannot be helped until somebody mends them. */
export type VolumeNeeds =
  | {
      readonly kind: "usable";
      /** One of them must hold, unless there are none. */
      readonly alternatives: readonly NodeTerm[];
      /** Claims that take an attachment, with their driver. */
      readonly attachments: readonly { readonly claim: string; readonly driver: string }[];
    }
  | { readonly kind: "broken"; readonly claim: string; readonly problem: VolumeProblem };

export type VolumeProblem =
  | "claim-missing"
  | "claim-deleting"
  | "claim-lost"
  | "volume-missing"
  | "volume-deleting"
  | "binding-incomplete"
  | "no-storage-class"
  | "storage-class-missing"
  | "binds-immediately";

/** A pod with many volumes of many alternatives each is not expanded beyond this. */
const maxAlternatives = 256;

export function volumeNeeds(spec: PodSpec, namespace: string, snapshot: Snapshot): VolumeNeeds {
  let alternatives: readonly NodeTerm[] = [];
  const attachments: { claim: string; driver: string }[] = [];
  for (const use of spec.volumeClaims) {
    const need = claimNeed(use, namespace, snapshot);
    if (need.kind === "broken") return need;
    alternatives = combine(alternatives, need.alternatives);
    attachments.push(...need.attachments);
  }
  return { kind: "usable", alternatives, attachments };
}

/** What a running pod has attached, also when its claim is being deleted or broken otherwise: it is attached still. */
export function attachmentsOf({ spec, namespace }: Pod, snapshot: Snapshot): { claim: string; driver: string }[] {
  const { storageClasses, volumeClaims, volumes } = snapshot;
  return spec.volumeClaims.flatMap((use) => {
    const name = `${namespace}/${use.claimName}`;
    const claim = volumeClaims.get(name);
    const volume = volumes.get(claim?.volumeName ?? "");
    const storageClass = claim ? storageClasses.get(claim.storageClassName ?? "") : classOfNewClaim(use, snapshot);
    return attachment(name, volume?.driver ?? storageClass?.driver ?? "");
  });
}

function claimNeed(use: VolumeClaimUse, namespace: string, snapshot: Snapshot): VolumeNeeds {
  const name = `${namespace}/${use.claimName}`;
  const broken = (problem: VolumeProblem): VolumeNeeds => ({ kind: "broken", claim: name, problem });
  const claim = snapshot.volumeClaims.get(name);
  if (claim === undefined) {
    // The claim of an ephemeral volume is only made once the pod is; until then its template speaks for it.
    return use.isEphemeral ? classNeed(name, classOfNewClaim(use, snapshot)) : broken("claim-missing");
  }
  if (claim.isDeleting) return broken("claim-deleting");
  if (claim.isLost) return broken("claim-lost");
  return claim.volumeName === "" ? unboundNeed(name, claim, snapshot) : boundNeed(name, claim, snapshot);
}

function boundNeed(name: string, claim: VolumeClaim, snapshot: Snapshot): VolumeNeeds {
  if (!claim.isBindCompleted) return { kind: "broken", claim: name, problem: "binding-incomplete" };
  const volume = snapshot.volumes.get(claim.volumeName);
  if (volume === undefined) return { kind: "broken", claim: name, problem: "volume-missing" };
  if (volume.isDeleting) return { kind: "broken", claim: name, problem: "volume-deleting" };
  const alternatives = volume.isLocal ? volume.nodeTerms.map(withoutHostname) : volume.nodeTerms;
  return { kind: "usable", alternatives, attachments: attachment(name, volume.driver) };
}

function unboundNeed(name: string, claim: VolumeClaim, snapshot: Snapshot): VolumeNeeds {
  if (!claim.storageClassName) return { kind: "broken", claim: name, problem: "no-storage-class" };
  const storageClass = snapshot.storageClasses.get(claim.storageClassName);
  if (storageClass === undefined) return { kind: "broken", claim: name, problem: "storage-class-missing" };
  if (storageClass.bindsImmediately) return { kind: "broken", claim: name, problem: "binds-immediately" };
  return classNeed(name, storageClass);
}

function classNeed(name: string, storageClass: StorageClass | undefined): VolumeNeeds {
  if (storageClass === undefined) return { kind: "broken", claim: name, problem: "storage-class-missing" };
  return {
    kind: "usable",
    alternatives: storageClass.allowedTopologies,
    attachments: attachment(name, storageClass.driver),
  };
}

/** The class that the API server will give a claim that is still to be made. */
function classOfNewClaim({ storageClassName }: VolumeClaimUse, { storageClasses }: Snapshot): StorageClass | undefined {
  return storageClassName === undefined
    ? findDefaultClass(storageClasses.values())
    : storageClasses.get(storageClassName);
}

function attachment(claim: string, driver: string): { claim: string; driver: string }[] {
  return driver === "" ? [] : [{ claim, driver }];
}

function withoutHostname(term: NodeTerm): NodeTerm {
  const rest = new Map(term);
  rest.delete(hostnameLabel);
  return rest;
}

/** Every pair that some node could satisfy; all pairs when none could, so that the refusal can name the conflict. */
function combine(first: readonly NodeTerm[], second: readonly NodeTerm[]): readonly NodeTerm[] {
  if (first.length === 0 || second.length === 0) return first.length === 0 ? second : first;
  const pairs = first.flatMap((a) => second.map((b) => [a, b] as const)).slice(0, maxAlternatives);
  const possible = pairs.filter(([a, b]) => conflictingKey(a, b) === undefined);
  return (possible.length > 0 ? possible : pairs).map(([a, b]) => intersectAll(a, b));
}
