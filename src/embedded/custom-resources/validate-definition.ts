import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from "kubernetes-types/apiextensions/v1.js";
import type { FieldError } from "../../core/api/field-error.ts";
import { isJsonObject } from "../../core/api/schema/json.ts";
import { forbidden, invalid, notSupported, required } from "../../core/api/schema/refusals.ts";
import { dns1035LabelProblems, dnsSubdomainProblems } from "../kinds/value-rules.ts";
import { conditionOf } from "./definition.ts";
import { validateSchemas } from "./validate-schemas.ts";
import { validateVersionParts } from "./validate-version-parts.ts";

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
  errors.push(...validateVersionParts(spec), ...validateVersions(spec), ...validateNames(spec.names));
  return [...errors, ...validateConversion(spec)];
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
function renderVersions(versions: readonly CustomResourceDefinitionVersion[]): string {
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
