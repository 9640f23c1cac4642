import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  SelectableField,
} from "kubernetes-types/apiextensions/v1.js";
import type { FieldError } from "../../core/api/field-error.ts";
import { resolveFieldPath } from "../../core/api/schema/field-path.ts";
import { duplicate, invalid, required, tooMany } from "../../core/api/schema/refusals.ts";
import { readSchema } from "../../core/api/schema/schema-node.ts";
import { placed, schemaOfVersion } from "./definition.ts";

type Version = CustomResourceDefinitionVersion;

/** What versions may have besides a schema: subresources, printer columns and selectable fields. */
export function validateVersionParts(spec: CustomResourceDefinitionSpec): FieldError[] {
  const subresources = { read: subresourcesOf, shared: "subresources", own: "subresources" };
  const columns = { read: columnsOf, shared: "additionalPrinterColumns", own: "additionalPrinterColumns" };
  return [
    ...placed(spec, subresources).flatMap(({ part, field }) => validateSubresources(part, field)),
    ...placed(spec, columns).flatMap(({ part, field }) => {
      return part.flatMap((column, index) => validateColumn(column, `${field}[${index}]`));
    }),
    ...validateSelectableFields(spec),
  ];
}

function subresourcesOf({ subresources }: Version): CustomResourceSubresources | undefined {
  return subresources;
}

function columnsOf({
  additionalPrinterColumns: columns,
}: Version): readonly CustomResourceColumnDefinition[] | undefined {
  return columns === undefined || columns.length === 0 ? undefined : columns;
}

function validateSubresources({ scale }: CustomResourceSubresources, field: string): FieldError[] {
  if (scale === undefined) return [];
  const check = (name: "specReplicasPath" | "statusReplicasPath", root: string): FieldError[] => {
    const path = scale[name] ?? "";
    if (path === "") return [required(`${field}.scale.${name}`)];
    const problems = validatePath(path, `${field}.scale.${name}`);
    if (problems.length > 0 || path.startsWith(`${root}.`)) return problems;
    return [invalid(`${field}.scale.${name}`, path, `should be a json path under ${root}`)];
  };
  const selector = scale.labelSelectorPath ?? "";
  const selectorField = `${field}.scale.labelSelectorPath`;
  const problems = selector === "" ? [] : validatePath(selector, selectorField);
  if (problems.length === 0 && selector !== "" && !/^\.(?:spec|status)\./.test(selector)) {
    problems.push(invalid(selectorField, selector, "should be a json path under either .spec or .status"));
  }
  return [...check("specReplicasPath", ".spec"), ...check("statusReplicasPath", ".status"), ...problems];
}

function validatePath(path: string, field: string): FieldError[] {
  return path.startsWith(".") ? [] : [invalid(field, path, "must be a simple json path starting with .")];
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function validateColumn({ name, type, format, jsonPath }: CustomResourceColumnDefinition, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const choices = `must be one of ${columnTypes.join(",")}`;
  if (!name) errors.push(required(`${field}.name`));
  if (!type) errors.push(required(`${field}.type`, choices));
  else if (!columnTypes.includes(type)) errors.push(invalid(`${field}.type`, type, choices));
  if (format && !columnFormats.includes(format)) {
    errors.push(invalid(`${field}.format`, format, `must be one of ${columnFormats.join(",")}`));
  }
  if (!jsonPath) return [...errors, required(`${field}.JSONPath`)];
  return [...errors, ...validatePath(jsonPath, `${field}.JSONPath`)];
}

function validateSelectableFields(spec: CustomResourceDefinitionSpec): FieldError[] {
  const read = ({ selectableFields }: Version): readonly SelectableField[] | undefined => {
    return selectableFields === undefined || selectableFields.length === 0 ? undefined : selectableFields;
  };
  return placed(spec, { read, shared: "selectableFields", own: "selectableFields" }).flatMap(
    ({ part, field, version }) => {
      const schema = readSchema(schemaOfVersion(version ?? (spec.versions[0] as Version)));
      const seen = new Set<string>();
      const errors = part.flatMap(({ jsonPath }, index): FieldError[] => {
        const place = `${field}[${index}].jsonPath`;
        if (!jsonPath) return [required(place)];
        const found = resolveFieldPath(jsonPath, schema, { allowsBrackets: false });
        if ("error" in found) return [invalid(place, jsonPath, `is an invalid path: ${found.error}`)];
        const problems: FieldError[] = [];
        if (found.path === "metadata" || found.path.startsWith("metadata.")) {
          problems.push(invalid(place, jsonPath, "must not point to fields in metadata"));
        }
        if (!["string", "boolean", "integer"].includes(found.schema?.type ?? "")) {
          const detail =
            "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
          problems.push(invalid(place, jsonPath, detail));
        }
        if (seen.has(found.path)) problems.push(duplicate(place, jsonPath));
        seen.add(found.path);
        return problems;
      });
      return seen.size > 8 ? [...errors, tooMany(field, seen.size, 8)] : errors;
    },
  );
}
