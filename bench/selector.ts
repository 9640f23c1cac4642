import type { Expression, LabelSelector, Labels, PodSpec, Taint } from "./wire.ts";

export function matchesSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  return hasLabels(matchLabels, labels) && matchExpressions.every((expression) => satisfies(expression, labels));
}

export function hasLabels(wanted: Labels, labels: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

export function satisfies({ key, operator, values = [] }: Expression, labels: Labels): boolean {
  const value = labels[key];
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return Number(value) > Number(values[0]);
    case "Lt":
      return Number(value) < Number(values[0]);
    default:
      throw new Error(`Cannot tell whether a node satisfies "${key} ${operator}": no such operator is known here`);
  }
}

export function tolerates(
  { tolerations = [] }: Pick<PodSpec, "tolerations">,
  { key, value = "", effect }: Taint,
): boolean {
  return (
    effect === "PreferNoSchedule" ||
    tolerations.some(
      (toleration) =>
        (toleration.key === key || (toleration.key === undefined && toleration.operator === "Exists")) &&
        (toleration.operator === "Exists" || (toleration.value ?? "") === value) &&
        (toleration.effect === undefined || toleration.effect === "" || toleration.effect === effect),
    )
  );
}
