import type { CSIDriver, CSINode, StorageClass, VolumeAttachment } from "kubernetes-types/storage/v1.js";
import { ageColumn, booleanColumn, cellOf, integerColumn, nameColumn, textColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import {
  validateAttachment,
  validateCsiDriver,
  validateCsiNode,
  validateStorageClass,
  validateStorageClassUpdate,
} from "./validation/validate-storage.ts";

const defaultClassAnnotation = "storageclass.kubernetes.io/is-default-class";

export function isDefaultClass({ metadata }: StorageClass): boolean {
  const annotations = metadata?.annotations ?? {};
  return (
    annotations[defaultClassAnnotation] === "true" ||
    annotations["storageclass.beta.kubernetes.io/is-default-class"] === "true"
  );
}

export const storageClassResource: ResourceDefinition = defineResource({
  group: "storage.k8s.io",
  kind: "StorageClass",
  plural: "storageclasses",
  returnsDeletedObject: true,
  shortNames: ["sc"],
  isNamespaced: false,
  columns: [
    {
      ...nameColumn,
      cell: cellOf(
        (storageClass: StorageClass) =>
          `${storageClass.metadata?.name}${isDefaultClass(storageClass) ? " (default)" : ""}`,
      ),
    },
    textColumn(
      "Provisioner",
      "Who makes its volumes.",
      cellOf(({ provisioner }: StorageClass) => provisioner ?? ""),
    ),
    textColumn(
      "ReclaimPolicy",
      "What happens to released volumes.",
      cellOf(({ reclaimPolicy }: StorageClass) => reclaimPolicy ?? "Delete"),
    ),
    textColumn(
      "VolumeBindingMode",
      "When volumes are bound.",
      cellOf(({ volumeBindingMode }: StorageClass) => volumeBindingMode ?? "Immediate"),
    ),
    textColumn(
      "AllowVolumeExpansion",
      "Whether claims may grow.",
      cellOf(({ allowVolumeExpansion }: StorageClass) => allowVolumeExpansion ?? false),
    ),
    ageColumn,
  ],
  setDefaults: (draft) => {
    const storageClass = draft as unknown as StorageClass;
    storageClass.reclaimPolicy ??= "Delete";
    storageClass.volumeBindingMode ??= "Immediate";
  },
  validate: validateStorageClass,
  validateUpdate: validateStorageClassUpdate,
});

export const csiNodeResource: ResourceDefinition = defineResource({
  group: "storage.k8s.io",
  kind: "CSINode",
  requiresVersion: true,
  validate: validateCsiNode,
  plural: "csinodes",
  returnsDeletedObject: true,
  isNamespaced: false,
  columns: [
    nameColumn,
    integerColumn(
      "Drivers",
      "Drivers on the node.",
      cellOf(({ spec }: CSINode) => spec?.drivers?.length ?? 0),
    ),
    ageColumn,
  ],
});

export const csiDriverResource: ResourceDefinition = defineResource({
  group: "storage.k8s.io",
  kind: "CSIDriver",
  requiresVersion: true,
  validate: validateCsiDriver,
  plural: "csidrivers",
  returnsDeletedObject: true,
  isNamespaced: false,
  columns: [
    nameColumn,
    booleanColumn(
      "AttachRequired",
      "Whether volumes are attached to nodes.",
      cellOf(({ spec }: CSIDriver) => spec?.attachRequired ?? true),
    ),
    booleanColumn(
      "PodInfoOnMount",
      "Whether it is told about pods.",
      cellOf(({ spec }: CSIDriver) => spec?.podInfoOnMount ?? false),
    ),
    booleanColumn(
      "StorageCapacity",
      "Whether it publishes capacity.",
      cellOf(({ spec }: CSIDriver) => spec?.storageCapacity ?? false),
    ),
    textColumn(
      "TokenRequests",
      "Audiences of the tokens it gets.",
      cellOf(({ spec }: CSIDriver) => spec?.tokenRequests?.map(({ audience }) => audience).join(",") ?? "<unset>"),
    ),
    booleanColumn(
      "RequiresRepublish",
      "Whether it is called again and again.",
      cellOf(({ spec }: CSIDriver) => spec?.requiresRepublish ?? false),
    ),
    textColumn(
      "Modes",
      "Sorts of volumes that it offers.",
      cellOf(({ spec }: CSIDriver) => spec?.volumeLifecycleModes?.join(",") || "<none>"),
    ),
    ageColumn,
  ],
  setDefaults: (draft) => {
    const { spec } = draft as unknown as CSIDriver;
    if (spec === undefined) return;
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
    if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ["Persistent"];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
});

export const volumeAttachmentResource: ResourceDefinition = defineResource({
  group: "storage.k8s.io",
  kind: "VolumeAttachment",
  requiresVersion: true,
  validate: validateAttachment,
  plural: "volumeattachments",
  returnsDeletedObject: true,
  isNamespaced: false,
  hasStatus: true,
  columns: [
    nameColumn,
    {
      ...textColumn(
        "Attacher",
        "Who attaches.",
        cellOf(({ spec }: VolumeAttachment) => spec?.attacher ?? ""),
      ),
      format: "name",
    },
    textColumn(
      "PV",
      "Volume that is attached.",
      cellOf(({ spec }: VolumeAttachment) => spec?.source?.persistentVolumeName ?? ""),
    ),
    textColumn(
      "Node",
      "Node that it is attached to.",
      cellOf(({ spec }: VolumeAttachment) => spec?.nodeName ?? ""),
    ),
    booleanColumn(
      "Attached",
      "Whether it is attached.",
      cellOf(({ status }: VolumeAttachment) => status?.attached ?? false),
    ),
    ageColumn,
  ],
  prepareCreate: (draft) => {
    draft.status = { attached: false };
  },
});
