import type { ResourceRequirements } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden, required } from "../../../core/api/schema/refusals.ts";
import { parseQuantity } from "../../../core/model/quantity.ts";
import { duplicate, invalid, invalidForEach, notFound } from "../refusals.ts";
import { showQuantity } from "../resource-list.ts";
import { qualifiedNameProblems } from "../value-rules.ts";

const integerResources = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);
const containerResources = new Set(["cpu", "memory", "ephemeral-storage"]);
const otherStandardResources = new Set([
  ...integerResources,
  "storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "requests.storage",
]);

function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}

function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/** Native resources other than huge pages may be promised to more pods than there is room for. */
function mayOvercommit(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

function isExtendedResource(name: string): boolean {
  return !isNative(name) && !name.startsWith("requests.") && qualifiedNameProblems(`requests.${name}`).length === 0;
}

export function validateResourceQuantity(name: string, quantity: string, field: string): FieldError[] {
  const amount = parseQuantity(quantity) ?? 0n;
  const text = showQuantity(quantity);
  if (amount < 0n) return [invalid(field, text, "must be greater than or equal to 0")];
  const isWhole = amount % 10n ** 9n === 0n;
  const needsWhole = integerResources.has(name) || isExtendedResource(name);
  return needsWhole && !isWhole ? [invalid(field, text, "must be an integer")] : [];
}

function validateContainerResourceName(name: string, field: string): FieldError[] {
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0 && !name.includes("/")) {
    return [
      ...invalidForEach(field, name, problems),
      invalid(field, name, "must be a standard resource for containers"),
    ];
  }
  if (name.includes("/")) {
    const errors = invalidForEach(field, name, problems);
    if (isNative(name) || isExtendedResource(name)) return errors;
    return [...errors, invalid(field, name, "doesn't follow extended resource name standard")];
  }
  if (containerResources.has(name) || isHugePages(name)) return [];
  const unknown = otherStandardResources.has(name)
    ? []
    : [invalid(field, name, "must be a standard resource type or fully qualified")];
  return [...unknown, invalid(field, name, "must be a standard resource for containers")];
}

/** Requests and limits of a container: known names, whole or non-negative amounts, and no request above its limit. */
export function validateContainerResources(
  requirements: ResourceRequirements | undefined,
  claimNames: ReadonlySet<string>,
  field: string,
): FieldError[] {
  const limits = (requirements?.limits ?? {}) as Record<string, string>;
  const requests = (requirements?.requests ?? {}) as Record<string, string>;
  const errors: FieldError[] = [];
  for (const [name, limit] of Object.entries(limits))
    errors.push(...validateEntry(name, limit, `${field}.limits[${name}]`));
  for (const [name, request] of Object.entries(requests)) {
    errors.push(...validateEntry(name, request, `${field}.requests[${name}]`));
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
    errors.push(...compareWithLimit({ name, request, limit }, field));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) {
    errors.push(forbidden(field, "HugePages require cpu or memory"));
  }
  return [...errors, ...validateClaims(requirements?.claims ?? [], claimNames, `${field}.claims`)];
}

function validateEntry(name: string, quantity: string, field: string): FieldError[] {
  const errors = [...validateContainerResourceName(name, field), ...validateResourceQuantity(name, quantity, field)];
  if (isHugePages(name) && !isDivisible(name, quantity)) {
    const text = showQuantity(quantity);
    errors.push(invalid(field, text, `${text} is not positive integer multiple of ${name}`));
  }
  return errors;
}

function isDivisible(name: string, quantity: string): boolean {
  const size = parseQuantity(name.slice("hugepages-".length)) ?? 0n;
  const amount = parseQuantity(quantity) ?? 0n;
  return size > 0n && amount >= 0n && amount % size === 0n;
}

interface Comparison {
  readonly name: string;
  readonly request: string;
  readonly limit: string | undefined;
}

function compareWithLimit({ name, request, limit }: Comparison, field: string): FieldError[] {
  if (limit === undefined) {
    return mayOvercommit(name)
      ? []
      : [required(`${field}.limits`, "Limit must be set for non overcommitable resources")];
  }
  const asked = parseQuantity(request) ?? 0n;
  const allowed = parseQuantity(limit) ?? 0n;
  const value = showQuantity(request);
  const shown = `${name} limit of ${showQuantity(limit)}`;
  if (asked !== allowed && !mayOvercommit(name))
    return [invalid(`${field}.requests`, value, `must be equal to ${shown}`)];
  return asked > allowed ? [invalid(`${field}.requests`, value, `must be less than or equal to ${shown}`)] : [];
}

function validateClaims(
  claims: readonly { name: string; request?: string }[],
  known: ReadonlySet<string>,
  field: string,
): FieldError[] {
  const seen = new Set<string>();
  return claims.flatMap(({ name, request }, index): FieldError[] => {
    const path = `${field}[${index}]`;
    if (!name) return [required(path)];
    const key = request ? `${name}/${request}` : name;
    const errors = seen.has(name) || seen.has(key) ? [duplicate(path, key)] : [];
    seen.add(key);
    if (known.has(name)) return errors;
    const names = known.size === 0 ? " which is empty" : `: ${[...known].sort().join(", ")}`;
    return [
      ...errors,
      { ...notFound(path, name), detail: `must be one of the names in pod.spec.resourceClaims${names}` },
    ];
  });
}
