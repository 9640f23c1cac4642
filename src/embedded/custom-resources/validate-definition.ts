import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceSubresources,
  SelectableField,
} from "kubernetes-types/apiextensions/v1.js";
import type { FieldError } from "../../core/api/field-error.ts";
import { resolveFieldPath } from "../../core/api/schema/field-path.ts";
import { isJsonObject, type JsonObject } from "../../core/api/schema/json.ts";
import { duplicate, forbidden, invalid, notSupported, required, tooMany } from "../../core/api/schema/refusals.ts";
import { readSchema } from "../../core/api/schema/schema-node.ts";
import { dns1035LabelProblems, dnsSubdomainProblems } from "../kinds/value-rules.ts";
import { conditionOf, hasStatus, placed } from "./definition.ts";
import { validateDefaults } from "./validate-defaults.ts";
import { validateOpenApiSchema } from "./validate-openapi-schema.ts";
import { validateStructural } from "./validate-structural.ts";

/** What is wrong with a definition, after its defaults are set; its metadata is judged like that of all objects but for the name. */
export function validateCustomResourceDefinition(definition: CustomResourceDefinition): FieldError[] {
  const { spec, metadata } = definition;
  const name = metadata?.name ?? "";
  const isNamed = name === `${spec.names.plural}.${spec.group}`;
  return [
    ...(isNamed ? [] : [invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')]),
    ...validateSpec(spec),
    ...validateStoredVersions(definition),
    ...validateApproval(definition),
    ...validatePreservation(spec),
  ];
}

export function validateCustomResourceDefinitionUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): FieldError[] {
  const { spec } = definition;
  const isEstablished = conditionOf(old, "Established") === "True";
  const fixed: [field: string, value: string, before: string][] = [
    ["spec.group", spec.group, old.spec.group],
    ["spec.names.plural", spec.names.plural, old.spec.names.plural],
  ];
  if (isEstablished) {
    fixed.unshift(
      ["spec.scope", spec.scope, old.spec.scope],
      ["spec.names.kind", spec.names.kind, old.spec.names.kind],
    );
  }
  return [
    ...validateSpec(spec),
    ...fixed.flatMap(([field, value, before]) =>
      value === before ? [] : [invalid(field, value, "field is immutable")],
    ),
    ...validateStoredVersions(definition),
    ...validatePreservation(spec),
  ];
}

function validateSpec(spec: CustomResourceDefinitionSpec): FieldError[] {
  const errors = [...validateGroup(spec.group ?? ""), ...validateScope(spec.scope ?? "")];
  for (const [index, version] of spec.versions.entries()) {
    if (!isJsonObject(version.schema?.openAPIV3Schema)) {
      errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
    }
  }
  for (const [index, { name, deprecated, deprecationWarning }] of spec.versions.entries()) {
    const problems = dns1035LabelProblems(name);
    if (problems.length > 0) errors.push(invalid(`spec.versions[${index}].name`, name, problems.join(",")));
    if (deprecationWarning !== undefined && deprecated !== true) {
      const field = `spec.versions[${index}].deprecationWarning`;
      errors.push(invalid(field, deprecationWarning, "can only be set for deprecated versions"));
    }
  }
  errors.push(...validateSchemas(spec));
  const subresources = { read: subresourcesOf, shared: "subresources", own: "subresources" };
  for (const { part, field } of placed(spec, subresources)) errors.push(...validateSubresources(part, field));
  const columns = { read: columnsOf, shared: "additionalPrinterColumns", own: "additionalPrinterColumns" };
  for (const { part, field } of placed(spec, columns)) {
    errors.push(...part.flatMap((column, index) => validateColumn(column, `${field}[${index}]`)));
  }
  errors.push(...validateSelectableFields(spec), ...validateVersions(spec), ...validateNames(spec.names));
  return [...errors, ...validateConversion(spec)];
}

type Version = CustomResourceDefinitionSpec["versions"][number];

function subresourcesOf({ subresources }: Version): CustomResourceSubresources | undefined {
  return subresources;
}

function columnsOf({
  additionalPrinterColumns: columns,
}: Version): readonly CustomResourceColumnDefinition[] | undefined {
  return columns === undefined || columns.length === 0 ? undefined : columns;
}

function schemaOfVersion({ schema }: Version): JsonObject | undefined {
  return isJsonObject(schema?.openAPIV3Schema) ? schema.openAPIV3Schema : undefined;
}

function validateGroup(group: string): FieldError[] {
  if (group === "") return [required("spec.group")];
  const problems = dnsSubdomainProblems(group);
  if (problems.length > 0) return [invalid("spec.group", group, problems.join(","))];
  return group.includes(".") ? [] : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

function validateScope(scope: string): FieldError[] {
  if (scope === "") return [required("spec.scope")];
  const scopes = ["Cluster", "Namespaced"];
  return scopes.includes(scope) ? [] : [notSupported("spec.scope", scope, scopes)];
}

/** No honest schema is nested deeper, and the stack of whoever reads it is finite. */
const deepestSchema = 150;

function validateSchemas(spec: CustomResourceDefinitionSpec): FieldError[] {
  const places = placed(spec, {
    read: schemaOfVersion,
    shared: "validation.openAPIV3Schema",
    own: "schema.openAPIV3Schema",
  });
  return places.flatMap(({ part: schema, field: path, version }) => {
    if (depthOf(schema) > deepestSchema)
      return [forbidden(path, `must not be nested deeper than ${deepestSchema} levels`)];
    const versions = version === undefined ? spec.versions : [version];
    const isStatusServed = versions.some(({ subresources }) => hasStatus(subresources));
    const errors = validateRoot(schema, path, isStatusServed);
    const structural = hasUnreadable(schema) ? [] : validateStructural(schema, path);
    const node = readSchema(schema);
    const defaults = structural.length > 0 ? [] : validateDefaults(node, path);
    errors.push(...structural, ...defaults);
    const isReadable = structural.length === 0 && defaults.length === 0 && !hasUnreadable(schema);
    const place = { schema, node: isReadable ? node : undefined, path, isRoot: true, isInsideMeta: false };
    return [...errors, ...validateOpenApiSchema(place)];
  });
}

/** Lists of schemas for items, and references, which structural schemas cannot have, are refused for themselves. */
function hasUnreadable(schema: JsonObject): boolean {
  const unreadable = ["id", "$ref", "$schema", "patternProperties", "dependencies", "additionalItems", "definitions"];
  return someSchema(schema, (each) => {
    return Array.isArray(each.items) || unreadable.some((name) => Object.hasOwn(each, name));
  });
}

function someSchema(schema: JsonObject, isSuch: (schema: JsonObject) => boolean): boolean {
  return isSuch(schema) || partsOf(schema).some((part) => someSchema(part, isSuch));
}

function partsOf(schema: JsonObject): JsonObject[] {
  const { items, additionalProperties, not, allOf, anyOf, oneOf, properties } = schema;
  const lists = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const fields = isJsonObject(properties) ? Object.values(properties) : [];
  return [items, additionalProperties, not, ...lists, ...fields].filter(isJsonObject);
}

function depthOf(schema: JsonObject): number {
  let level = [schema];
  let depth = 0;
  while (level.length > 0 && depth <= deepestSchema) {
    level = level.flatMap(partsOf);
    depth++;
  }
  return depth;
}

const rootFields = new Set(
  (
    "description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems " +
    "minItems uniqueItems multipleOf required items properties externalDocs example x-kubernetes-preserve-unknown-fields " +
    "x-kubernetes-validations"
  ).split(" "),
);

function validateRoot(schema: JsonObject, path: string, isStatusServed: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const stray = Object.keys(schema).find((name) => !rootFields.has(name));
  if (isStatusServed && stray !== undefined) {
    const names = [...rootFields].map(goName).join(" ");
    const detail = `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`;
    errors.push(invalid(path, schema, detail));
  } else if (isStatusServed && typeof schema.type === "string" && schema.type !== "object") {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    errors.push(invalid(`${path}.type`, schema.type, detail));
  }
  if (schema.nullable === true) errors.push(forbidden(`${path}.nullable`, "nullable cannot be true at the root"));
  return errors;
}

/** `x-kubernetes-validations` is XValidations. */
function goName(name: string): string {
  return name
    .replace(/^x-kubernetes-/, "X-")
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
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

function validateVersions({ versions }: CustomResourceDefinitionSpec): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (detail: string): void => {
    errors.push({ type: "invalid", field: "spec.versions", value: renderVersions(versions), detail });
  };
  if (new Set(versions.map(({ name }) => name)).size < versions.length) refuse("must contain unique version names");
  if (versions.filter(({ storage }) => storage).length !== 1) {
    refuse("must have exactly one version marked as storage version");
  }
  return errors;
}

/** As the server shows versions whose schemas it has moved away: its own fields, in its own order. */
function renderVersions(versions: readonly Version[]): string {
  const shown = versions.map(({ name, served, storage, deprecated, deprecationWarning }) => ({
    Name: name,
    Served: served,
    Storage: storage,
    Deprecated: deprecated ?? false,
    DeprecationWarning: deprecationWarning ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  }));
  return JSON.stringify(shown);
}

function validateNames(names: CustomResourceDefinitionNames): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["plural", "singular", "kind", "listKind"] as const) {
    if (!names[name]) errors.push(required(`spec.names.${name}`));
  }
  const check = (field: string, value: string | undefined, prefix = ""): void => {
    const text = prefix === "" ? (value ?? "") : (value ?? "").toLowerCase();
    const problems = text === "" && !field.includes("[") ? [] : dns1035LabelProblems(text);
    if (problems.length > 0) errors.push(invalid(`spec.names.${field}`, value, prefix + problems.join(",")));
  };
  const mixed = "may have mixed case, but should otherwise match: ";
  check("plural", names.plural);
  check("singular", names.singular);
  check("kind", names.kind, mixed);
  check("listKind", names.listKind, mixed);
  for (const [index, name] of (names.shortNames ?? []).entries()) check(`shortNames[${index}]`, name);
  if (names.kind && names.kind === names.listKind) {
    errors.push(invalid("spec.names.listKind", names.listKind, "kind and listKind may not be the same"));
  }
  for (const [index, name] of (names.categories ?? []).entries()) check(`categories[${index}]`, name);
  return errors;
}

