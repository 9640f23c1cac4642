import type { JobSpec } from "kubernetes-types/batch/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { required } from "../../../core/api/schema/refusals.ts";
import { duplicate, invalid, notSupported } from "../refusals.ts";
import { validateLabelKey } from "./validate-labels.ts";

type FailurePolicy = NonNullable<JobSpec["podFailurePolicy"]>;
type Rule = FailurePolicy["rules"][number];
type ExitCodes = NonNullable<Rule["onExitCodes"]>;
type Conditions = NonNullable<Rule["onPodConditions"]>;

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];

/** What becomes of a job when a pod of it fails. */
export function validateFailurePolicy(spec: JobSpec, path: string): FieldError[] {
  const rules = spec.podFailurePolicy?.rules ?? [];
  return [
    ...checkLength(rules, 20, `${path}.rules`),
    ...rules.flatMap((rule, index) => validateRule(rule, spec, `${path}.rules[${index}]`)),
  ];
}

function validateRule(rule: Rule, spec: JobSpec, path: string): FieldError[] {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const errors: FieldError[] = [];
  if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    errors.push(invalid(`${path}.action`, action, "requires the backoffLimitPerIndex to be set"));
  } else errors.push(...checkWord(action, actions, `${path}.action`));
  if (onExitCodes !== undefined) errors.push(...validateExitCodes(onExitCodes, spec, `${path}.onExitCodes`));
  errors.push(...validateConditions(onPodConditions, `${path}.onPodConditions`));
  const hasConditions = onPodConditions.length > 0;
  const both = "specifying both OnExitCodes and OnPodConditions is not supported";
  const neither = "specifying one of OnExitCodes and OnPodConditions is required";
  if ((onExitCodes !== undefined) === hasConditions) {
    errors.push({ type: "invalid", field: path, detail: hasConditions ? both : neither });
  }
  return errors;
}

function validateExitCodes({ operator, containerName, values = [] }: ExitCodes, spec: JobSpec, path: string) {
  const { containers = [], initContainers = [] } = spec.template?.spec ?? {};
  const names = [...containers, ...initContainers].map(({ name }) => name);
  const errors = checkWord(operator, ["In", "NotIn"], `${path}.operator`);
  if (containerName !== undefined && !names.includes(containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    errors.push(invalid(`${path}.containerName`, containerName, detail));
  }
  if (values.length === 0) errors.push(invalid(`${path}.values`, values, "at least one value is required"));
  errors.push(...checkLength(values, 255, `${path}.values`));
  for (const [index, value] of values.entries()) {
    const field = `${path}.values[${index}]`;
    if (operator === "In" && value === 0) errors.push(invalid(field, value, "must not be 0 for the In operator"));
    if (values.indexOf(value) < index) errors.push(duplicate(field, value));
  }
  const isOrdered = values.every((value, index) => index === 0 || (values[index - 1] ?? 0) <= value);
  return isOrdered ? errors : [...errors, invalid(`${path}.values`, values, "must be ordered")];
}

function validateConditions(conditions: Conditions, path: string): FieldError[] {
  return [
    ...checkLength(conditions, 20, path),
    ...conditions.flatMap(({ type, status }, index) => [
      ...validateLabelKey(type ?? "", `${path}[${index}].type`),
      ...checkWord(status, ["False", "True", "Unknown"], `${path}[${index}].status`),
    ]),
  ];
}

function checkWord(value: string | undefined, supported: readonly string[], field: string): FieldError[] {
  const names = supported.map((name) => JSON.stringify(name)).join(" ");
  if (!value) return [required(field, `valid values: [${names}]`)];
  return supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

function checkLength(list: readonly unknown[], most: number, field: string): FieldError[] {
  if (list.length <= most) return [];
  return [{ type: "tooMany", field, value: String(list.length), detail: `must have at most ${most} items` }];
}
