import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.js";
import type { Draft } from "../kube-object.ts";
import { shortAccessModes } from "./access-modes.ts";
import { ageColumn, cellOf, nameColumn, textColumn, wideColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { roundResources } from "./resource-list.ts";
import { validateClaim, validateClaimUpdate } from "./validation/validate-storage.ts";

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

export const persistentVolumeClaimResource: ResourceDefinition = defineResource({
  group: "",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  returnsDeletedObject: true,
  shortNames: ["pvc"],
  hasStatus: true,
  columns: [
    nameColumn,
    textColumn(
      "Status",
      "Whether it is bound.",
      cellOf(({ metadata, status }: PersistentVolumeClaim) =>
        metadata?.deletionTimestamp === undefined ? (status?.phase ?? "") : "Terminating",
      ),
    ),
    textColumn(
      "Volume",
      "Volume that it is bound to.",
      cellOf(({ spec }: PersistentVolumeClaim) => spec?.volumeName ?? ""),
    ),
    textColumn(
      "Capacity",
      "Size of the volume.",
      cellOf(({ spec, status }: PersistentVolumeClaim) =>
        spec?.volumeName ? String(status?.capacity?.storage ?? "0") : "",
      ),
    ),
    textColumn(
      "Access Modes",
      "How it can be mounted.",
      cellOf(({ spec, status }: PersistentVolumeClaim) =>
        spec?.volumeName ? shortAccessModes(status?.accessModes) : "",
      ),
    ),
    textColumn(
      "StorageClass",
      "Its storage class.",
      cellOf(
        ({ metadata, spec }: PersistentVolumeClaim) =>
          metadata?.annotations?.[classAnnotation] ?? spec?.storageClassName ?? "",
      ),
    ),
    textColumn(
      "VolumeAttributesClass",
      "Its attributes class.",
      cellOf(({ spec }: PersistentVolumeClaim) => spec?.volumeAttributesClassName ?? "<unset>"),
    ),
    ageColumn,
    wideColumn(
      "VolumeMode",
      "File system or block device.",
      cellOf(({ spec }: PersistentVolumeClaim) => spec?.volumeMode ?? "<unset>"),
    ),
  ],
  selectableFields: (object) => ({ name: object.metadata.name }),
  setDefaults,
  prepareCreate: (draft) => {
    draft.status = { phase: "Pending" };
  },
  validate: validateClaim,
  validateUpdate: validateClaimUpdate,
});

function setDefaults(draft: Draft): void {
  const { spec } = draft as unknown as PersistentVolumeClaim;
  if (spec === undefined) return;
  spec.volumeMode ??= "Filesystem";
  roundResources(spec.resources?.requests);
  roundResources(spec.resources?.limits);
}
