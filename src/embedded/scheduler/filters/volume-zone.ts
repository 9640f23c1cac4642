import type { PersistentVolume } from "kubernetes-types/core/v1.js";
import { labelValue } from "../../label-matcher.ts";
import { filterBy, type Preparation, type Situation, skip, unresolvable } from "../node-filter.ts";
import { labelsOf } from "../node-selector.ts";
import { volumesOf } from "../pod-info.ts";
import { classOfClaim } from "../storage-state.ts";

const elsewhere = unresolvable("node(s) had no available volume zone");

/** Label keys of zones and regions, and the newer name of those that are old. */
const topologyKeys: ReadonlyMap<string, string> = new Map([
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
  ["topology.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["topology.kubernetes.io/region", "topology.kubernetes.io/region"],
]);

/** Where a volume is, by its labels. */
interface Place {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

export function volumeZone(situation: Situation): Preparation {
  const places: Place[] = [];
  for (const { persistentVolumeClaim } of volumesOf(situation.pod.pod)) {
    if (persistentVolumeClaim === undefined) continue;
    const found = placesOfClaim(situation, persistentVolumeClaim.claimName);
    if (typeof found === "string") return { kind: "refuse", message: found };
    places.push(...found);
  }
  if (places.length === 0) return skip;
  return filterBy(({ labels }) => {
    const nodeValue = (key: string) => labelValue(labels, key);
    // A cluster that is all in one place may have no such labels.
    if ([...topologyKeys.keys()].every((key) => nodeValue(key) === undefined)) return undefined;
    const isThere = ({ key, values }: Place) =>
      values.has(nodeValue(key) ?? nodeValue(topologyKeys.get(key) ?? "") ?? "");
    return places.every(isThere) ? undefined : elsewhere;
  });
}

/** The reason, if the claim cannot be looked up. */
function placesOfClaim({ cache, pod }: Situation, name: string): readonly Place[] | string {
  const { claims, classes, volumes } = cache.storage;
  const claim = claims.get(`${pod.namespace}/${name}`);
  if (claim === undefined) return `persistentvolumeclaim "${name}" not found`;
  const volumeName = claim.spec?.volumeName ?? "";
  if (volumeName !== "") {
    const volume = volumes.get(volumeName);
    return volume === undefined ? `persistentvolume "${volumeName}" not found` : placesOf(volume);
  }
  const className = classOfClaim(claim);
  if (className === "") return "PersistentVolumeClaim had no pv name and storageClass name";
  const storageClass = classes.get(className);
  if (storageClass === undefined) return `storageclass.storage.k8s.io "${className}" not found`;
  return storageClass.volumeBindingMode === "WaitForFirstConsumer" ? [] : "PersistentVolume had no name";
}

/** A volume may be in several zones, whose names are joined. */
function placesOf(volume: PersistentVolume): Place[] {
  return [...topologyKeys.keys()].flatMap((key) => {
    const value = labelValue(labelsOf(volume), key);
    const values = value?.split("__").map((part) => part.trim()) ?? [];
    return value === undefined || values.includes("") ? [] : [{ key, values: new Set(values) }];
  });
}
