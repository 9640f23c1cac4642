import type { Taint, Toleration, TopologySpreadConstraint } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { required } from "../../../core/api/schema/refusals.ts";
import { duplicate, invalid, notSupported } from "../refusals.ts";
import { labelValueProblems } from "../value-rules.ts";
import { validateMatchLabelKeys } from "./validate-affinity.ts";
import { validateLabelKey, validateLabelSelector } from "./validate-labels.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateTolerations(tolerations: readonly Toleration[], path: string): FieldError[] {
  return tolerations.flatMap((toleration, index) => validateToleration(toleration, `${path}[${index}]`));
}

function validateToleration(toleration: Toleration, path: string): FieldError[] {
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
  const errors = key === "" ? [] : validateLabelKey(key, `${path}.key`);
  if (key === "" && operator !== "Exists") {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(`${path}.operator`, operator, detail));
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    errors.push(invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (operator === "" || operator === "Equal") {
    const problems = labelValueProblems(value);
    if (problems.length > 0) errors.push(invalid(`${path}.operator`, value, problems.join(";")));
  } else if (operator === "Exists") {
    const detail = "value must be empty when `operator` is 'Exists'";
    if (value !== "") errors.push(invalid(`${path}.operator`, value, detail));
  } else if (operator === "Lt" || operator === "Gt") {
    errors.push(notSupported(`${path}.operator`, operator, ["Equal", "Exists", "Lt", "Gt"]));
  } else {
    errors.push(notSupported(`${path}.operator`, operator, ["Equal", "Exists"]));
  }
  return effect === "" ? errors : [...errors, ...validateEffect(effect, `${path}.effect`)];
}

function validateEffect(effect: string, field: string): FieldError[] {
  return effects.includes(effect) ? [] : [notSupported(field, effect, effects)];
}

/** A node has at most one taint of each key and effect. */
export function validateTaints(taints: readonly Taint[], path: string): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index): FieldError[] => {
    const at = `${path}[${index}]`;
    const { key = "", value = "", effect = "" } = taint;
    const problems = labelValueProblems(value);
    const errors = [
      ...validateLabelKey(key, `${at}.key`),
      ...(problems.length === 0 ? [] : [invalid(`${at}.value`, value, problems.join(";"))]),
      ...(effect === "" ? [required(`${at}.effect`)] : validateEffect(effect, `${at}.effect`)),
    ];
    const identity = `${effect}:${key}`;
    if (seen.has(identity)) {
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: taint.timeAdded ?? null };
      errors.push({ ...duplicate(at, shown), detail: "taints must be unique by key and effect pair" });
    }
    seen.add(identity);
    return errors;
  });
}

const actions = ["DoNotSchedule", "ScheduleAnyway"];
const policies = ["Honor", "Ignore"];

export function validateSpreadConstraints(
  constraints: readonly TopologySpreadConstraint[],
  path: string,
): FieldError[] {
  return constraints.flatMap((constraint, index): FieldError[] => {
    const at = `${path}[${index}]`;
    const { maxSkew = 0, topologyKey = "", whenUnsatisfiable = "", minDomains, labelSelector } = constraint;
    const errors: FieldError[] = [];
    if (maxSkew <= 0) errors.push(invalid(`${at}.maxSkew`, maxSkew, "must be greater than zero"));
    if (topologyKey === "") errors.push(required(`${at}.topologyKey`, "can not be empty"));
    if (!actions.includes(whenUnsatisfiable)) {
      errors.push(notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, actions));
    }
    const repeats = constraints
      .slice(index + 1)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    if (repeats) {
      errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`));
    }
    if (minDomains !== undefined) errors.push(...validateMinDomains(minDomains, whenUnsatisfiable, `${at}.minDomains`));
    for (const field of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
      const policy = constraint[field];
      if (policy !== undefined && !policies.includes(policy))
        errors.push(notSupported(`${at}.${field}`, policy, policies));
    }
    errors.push(...validateMatchLabelKeys(constraint, at));
    return [...errors, ...validateLabelSelector(labelSelector, `${at}.labelSelector`)];
  });
}

function validateMinDomains(minDomains: number, action: string, field: string): FieldError[] {
  const errors = minDomains > 0 ? [] : [invalid(field, minDomains, "must be greater than zero")];
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return action === "DoNotSchedule" ? errors : [...errors, invalid(field, minDomains, detail)];
}

/** Gates and readiness conditions have names like labels; no gate twice. */
export function validateGates(gates: readonly { name: string }[], path: string): FieldError[] {
  const seen = new Set<string>();
  return gates.flatMap(({ name = "" }, index) => {
    const errors = validateLabelKey(name, `${path}[${index}]`);
    if (seen.has(name)) errors.push(duplicate(`${path}[${index}]`, name));
    seen.add(name);
    return errors;
  });
}

export function validateConditionTypes(gates: readonly { conditionType: string }[], path: string): FieldError[] {
  return gates.flatMap(({ conditionType = "" }, index) =>
    validateLabelKey(conditionType, `${path}[${index}].conditionType`),
  );
}
