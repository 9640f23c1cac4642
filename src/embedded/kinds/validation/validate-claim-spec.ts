import type { PersistentVolumeClaimSpec } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden, required } from "../../../core/api/schema/refusals.ts";
import { parseQuantity } from "../../../core/model/quantity.ts";
import { accessModes } from "../access-modes.ts";
import { invalid, invalidForEach, notSupported } from "../refusals.ts";
import { showQuantity } from "../resource-list.ts";
import { dnsSubdomainProblems } from "../value-rules.ts";
import { validateLabelSelector } from "./validate-labels.ts";

/** Of a claim, or of the template of one. */
export function validateClaimSpec(spec: PersistentVolumeClaimSpec, path: string): FieldError[] {
  const { resources, storageClassName, volumeMode, volumeAttributesClassName } = spec;
  const modes = spec.accessModes ?? [];
  return [
    ...(modes.length === 0 ? [required(`${path}.accessModes`, "at least 1 access mode is required")] : []),
    ...validateLabelSelector(spec.selector, `${path}.selector`),
    ...validateAccessModes(modes, `${path}.accessModes`),
    ...validateStorage(resources?.requests?.storage, `${path}.resources[storage]`),
    ...validateClassName(storageClassName, `${path}.storageClassName`),
    ...validateVolumeMode(volumeMode, `${path}.volumeMode`),
    ...(["dataSource", "dataSourceRef"] as const).flatMap((field) => validateSource(spec[field], `${path}.${field}`)),
    ...validateClassName(volumeAttributesClassName, `${path}.volumeAttributesClassName`),
  ];
}

export function validateAccessModes(modes: readonly string[], field: string): FieldError[] {
  const errors = modes
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => notSupported(field, mode, accessModes));
  const known = modes.filter((mode) => accessModes.includes(mode));
  const isMixed = known.includes("ReadWriteOncePod") && known.some((mode) => mode !== "ReadWriteOncePod");
  return isMixed ? [...errors, forbidden(field, "may not use ReadWriteOncePod with other access modes")] : errors;
}

function validateStorage(quantity: unknown, field: string): FieldError[] {
  return quantity === undefined ? [required(field)] : validatePositive(quantity, field);
}

export function validatePositive(quantity: unknown, field: string): FieldError[] {
  const amount = parseQuantity(String(quantity)) ?? 1n;
  return amount > 0n ? [] : [invalid(field, showQuantity(quantity), "must be greater than zero")];
}

type Source = PersistentVolumeClaimSpec["dataSource"];

function validateSource(source: Source, path: string): FieldError[] {
  if (source === undefined) return [];
  const { name, kind, apiGroup } = source;
  const errors = name ? [] : [required(`${path}.name`)];
  if (!kind) errors.push(required(`${path}.kind`));
  if (apiGroup) return [...errors, ...invalidForEach(`${path}.apiGroup`, apiGroup, dnsSubdomainProblems(apiGroup))];
  if (kind === "PersistentVolumeClaim") return errors;
  const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [...errors, invalid(path, kind ?? "", detail)];
}

function validateClassName(name: string | undefined, field: string): FieldError[] {
  return name ? invalidForEach(field, name, dnsSubdomainProblems(name)) : [];
}

export function validateVolumeMode(mode: string | undefined, field: string): FieldError[] {
  const isKnown = mode === undefined || mode === "Block" || mode === "Filesystem";
  return isKnown ? [] : [notSupported(field, mode, ["Block", "Filesystem"])];
}