function validateConversion({ conversion }: CustomResourceDefinitionSpec): FieldError[] {
  if (conversion === undefined) return [];
  const { strategy = "", webhook } = conversion;
  const strategies = ["None", "Webhook"];
  if (strategy === "") return [required("spec.conversion.strategy")];
  if (!strategies.includes(strategy)) return [notSupported("spec.conversion.strategy", strategy, strategies)];
  const config = "spec.conversion.webhookClientConfig";
  const reviews = "spec.conversion.conversionReviewVersions";
  if (strategy === "None") {
    const detail = "should not be set when strategy is not set to Webhook";
    return webhook === undefined ? [] : [forbidden(config, detail)];
  }
  const errors: FieldError[] = [];
  const client = webhook?.clientConfig;
  if (client === undefined) errors.push(required(config, "required when strategy is set to Webhook"));
  else if ((client.url === undefined) === (client.service === undefined)) {
    errors.push(required(config, "exactly one of url or service is required"));
  }
  const versions = webhook?.conversionReviewVersions ?? [];
  if (versions.length === 0) errors.push(required(reviews));
  else if (!versions.includes("v1") && !versions.includes("v1beta1")) {
    errors.push(invalid(reviews, versions, "must include at least one of v1, v1beta1"));
  }
  return errors;
}

