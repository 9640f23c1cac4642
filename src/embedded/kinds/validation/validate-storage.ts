import type { PersistentVolume, PersistentVolumeClaim } from "kubernetes-types/core/v1.js";
import type { CSIDriver, CSINode, StorageClass, VolumeAttachment } from "kubernetes-types/storage/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden, required } from "../../../core/api/schema/refusals.ts";
import { parseQuantity } from "../../../core/model/quantity.ts";
import type { Draft, KubeObject } from "../../kube-object.ts";
import { duplicate, invalidForEach, notSupported } from "../refusals.ts";
import { dnsSubdomainProblems, qualifiedNameProblems } from "../value-rules.ts";
import { describeChanges } from "./describe-changes.ts";
import { isSameValue, validateImmutable } from "./same-value.ts";
import { validateNodeSelector } from "./validate-affinity.ts";
import { validateAccessModes, validateClaimSpec, validatePositive, validateVolumeMode } from "./validate-claim-spec.ts";
import { validateLabelKey } from "./validate-labels.ts";

const noClaim = {};

export function validateClaim(draft: Draft): FieldError[] {
  return validateClaimSpec((draft as unknown as PersistentVolumeClaim).spec ?? noClaim, "spec");
}

/** A claim may be bound once, and grow once it is bound. */
export function validateClaimUpdate(draft: Draft, old: KubeObject): FieldError[] {
  const { spec = {}, status } = draft as unknown as PersistentVolumeClaim;
  const { spec: before = {}, status: oldStatus } = old as unknown as PersistentVolumeClaim;
  const errors = validateClaim(draft);
  const isBound = status?.phase === "Bound";
  const settled = {
    ...spec,
    ...(before.volumeName ? {} : { volumeName: before.volumeName }),
    ...(before.storageClassName === undefined ? { storageClassName: undefined } : {}),
    ...(isBound ? { volumeAttributesClassName: before.volumeAttributesClassName } : {}),
    resources: isBound ? withSize(spec.resources, before.resources) : spec.resources,
  };
  if (!isSameValue(settled, before)) {
    const exception = "resources.requests and volumeAttributesClassName for bound claims";
    const changes = describeChanges(before, settled);
    errors.push(forbidden("spec", `spec is immutable after creation except ${exception}\n${changes}`));
  }
  const size = sizeOf(spec.resources?.requests);
  if (size < sizeOf(before.resources?.requests) && size <= sizeOf(oldStatus?.capacity)) {
    errors.push(forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
  }
  return [...errors, ...validateImmutable(spec.volumeMode, before.volumeMode, "volumeMode")];
}

type ClaimResources = NonNullable<PersistentVolumeClaim["spec"]>["resources"];

function withSize(resources: ClaimResources, old: ClaimResources): ClaimResources {
  const storage = old?.requests?.storage;
  return { ...resources, requests: { ...resources?.requests, ...(storage === undefined ? {} : { storage }) } };
}

function sizeOf(resources: { readonly [name: string]: unknown } | undefined): bigint {
  return parseQuantity(String(resources?.storage ?? "0")) ?? 0n;
}

const volumeFields = new Set([
  "accessModes",
  "capacity",
  "claimRef",
  "mountOptions",
  "nodeAffinity",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "volumeAttributesClassName",
  "volumeMode",
]);
const reclaimPolicies = ["Delete", "Recycle", "Retain"];

export function validateVolume(draft: Draft): FieldError[] {
  const { spec = {} } = draft as unknown as PersistentVolume;
  const modes = spec.accessModes ?? [];
  const capacity = (spec.capacity ?? {}) as Record<string, string>;
  const policy = spec.persistentVolumeReclaimPolicy;
  const names = Object.keys(capacity);
  const needed = spec.nodeAffinity?.required;
  const sources = sourcesOf(spec);
  const errors = modes.length === 0 ? [required("spec.accessModes")] : [];
  errors.push(...validateAccessModes(modes, "spec.accessModes"));
  if (names.length === 0) errors.push(required("spec.capacity"));
  if (names.length !== 1 || names[0] !== "storage")
    errors.push(notSupported("spec.capacity", spec.capacity, ["storage"]));
  for (const [name, quantity] of Object.entries(capacity))
    errors.push(...validatePositive(quantity, `spec.capacity[${name}]`));
  if (policy && !reclaimPolicies.includes(policy)) {
    errors.push(notSupported("spec.persistentVolumeReclaimPolicy", policy, reclaimPolicies));
  }
  if (spec.nodeAffinity !== undefined && needed === undefined) {
    errors.push(required("spec.nodeAffinity.required", "must specify required node constraints"));
  } else if (needed !== undefined) errors.push(...validateNodeSelector(needed, "spec.nodeAffinity.required"));
  if (sources.length === 0) errors.push(required("spec", "must specify a volume type"));
  for (const source of sources.slice(1))
    errors.push(forbidden(`spec.${source}`, "may not specify more than 1 volume type"));
  const name = spec.storageClassName;
  if (name) errors.push(...invalidForEach("spec.storageClassName", name, dnsSubdomainProblems(name)));
  return [...errors, ...validateVolumeMode(spec.volumeMode, "spec.volumeMode")];
}

function sourcesOf(spec: object): string[] {
  return Object.keys(spec).filter((field) => !volumeFields.has(field));
}

export function validateVolumeUpdate(draft: Draft, old: KubeObject): FieldError[] {
  const { spec = {} } = draft as unknown as PersistentVolume;
  const { spec: before = {} } = old as unknown as PersistentVolume;
  const sourceOf = (full: object): object =>
    Object.fromEntries(Object.entries(full).filter(([field]) => !volumeFields.has(field)));
  const errors = validateVolume(draft);
  if (!isSameValue(sourceOf(spec), sourceOf(before))) {
    const changes = describeChanges(sourceOf(before), sourceOf(spec));
    const detail = `spec.persistentvolumesource is immutable after creation\n${changes}`;
    errors.push(forbidden("spec.persistentvolumesource", detail));
  }
  errors.push(...validateImmutable(spec.volumeMode, before.volumeMode, "volumeMode"));
  if (before.nodeAffinity === undefined) return errors;
  return [...errors, ...validateImmutable(spec.nodeAffinity, before.nodeAffinity, "nodeAffinity")];
}

const bindingModes = ["Immediate", "WaitForFirstConsumer"];

export function validateStorageClass(draft: Draft): FieldError[] {
  const { provisioner, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = draft as unknown as StorageClass;
  const errors = provisioner
    ? invalidForEach("provisioner", provisioner.toLowerCase(), qualifiedNameProblems(provisioner.toLowerCase()))
    : [required("provisioner")];
  if (reclaimPolicy && !["Delete", "Retain"].includes(reclaimPolicy)) {
    errors.push(notSupported("reclaimPolicy", reclaimPolicy, ["Delete", "Retain"]));
  }
  if (volumeBindingMode === undefined) errors.push(required("volumeBindingMode"));
  else if (!bindingModes.includes(volumeBindingMode)) {
    errors.push(notSupported("volumeBindingMode", volumeBindingMode, bindingModes));
  }
  for (const [index, { matchLabelExpressions = [] }] of allowedTopologies.entries()) {
    for (const [position, { key = "", values = [] }] of matchLabelExpressions.entries()) {
      const path = `allowedTopologies[${index}].matchLabelExpressions[${position}]`;
      if (values.length === 0) errors.push(required(`${path}.values`));
      const repeated = values.filter((value, at) => values.indexOf(value) !== at);
      errors.push(...repeated.map((value) => duplicate(`${path}.values[${values.lastIndexOf(value)}]`, value)));
      errors.push(...validateLabelKey(key, `${path}.key`));
    }
  }
  return errors;
}

export function validateStorageClassUpdate(draft: Draft, old: KubeObject): FieldError[] {
  return ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"].flatMap((field) =>
    validateImmutable(draft[field], old[field], field),
  );
}

export function validateCsiNode(draft: Draft): FieldError[] {
  const seen = new Set<string>();
  return ((draft as unknown as CSINode).spec?.drivers ?? []).flatMap(({ name, nodeID }, index) => {
    const path = `spec.drivers[${index}]`;
    const errors = name ? [] : [required(`${path}.name`)];
    if (!nodeID) errors.push(required(`${path}.nodeID`));
    if (seen.has(name)) errors.push(duplicate(`${path}.name`, name));
    seen.add(name);
    return errors;
  });
}

export function validateCsiDriver(draft: Draft): FieldError[] {
  const modes = (draft as unknown as CSIDriver).spec?.volumeLifecycleModes ?? [];
  return modes
    .filter((mode) => mode !== "Persistent" && mode !== "Ephemeral")
    .map((mode) => notSupported("spec.volumeLifecycleModes", mode, ["Persistent", "Ephemeral"]));
}

export function validateAttachment(draft: Draft): FieldError[] {
  const { spec } = draft as unknown as VolumeAttachment;
  const errors = spec?.attacher ? [] : [required("spec.attacher")];
  const { persistentVolumeName, inlineVolumeSpec } = spec?.source ?? {};
  if (persistentVolumeName === undefined && inlineVolumeSpec === undefined) {
    errors.push(required("spec.source", "must specify exactly one of inlineVolumeSpec and persistentVolumeName"));
  }
  const nodeName = spec?.nodeName ?? "";
  return [...errors, ...invalidForEach("spec.nodeName", nodeName, dnsSubdomainProblems(nodeName))];
}
