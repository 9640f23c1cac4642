import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "kubernetes-types/core/v1.js";
import type { Draft } from "../kube-object.ts";
import { shortAccessModes } from "./access-modes.ts";
import { ageColumn, cellOf, nameColumn, textColumn, wideColumn } from "./columns.ts";
import { warnAboutBytes } from "./container-warnings.ts";
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
    const { spec } = draft as unknown as PersistentVolumeClaim;
    if (spec === undefined) return;
    dropOddSources(spec);
    shareSource(spec);
  },
  prepareUpdate: (draft, old) => {
    const { spec } = draft as unknown as PersistentVolumeClaim;
    const { dataSource, dataSourceRef } = (old as unknown as PersistentVolumeClaim).spec ?? {};
    if (spec !== undefined && dataSource === undefined && dataSourceRef === undefined) dropOddSources(spec);
  },
  warn,
  validate: validateClaim,
  validateUpdate: validateClaimUpdate,
});

function setDefaults(draft: Draft): void {
  const { spec } = draft as unknown as PersistentVolumeClaim;
  if (spec === undefined) return;
  spec.volumeMode ??= "Filesystem";
  // A group that nobody set is on the wire as null.
  for (const source of [spec.dataSource, spec.dataSourceRef] as ({ apiGroup?: string | null } | undefined)[]) {
    if (source !== undefined) source.apiGroup ??= null;
  }
  roundResources(spec.resources?.requests);
  roundResources(spec.resources?.limits);
}

/** The older of the two fields takes only claims and snapshots, the newer one only its own namespace. */
function dropOddSources(spec: PersistentVolumeClaimSpec): void {
  if (spec.dataSourceRef?.namespace) delete spec.dataSourceRef;
  const { kind, apiGroup } = spec.dataSource ?? { kind: "" };
  const isKnown =
    (kind === "PersistentVolumeClaim" && !apiGroup) ||
    (kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io");
  if (!isKnown && spec.dataSourceRef === undefined) delete spec.dataSource;
}

/** Whoever sets one of the two fields sets both. */
function shareSource(spec: PersistentVolumeClaimSpec): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined) spec.dataSourceRef ??= { ...dataSource };
  else if (dataSourceRef !== undefined) spec.dataSource = { ...dataSourceRef };
}

function warn(draft: Draft): string[] {
  const { metadata, spec } = draft as unknown as PersistentVolumeClaim;
  const isOld = metadata?.annotations?.[classAnnotation] !== undefined;
  const advice = 'deprecated since v1.8; use "storageClassName" attribute instead';
  return [
    ...(isOld ? [`metadata.annotations[${classAnnotation}]: ${advice}`] : []),
    ...warnAboutBytes(spec?.resources?.requests, "storage", "spec.resources.requests"),
    ...warnAboutBytes(spec?.resources?.limits, "storage", "spec.resources.limits"),
  ];
}
