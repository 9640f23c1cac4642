import type { Pod, Volume } from "kubernetes-types/core/v1.js";
import { type Preparation, resolvable, type Situation, skip } from "../node-filter.ts";
import { volumesOf } from "../pod-info.ts";

const diskTaken = resolvable("node(s) had no available disk");
const claimTaken = resolvable(
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
);

export function volumeRestrictions({ cache, pod }: Situation): Preparation {
  const disks = volumesOf(pod.pod).filter(isExclusiveDisk);
  const exclusive = new Set<string>();
  for (const { persistentVolumeClaim } of volumesOf(pod.pod)) {
    if (persistentVolumeClaim === undefined) continue;
    const name = persistentVolumeClaim.claimName;
    const claim = cache.storage.claims.get(`${pod.namespace}/${name}`);
    if (claim === undefined) return { kind: "refuse", message: `persistentvolumeclaim "${name}" not found` };
    if (claim.spec?.accessModes?.includes("ReadWriteOncePod")) exclusive.add(name);
  }
  let conflicts = [...exclusive].filter((name) => cache.isClaimInUse(`${pod.namespace}/${name}`)).length;
  if (disks.length === 0 && conflicts === 0) return skip;
  return {
    kind: "filter",
    filter: {
      refuse({ pods }) {
        for (const other of pods) if (disks.some((disk) => isTakenBy(disk, other.pod))) return diskTaken;
        return conflicts > 0 ? claimTaken : undefined;
      },
      adjust({ pod: other }, _node, change) {
        for (const { persistentVolumeClaim } of volumesOf(other)) {
          if (persistentVolumeClaim !== undefined && exclusive.has(persistentVolumeClaim.claimName))
            conflicts += change;
        }
      },
    },
  };
}

/** Disks that a pod names itself and that only one pod, or only readers, can use at a time. */
function isExclusiveDisk({ gcePersistentDisk, awsElasticBlockStore, rbd, iscsi }: Volume): boolean {
  return (gcePersistentDisk ?? awsElasticBlockStore ?? rbd ?? iscsi) !== undefined;
}

function isTakenBy(disk: Volume, pod: Pod): boolean {
  return volumesOf(pod).some(
    (other) =>
      sameGceDisk(disk, other) || sameEbsDisk(disk, other) || sameIscsiDisk(disk, other) || sameRbd(disk, other),
  );
}

function sameGceDisk({ gcePersistentDisk: a }: Volume, { gcePersistentDisk: b }: Volume): boolean {
  return a !== undefined && b !== undefined && a.pdName === b.pdName && !onlyRead(a, b);
}

function sameEbsDisk({ awsElasticBlockStore: a }: Volume, { awsElasticBlockStore: b }: Volume): boolean {
  return a !== undefined && b !== undefined && a.volumeID === b.volumeID;
}

function sameIscsiDisk({ iscsi: a }: Volume, { iscsi: b }: Volume): boolean {
  return a !== undefined && b !== undefined && a.iqn === b.iqn && !onlyRead(a, b);
}

function sameRbd({ rbd: a }: Volume, { rbd: b }: Volume): boolean {
  if (a === undefined || b === undefined || onlyRead(a, b)) return false;
  const isSameImage = (a.pool ?? "rbd") === (b.pool ?? "rbd") && a.image === b.image;
  return isSameImage && a.monitors.some((monitor) => b.monitors.includes(monitor));
}

function onlyRead(a: { readonly readOnly?: boolean }, b: { readonly readOnly?: boolean }): boolean {
  return a.readOnly === true && b.readOnly === true;
}
