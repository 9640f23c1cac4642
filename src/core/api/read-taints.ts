import type { Taint, TaintEffect, Toleration } from "../model/taints.ts";
import type { Field } from "./field.ts";

const effects: readonly TaintEffect[] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const operators: readonly Toleration["operator"][] = ["Equal", "Exists", "Lt", "Gt"];

export function readTaints(field: Field): Taint[] {
  return field.items().flatMap((item) => {
    const key = item.at("key").requiredText();
    const value = item.at("value").text() ?? "";
    const effect = item.at("effect").choice(effects);
    if (item.at("effect").isAbsent) item.at("effect").reject(`must be one of ${effects.join(", ")}`);
    return effect === undefined ? [] : [{ key, value, effect }];
  });
}

export function readTolerations(field: Field): Toleration[] {
  return field.items().map(readToleration);
}

function readToleration(item: Field): Toleration {
  const key = item.at("key").text() ?? "";
  const operator = choiceOrDefault(item.at("operator"), operators, "Equal");
  const value = item.at("value").text() ?? "";
  const effect = choiceOrDefault(item.at("effect"), effects, "");
  if (key === "" && operator !== "Exists") item.at("operator").reject("must be Exists when the key is empty");
  if (operator === "Exists" && value !== "") item.at("value").reject("must be empty when the operator is Exists");
  const comparesNumbers = operator === "Lt" || operator === "Gt";
  if (comparesNumbers && !/^-?\d{1,19}$/.test(value)) item.at("value").reject(`must be a whole number for ${operator}`);
  return { key, operator, value, effect };
}

/** The API takes an empty string for an absent choice. */
function choiceOrDefault<T extends string, D extends string>(field: Field, choices: readonly T[], fallback: D): T | D {
  return field.value === "" ? fallback : (field.choice(choices) ?? fallback);
}
