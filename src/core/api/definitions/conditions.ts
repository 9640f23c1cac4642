import type { Schema } from "./schema.ts";

const reason: Schema = {
  type: "string",
  minLength: 1,
  maxLength: 1024,
  pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
  description: "Why, as one word for programs.",
};

/** Claims have had conditions without a reason or a message. */
const optionalReason: Schema = {
  type: "string",
  maxLength: 1024,
  pattern: "^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?|)$",
  description: "Why, as one word for programs.",
};

export const conditions = conditionList(reason, ["lastTransitionTime", "message", "reason", "status", "type"]);
export const claimConditions = conditionList(optionalReason, ["lastTransitionTime", "status", "type"]);

function conditionList(reasonOfEach: Schema, required: readonly string[]): Schema {
  return {
    type: "array",
    description: "What the controller has found out about the object.",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
    items: {
      type: "object",
      description: "One thing that is so, is not so, or is not known.",
      required,
      properties: {
        lastTransitionTime: { type: "string", format: "date-time", description: "When the status last changed." },
        message: { type: "string", maxLength: 32768, description: "Why, in words for people." },
        observedGeneration: {
          type: "integer",
          format: "int64",
          minimum: 0,
          description: "The generation of the object that this was found out about; an older one may be out of date.",
        },
        reason: reasonOfEach,
        status: { type: "string", enum: ["True", "False", "Unknown"], description: "Whether it is so." },
        type: {
          type: "string",
          maxLength: 316,
          pattern:
            "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
          description: "What the condition is about.",
        },
      },
    },
  };
}
