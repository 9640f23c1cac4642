import type { ControllerRevision } from "kubernetes-types/apps/v1.js";
import type { Lease } from "kubernetes-types/coordination/v1.js";
import type { Toleration } from "kubernetes-types/core/v1.js";
import type { RuntimeClass } from "kubernetes-types/node/v1.js";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.js";
import type { PriorityClass } from "kubernetes-types/scheduling/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden, required } from "../../../core/api/schema/refusals.ts";
import type { Draft, KubeObject } from "../../kube-object.ts";
import { checkNotNegative, duplicate, invalid, invalidForEach, notSupported } from "../refusals.ts";
import { dnsLabelProblems } from "../value-rules.ts";
import { validateImmutable } from "./same-value.ts";
import { validateLabelSelector, validateLabels } from "./validate-labels.ts";
import { validatePreemptionPolicy } from "./validate-pod-spec.ts";
import { validateContainerResources } from "./validate-resources.ts";
import { checkPercentage, checkShare } from "./validate-shares.ts";
import { validateTolerations } from "./validate-tolerations.ts";

export function validateBudget(draft: Draft): FieldError[] {
  const { spec = {} } = draft as unknown as PodDisruptionBudget;
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const shown = {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: policy ?? null,
    };
    errors.push(invalid("spec", shown, "minAvailable and maxUnavailable cannot be both set"));
  }
  for (const field of ["minAvailable", "maxUnavailable"] as const) {
    const share = spec[field];
    if (share !== undefined)
      errors.push(...checkShare(share, `spec.${field}`), ...checkPercentage(share, `spec.${field}`));
  }
  errors.push(...validateLabelSelector(selector, "spec.selector"));
  const policies = ["AlwaysAllow", "IfHealthyBudget"];
  if (policy !== undefined && !policies.includes(policy)) {
    errors.push(notSupported("spec.unhealthyPodEvictionPolicy", policy, policies));
  }
  return errors;
}

export function validateBudgetStatus(draft: Draft): FieldError[] {
  const { status } = draft as unknown as PodDisruptionBudget;
  return (["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const).flatMap((field) =>
    checkNotNegative(`status.${field}`, status?.[field]),
  );
}

export function validateLease(draft: Draft): FieldError[] {
  const { leaseDurationSeconds: seconds, leaseTransitions } = (draft as unknown as Lease).spec ?? {};
  const errors: FieldError[] = [];
  if (seconds !== undefined && seconds <= 0)
    errors.push(invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0"));
  return [...errors, ...checkNotNegative("spec.leaseTransitions", leaseTransitions)];
}

const mostUserPriority = 1_000_000_000;

/** The classes that every cluster has; nobody else may use their prefix. */
export const systemPriorities: ReadonlyMap<string, number> = new Map([
  ["system-node-critical", 2_000_001_000],
  ["system-cluster-critical", 2_000_000_000],
]);

export function validatePriorityClass(draft: Draft): FieldError[] {
  const { metadata, value = 0, globalDefault = false, preemptionPolicy } = draft as unknown as PriorityClass;
  const name = metadata?.name ?? "";
  const errors: FieldError[] = [];
  if (name.startsWith("system-")) {
    const problem = systemClassProblem(name, value, globalDefault);
    const prefix = "priority class names with 'system-' prefix are reserved for system use only. error: ";
    if (problem !== undefined) errors.push(forbidden("metadata.name", `${prefix}${problem}`));
  } else if (value > mostUserPriority) {
    errors.push(forbidden("value", `maximum allowed value of a user defined priority is ${mostUserPriority}`));
  }
  return [...errors, ...validatePreemptionPolicy(preemptionPolicy, "preemptionPolicy")];
}

function systemClassProblem(name: string, value: number, isDefault: boolean): string | undefined {
  const known = systemPriorities.get(name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export function validatePriorityClassUpdate(draft: Draft, old: KubeObject): FieldError[] {
  const errors = draft.value === old.value ? [] : [forbidden("value", "may not be changed in an update.")];
  return [...errors, ...validateImmutable(draft.preemptionPolicy, old.preemptionPolicy, "preemptionPolicy")];
}

export function validateRuntimeClass(draft: Draft): FieldError[] {
  const { handler, overhead, scheduling } = draft as unknown as RuntimeClass;
  const limits = overhead?.podFixed ?? {};
  return [
    ...(handler ? invalidForEach("handler", handler, dnsLabelProblems(handler)) : [required("handler")]),
    ...validateContainerResources({ limits }, new Set(), "overhead"),
    ...validateLabels(scheduling?.nodeSelector, "scheduling.nodeSelector"),
    ...validateTolerations(scheduling?.tolerations ?? [], "scheduling.tolerations"),
    ...validateUniqueTolerations(scheduling?.tolerations ?? [], "scheduling.tolerations"),
  ];
}

/** Two tolerations are the same when they differ in their seconds only. */
function validateUniqueTolerations(tolerations: readonly Toleration[], path: string): FieldError[] {
  const seen = new Set<string>();
  return tolerations.flatMap((toleration, index) => {
    const { key = "", operator = "", value = "", effect = "", tolerationSeconds = null } = toleration;
    const identity = JSON.stringify([key, operator, value, effect]);
    if (!seen.has(identity)) {
      seen.add(identity);
      return [];
    }
    const shown = { Key: key, Operator: operator, Value: value, Effect: effect, TolerationSeconds: tolerationSeconds };
    return [duplicate(`${path}[${index}]`, shown)];
  });
}

export function validateRuntimeClassUpdate(draft: Draft, old: KubeObject): FieldError[] {
  return [...validateRuntimeClass(draft), ...validateImmutable(draft.handler ?? "", old.handler, "handler")];
}

export function validateControllerRevision(draft: Draft): FieldError[] {
  const { revision, data } = draft as unknown as ControllerRevision;
  const errors = checkNotNegative("revision", revision);
  return data === undefined ? [...errors, required("data", "data is mandatory")] : errors;
}

export function validateControllerRevisionUpdate(draft: Draft, old: KubeObject): FieldError[] {
  return [...validateControllerRevision(draft), ...validateImmutable(draft.data, old.data, "data")];
}
