import type { Field } from "./field.ts";

export interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The condition of that type, or undefined while nobody has set it. */
export function readCondition(object: Field, type: string): Condition | undefined {
  for (const condition of object.at("status").at("conditions").items()) {
    if (condition.at("type").text() !== type) continue;
    return {
      status: condition.at("status").text() ?? "",
      reason: condition.at("reason").text() ?? "",
      message: condition.at("message").text() ?? "",
    };
  }
  return undefined;
}