function validateStoredVersions({ spec, status }: CustomResourceDefinition): FieldError[] {
  const field = "status.storedVersions";
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [invalid(field, null, "must have at least one stored version")];
  const missing = spec.versions.filter(({ name, storage }) => storage && !stored.includes(name));
  const gone = stored.flatMap((name, index) => {
    if (spec.versions.some((version) => version.name === name)) return [];
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    return [invalid(`${field}[${index}]`, name, detail)];
  });
  return [...missing.map(({ name }) => invalid(field, stored, `must have the storage version ${name}`)), ...gone];
}

const approvalAnnotation = "api-approved.kubernetes.io";

function validateApproval({ spec, metadata }: CustomResourceDefinition): FieldError[] {
  if (!/(?:^|\.)(?:k8s\.io|kubernetes\.io)$/.test(spec.group ?? "")) return [];
  const approval = metadata?.annotations?.[approvalAnnotation] ?? "";
  const field = `metadata.annotations[${approvalAnnotation}]`;
  const hint = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (approval === "") {
    return [required(field, `protected groups must have approval annotation "${approvalAnnotation}", ${hint}`)];
  }
  if (approval.startsWith("unapproved") || URL.canParse(approval)) return [];
  const detail = `protected groups must have approval annotation "${approvalAnnotation}" with either a URL or a reason starting with "unapproved", ${hint}`;
  return [invalid(field, approval, detail)];
}

function validatePreservation(spec: CustomResourceDefinitionSpec): FieldError[] {
  if (spec.preserveUnknownFields !== true) return [];
  const detail =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [invalid("spec.preserveUnknownFields", true, detail)];
}
