import type { PersistentVolume } from "kubernetes-types/core/v1.js";
import type { Draft } from "../kube-object.ts";
import { shortAccessModes } from "./access-modes.ts";
import { ageColumn, cellOf, nameColumn, textColumn, wideColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { roundResources } from "./resource-list.ts";
import { validateVolume, validateVolumeUpdate } from "./validation/validate-storage.ts";

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

interface WithAttributesClass {
  volumeAttributesClassName?: string;
}

export const persistentVolumeResource: ResourceDefinition = defineResource({
  group: "",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  returnsDeletedObject: true,
  shortNames: ["pv"],
  isNamespaced: false,
  hasStatus: true,
  columns: [
    nameColumn,
    textColumn(
      "Capacity",
      "Size of the volume.",
      cellOf(({ spec }: PersistentVolume) => String(spec?.capacity?.storage ?? "0")),
    ),
    textColumn(
      "Access Modes",
      "How it can be mounted.",
      cellOf(({ spec }: PersistentVolume) => shortAccessModes(spec?.accessModes)),
    ),
    textColumn(
      "Reclaim Policy",
      "What happens once it is released.",
      cellOf(({ spec }: PersistentVolume) => spec?.persistentVolumeReclaimPolicy ?? ""),
    ),
    textColumn(
      "Status",
      "Whether it is free or bound.",
      cellOf(({ metadata, status }: PersistentVolume) =>
        metadata?.deletionTimestamp === undefined ? (status?.phase ?? "") : "Terminating",
      ),
    ),
    textColumn(
      "Claim",
      "Claim that it is bound to.",
      cellOf(({ spec }: PersistentVolume) =>
        spec?.claimRef === undefined ? "" : `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}`,
      ),
    ),
    textColumn(
      "StorageClass",
      "Its storage class.",
      cellOf(
        ({ metadata, spec }: PersistentVolume) =>
          metadata?.annotations?.[classAnnotation] ?? spec?.storageClassName ?? "",
      ),
    ),
    textColumn(
      "VolumeAttributesClass",
      "Its attributes class.",
      cellOf(
        ({ spec }: PersistentVolume) =>
          (spec as WithAttributesClass | undefined)?.volumeAttributesClassName ?? "<unset>",
      ),
    ),
    textColumn(
      "Reason",
      "Why it failed.",
      cellOf(({ status }: PersistentVolume) => status?.reason ?? ""),
    ),
    ageColumn,
    wideColumn(
      "VolumeMode",
      "File system or block device.",
      cellOf(({ spec }: PersistentVolume) => spec?.volumeMode ?? "<unset>"),
    ),
  ],
  selectableFields: (object) => ({ name: object.metadata.name }),
  setDefaults,
  prepareCreate: (draft) => {
    draft.status = { phase: "Pending", ...lastPhaseTime(draft) };
  },
  validate: validateVolume,
  validateUpdate: validateVolumeUpdate,
});

function lastPhaseTime(draft: Draft): { lastPhaseTransitionTime?: string } {
  const time = draft.metadata.creationTimestamp;
  return time === undefined ? {} : { lastPhaseTransitionTime: time };
}

function setDefaults(draft: Draft): void {
  const { spec } = draft as unknown as PersistentVolume;
  if (spec === undefined) return;
  spec.persistentVolumeReclaimPolicy ||= "Retain";
  spec.volumeMode ??= "Filesystem";
  if (spec.hostPath !== undefined) spec.hostPath.type ??= "";
  roundResources(spec.capacity);
}
