import type { Node } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden } from "../../../core/api/schema/refusals.ts";
import type { Draft, KubeObject } from "../../kube-object.ts";
import { duplicate, invalid } from "../refusals.ts";
import { isSameValue } from "./same-value.ts";
import { validateCidr } from "./validate-address.ts";
import { validateResourceQuantity } from "./validate-resources.ts";
import { validateTaints } from "./validate-tolerations.ts";

/** Taints are complained about under `metadata`, as the server does. */
export function validateNode(draft: Draft): FieldError[] {
  const { spec } = draft as unknown as Node;
  return [
    ...validateTaints(spec?.taints ?? [], "metadata.taints"),
    ...validateResources(draft),
    ...validateRanges(spec?.podCIDRs ?? []),
  ];
}

function validateRanges(ranges: readonly string[]): FieldError[] {
  const field = "spec.podCIDRs";
  const errors = ranges.flatMap((range, index) => validateCidr(range, `${field}[${index}]`));
  const families = new Set(ranges.map((range) => range.includes(":")));
  if (families.size === ranges.length) return errors;
  return [...errors, invalid(field, ranges, "may specify no more than one CIDR for each IP family")];
}

function validateResources(draft: Draft): FieldError[] {
  const { status } = draft as unknown as Node;
  return (["capacity", "allocatable"] as const).flatMap((list) =>
    Object.entries((status?.[list] ?? {}) as Record<string, string>).flatMap(([name, quantity]) =>
      validateResourceQuantity(name, quantity, `status.${list}.${name}`),
    ),
  );
}

export function validateNodeUpdate(draft: Draft, old: KubeObject): FieldError[] {
  const { spec } = draft as unknown as Node;
  const before = (old as unknown as Node).spec;
  const errors = [...validateResources(draft), ...validateAddresses(draft)];
  if ((before?.podCIDRs ?? []).length > 0 && !isSameValue(spec?.podCIDRs, before?.podCIDRs)) {
    errors.push(forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'));
  }
  if (before?.providerID && spec?.providerID !== before.providerID) {
    errors.push(forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid'));
  }
  errors.push(...validateTaints(spec?.taints ?? [], "metadata.taints"));
  if (!isSameValue(spec?.externalID || undefined, before?.externalID || undefined)) {
    errors.push(forbidden("spec.externalID", "may not be updated"));
  }
  return errors;
}

function validateAddresses(draft: Draft): FieldError[] {
  const seen = new Set<string>();
  return ((draft as unknown as Node).status?.addresses ?? []).flatMap(({ type, address }, index) => {
    const key = `${type}/${address}`;
    const isRepeated = seen.has(key);
    seen.add(key);
    return isRepeated ? [duplicate(`status.addresses[${index}]`, { Type: type, Address: address })] : [];
  });
}
