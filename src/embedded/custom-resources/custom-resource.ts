import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "kubernetes-types/apiextensions/v1.js";
import type { FieldError } from "../../core/api/field-error.ts";
import { applyDefaults, dropStrayNulls } from "../../core/api/schema/apply-defaults.ts";
import type { JsonObject } from "../../core/api/schema/json.ts";
import { prune } from "../../core/api/schema/prune.ts";
import { invalid } from "../../core/api/schema/refusals.ts";
import { readSchema, type SchemaNode } from "../../core/api/schema/schema-node.ts";
import { validateStatusValue, validateValue } from "../../core/api/schema/validate-value.ts";
import { celRules } from "../cel/cel-rules.ts";
import { matchesPattern } from "../cel/re2.ts";
import type { ResourceDefinition, ScalePaths } from "../kinds/resource-definition.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import { hasStatus } from "./definition.ts";
import { pruneEmbedded, refuseEmbedded, validateEmbeddedNames } from "./embedded-metadata.ts";
import { parseJsonPath } from "./json-path.ts";
import { printerColumns } from "./printer-columns.ts";
import { validateScale } from "./validate-scale.ts";

const tools = { matches: matchesPattern, rules: celRules };

/** What the API server needs in order to serve one version of a custom resource. */
export interface CustomResource {
  readonly definition: ResourceDefinition;
  /** The `openAPIV3Schema`, as written. */
  readonly schema: unknown;
  /** The schema, read. */
  readonly node: SchemaNode;
  /** Set on answers to requests for a deprecated version. */
  readonly deprecationWarning?: string;
  /** What keeps an object from being decoded (400), which is said as `Thing in version "v1" cannot be handled as a Thing: …`. */
  readonly coerce: (object: JsonObject) => FieldError | undefined;
  /** Removes unknown fields from an object that a client sent, in place, and answers with their paths: `spec.foo`. */
  readonly prune: (object: JsonObject) => string[];
}

/** Undefined for a version that the definition does not have. */
export function customResourceOf(definition: CustomResourceDefinition, version: string): CustomResource | undefined {
  const found = definition.spec.versions.find(({ name }) => name === version);
  if (found === undefined) return undefined;
  const schema = found.schema?.openAPIV3Schema;
  const node = readSchema(schema);
  const warning =
    found.deprecated === true ? (found.deprecationWarning ?? deprecation(definition, version)) : undefined;
  return {
    definition: resourceDefinitionOf(definition, found, node),
    schema,
    node,
    ...(warning === undefined ? {} : { deprecationWarning: warning }),
    coerce: (object) => refuseEmbedded(node, object),
    prune: (object) => [...prune(node, object), ...pruneEmbedded(node, object)].sort(),
  };
}

function deprecation({ spec }: CustomResourceDefinition, version: string): string {
  return `${spec.group}/${version} ${spec.names.kind} is deprecated`;
}

function resourceDefinitionOf(
  { spec, status }: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  schema: SchemaNode,
): ResourceDefinition {
  const names = status?.acceptedNames?.kind ? status.acceptedNames : spec.names;
  const scale = scaleOf(version);
  const apiVersion = `${spec.group}/${version.name}`;
  const judgeType = (draft: Draft): FieldError[] => validateType(draft, { kind: names.kind, apiVersion });
  const judgeParts = (draft: Draft): FieldError[] => [
    ...validateScale(scale, draft, "whole"),
    ...validateEmbeddedNames(schema, draft),
  ];
  return {
    group: spec.group,
    version: version.name,
    kind: names.kind,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    isNamespaced: spec.scope === "Namespaced",
    hasStatus: hasStatus(version.subresources),
    hasGeneration: true,
    ...(scale === undefined ? {} : { scale }),
    columns: printerColumns(version.additionalPrinterColumns),
    ...selectableFieldsOf(version),
    setDefaults: (draft) => {
      dropStrayNulls(schema, draft);
      applyDefaults(schema, draft);
    },
    validate: (draft) => {
      const wrong = judgeType(draft);
      if (wrong.length > 0) return wrong;
      return validateValue(schema, { value: draft, old: undefined, others: judgeParts(draft) }, tools);
    },
    validateUpdate: (draft, old) => {
      const wrong = judgeType(draft);
      if (wrong.length > 0) return wrong;
      return validateValue(schema, { value: draft, old, others: judgeParts(draft) }, tools);
    },
    validateStatus: (draft, old) => {
      const wrong = judgeType(draft);
      if (wrong.length > 0) return wrong;
      const others = validateScale(scale, draft, "status");
      return validateStatusValue(schema, { value: draft, old, others }, tools);
    },
  };
}

function validateType(draft: Draft, { kind, apiVersion }: { kind: string; apiVersion: string }): FieldError[] {
  return [
    ...(draft.kind === kind ? [] : [invalid("kind", draft.kind, `must be ${kind}`)]),
    ...(draft.apiVersion === apiVersion ? [] : [invalid("apiVersion", draft.apiVersion, `must be ${apiVersion}`)]),
  ];
}

function scaleOf({ subresources }: CustomResourceDefinitionVersion): ScalePaths | undefined {
  const scale = subresources?.scale;
  if (scale === undefined) return undefined;
  const {
    specReplicasPath: specReplicas,
    statusReplicasPath: statusReplicas,
    labelSelectorPath: labelSelector,
  } = scale;
  return { specReplicas, statusReplicas, ...(labelSelector === undefined ? {} : { labelSelector }) };
}

function selectableFieldsOf({
  selectableFields = [],
}: CustomResourceDefinitionVersion): Pick<ResourceDefinition, "selectableFields"> {
  if (selectableFields.length === 0) return {};
  const fields = selectableFields.map(({ jsonPath }) => {
    return { name: jsonPath.replace(/^\./, ""), path: parseJsonPath(jsonPath) };
  });
  return {
    selectableFields: (object: KubeObject) => {
      return Object.fromEntries(fields.map(({ name, path }) => [name, textOf(path?.(object)[0])]));
    },
  };
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}
