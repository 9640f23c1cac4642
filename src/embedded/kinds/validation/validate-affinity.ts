import type {
  Affinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden, required } from "../../../core/api/schema/refusals.ts";
import { invalid, invalidForEach } from "../refusals.ts";
import { dnsLabelProblems, dnsSubdomainProblems, labelValueProblems } from "../value-rules.ts";
import { validateLabelKey, validateLabelSelector } from "./validate-labels.ts";

export function validateAffinity(affinity: Affinity | undefined, path: string): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {};
  const node = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const preferred = nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...(node === undefined
      ? []
      : validateNodeSelector(node, `${path}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`)),
    ...preferred.flatMap(({ weight, preference }, index) => {
      const at = `${path}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      // What is only preferred may ask for values that no label can have.
      return [...validateWeight(weight, at), ...validateNodeTerm(preference, false, `${at}.preference`)];
    }),
    ...validatePodAffinity(podAffinity, `${path}.podAffinity`),
    ...validatePodAffinity(podAntiAffinity, `${path}.podAntiAffinity`),
  ];
}

function validateWeight(weight: number | undefined, path: string): FieldError[] {
  const isInRange = weight !== undefined && weight >= 1 && weight <= 100;
  return isInRange ? [] : [invalid(`${path}.weight`, weight ?? 0, "must be in the range 1-100")];
}

export function validateNodeSelector({ nodeSelectorTerms = [] }: NodeSelector, path: string): FieldError[] {
  const field = `${path}.nodeSelectorTerms`;
  if (nodeSelectorTerms.length === 0) return [required(field, "must have at least one node selector term")];
  return nodeSelectorTerms.flatMap((term, index) => validateNodeTerm(term, true, `${field}[${index}]`));
}

function validateNodeTerm(term: NodeSelectorTerm | undefined, checksValues: boolean, path: string): FieldError[] {
  return [
    ...(term?.matchExpressions ?? []).flatMap((requirement, index) =>
      validateNodeRequirement(requirement, checksValues, `${path}.matchExpressions[${index}]`),
    ),
    ...(term?.matchFields ?? []).flatMap((requirement, index) =>
      validateFieldRequirement(requirement, `${path}.matchFields[${index}]`),
    ),
  ];
}

function validateNodeRequirement(
  { key = "", operator = "", values = [] }: NodeSelectorRequirement,
  checksValues: boolean,
  path: string,
): FieldError[] {
  const errors = [...validateNodeOperator(operator, values.length, path), ...validateLabelKey(key, `${path}.key`)];
  if (!checksValues) return errors;
  const problems = values.flatMap((value, index) =>
    invalidForEach(`${path}.values[${index}]`, value, labelValueProblems(value)),
  );
  return [...errors, ...problems];
}

function validateNodeOperator(operator: string, count: number, path: string): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return count > 0 ? [] : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist": {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return count === 0 ? [] : [forbidden(`${path}.values`, detail)];
    }
    case "Gt":
    case "Lt": {
      const detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
      return count === 1 ? [] : [required(`${path}.values`, detail)];
    }
    default:
      return [invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}

function validateFieldRequirement(requirement: NodeSelectorRequirement, path: string): FieldError[] {
  const { key = "", operator = "", values = [] } = requirement;
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn") {
    errors.push(invalid(`${path}.operator`, operator, "not a valid selector operator"));
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(`${path}.values`, detail));
  }
  if (key !== "metadata.name") return [...errors, invalid(`${path}.key`, key, "not a valid field selector key")];
  const names = values.flatMap((value, index) =>
    invalidForEach(`${path}.values[${index}]`, value, dnsSubdomainProblems(value)),
  );
  return [...errors, ...names];
}

function validatePodAffinity(affinity: PodAffinity | undefined, path: string): FieldError[] {
  const needed = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...needed.flatMap((term, index) =>
      validatePodTerm(term, `${path}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`),
    ),
    ...preferred.flatMap(({ weight, podAffinityTerm = noTerm }, index) => {
      const at = `${path}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      return [...validateWeight(weight, at), ...validatePodTerm(podAffinityTerm, `${at}.podAffinityTerm`)];
    }),
  ];
}

const noTerm: PodAffinityTerm = { topologyKey: "" };

function validatePodTerm(term: PodAffinityTerm, path: string): FieldError[] {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey = "" } = term;
  return [
    ...validateLabelSelector(labelSelector, `${path}.labelSelector`),
    ...validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`),
    ...namespaces.flatMap((name) => invalidForEach(`${path}.namespace`, name, dnsLabelProblems(name))),
    ...validateMatchLabelKeys(term, path),
    ...(topologyKey === "" ? [required(`${path}.topologyKey`, "can not be empty")] : []),
    ...validateLabelKey(topologyKey, `${path}.topologyKey`),
  ];
}

type Keyed = Pick<PodAffinityTerm, "labelSelector" | "matchLabelKeys" | "mismatchLabelKeys">;

/** Keys must be label names, need a selector to be merged into, and may not be in it already. */
export function validateMatchLabelKeys(term: Keyed, path: string): FieldError[] {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const errors = [
    ...validateKeys(matchLabelKeys, labelSelector !== undefined, `${path}.matchLabelKeys`),
    ...validateKeys(mismatchLabelKeys, labelSelector !== undefined, `${path}.mismatchLabelKeys`),
  ];
  const seen = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    const index = matchLabelKeys.lastIndexOf(key);
    if (index >= 0 && seen.has(key)) {
      errors.push(invalid(`${path}[${index}]`, key, "exists in both matchLabelKeys and labelSelector"));
    }
    seen.add(key);
  }
  for (const [index, key] of matchLabelKeys.entries()) {
    if (!mismatchLabelKeys.includes(key)) continue;
    const detail = "exists in both matchLabelKeys and mismatchLabelKeys";
    errors.push(invalid(`${path}.matchLabelKeys[${index}]`, key, detail));
  }
  return errors;
}

function validateKeys(keys: readonly string[], hasSelector: boolean, field: string): FieldError[] {
  if (keys.length > 0 && !hasSelector) return [forbidden(field, "must not be specified when labelSelector is not set")];
  return keys.flatMap((key, index) => validateLabelKey(key, `${field}[${index}]`));
}
