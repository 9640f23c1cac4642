import type { Condition, ConditionStatus } from "../model/condition.ts";
import type { Field } from "./field.ts";

/** The conditions in an object's status; those without a type or with a status that nobody knows are left out. */
export function readConditions(object: Field): readonly Condition[] {
  return object
    .at("status")
    .at("conditions")
    .items()
    .flatMap((condition) => {
      const type = condition.at("type").text() ?? "";
      const status = condition.at("status").text() ?? "";
      if (type === "" || !isConditionStatus(status)) return [];
      return [
        {
          type,
          status,
          reason: condition.at("reason").text() ?? "",
          message: condition.at("message").text() ?? "",
          lastTransitionTime: condition.at("lastTransitionTime").time() ?? 0,
          observedGeneration: condition.at("observedGeneration").integer(0, Number.MAX_SAFE_INTEGER) ?? 0,
        },
      ];
    });
}

function isConditionStatus(status: string): status is ConditionStatus {
  return status === "True" || status === "False" || status === "Unknown";
}

/** The condition of that type, or undefined while nobody has set it. */
export function readCondition(object: Field, type: string): Condition | undefined {
  return readConditions(object).find((condition) => condition.type === type);
}
