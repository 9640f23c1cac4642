// Writes docs/reference/fields.md: every field of every kind, from src/core/api/definitions.
import { customResourceDefinitions } from "../src/core/api/definitions/custom-resource-definitions.ts";
import type { Schema } from "../src/core/api/definitions/schema.ts";
import { tableOf } from "./document-source.ts";

interface Field {
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

function fieldsIn(schema: Schema, path: string): readonly Field[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
    const at = path === "" ? name : `${path}.${name}`;
    return [{ path: at, schema: part, isRequired: schema.required?.includes(name) ?? false }, ...fieldsIn(part, at)];
  });
  const items = schema.items === undefined ? [] : fieldsIn(schema.items, `${path}[]`);
  const values = schema.additionalProperties === undefined ? [] : fieldsIn(schema.additionalProperties, `${path}.*`);
  return [...own, ...items, ...values];
}

function typeOf(schema: Schema): string {
  if (schema["x-kubernetes-int-or-string"]) return "number or text";
  switch (schema.type) {
    case "array":
      return `list of ${schema.items === undefined ? "anything" : typeOf(schema.items)}`;
    case "object":
      return schema.additionalProperties === undefined ? "object" : `map of ${typeOf(schema.additionalProperties)}`;
    case "string":
      return schema.format === "date-time" ? "time" : "text";
    case "integer":
      return "number";
    case "boolean":
      return "true or false";
    default:
      return "anything";
  }
}

function describe({ schema, isRequired }: Field): string {
  const { enum: choices, default: value, minimum, maximum } = schema;
  const advice = (schema["x-kubernetes-validations"] ?? []).map(({ message }) => message);
  return [
    schema.description ?? "",
    isRequired ? "Required." : "",
    choices === undefined ? "" : `One of ${choices.map((choice) => `\`${choice}\``).join(", ")}.`,
    minimum === undefined ? "" : `At least ${minimum}.`,
    maximum === undefined ? "" : `At most ${maximum}.`,
    value === undefined ? "" : `Default: \`${JSON.stringify(value)}\`.`,
    advice.length === 0 ? "" : `If refused: ${[...new Set(advice)].join("; ")}.`,
  ]
    .filter((part) => part !== "")
    .join(" ")
    .replaceAll("|", "\\|")
    .replaceAll("\n", " ")
    .replaceAll(/<(?=\w)/g, "&lt;");
}

const introduction = `# Fields

Made by \`npx node scripts/document-reference.ts\`; a test fails when the source says otherwise. \`kubectl explain nodepool.spec\` tells the same. \`[]\` is an entry of a list, \`*\` a value of a map.
`;

export function documentFields(): string {
  const kinds = customResourceDefinitions.map(({ spec }) => {
    const parts = spec.versions.map(({ name, schema }) => {
      const fields = fieldsIn(schema.openAPIV3Schema, "").filter(({ path }) => /^(?:spec|status)\b/.test(path));
      const rows = fields.map((field) => [`\`${field.path}\``, typeOf(field.schema), describe(field)]);
      const scope = spec.scope === "Namespaced" ? "in a namespace" : "for the whole cluster";
      return `## ${spec.names.kind} (${spec.group}/${name}, ${scope})\n\n${tableOf(["field", "type", "what"], rows)}`;
    });
    return parts.join("\n\n");
  });
  return `${introduction}\n${kinds.join("\n\n")}\n`;
}
