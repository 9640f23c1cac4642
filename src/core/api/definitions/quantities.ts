import type { Schema } from "./schema.ts";

const quantity: Schema = {
  anyOf: [{ type: "integer" }, { type: "string" }],
  pattern:
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
  "x-kubernetes-int-or-string": true,
};

/** Amounts by the name of the resource, as in `cpu: 500m`. */
export const quantities: Schema = { type: "object", additionalProperties: quantity };
