import type { Schema } from "./schema.ts";

export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "date";
  readonly jsonPath: string;
  readonly description?: string;
  /** 1 shows it only with `-o wide`. */
  readonly priority?: 1;
}

/** What makes a kind different from others. */
export interface KindDefinition {
  readonly resource: {
    readonly group: string;
    readonly version: string;
    readonly plural: string;
    readonly kind: string;
    readonly isNamespaced: boolean;
  };
  /** Served with the same schema, and stored as the version of the resource. */
  readonly olderVersions?: readonly string[];
  readonly description: string;
  readonly category: string;
  readonly shortNames?: readonly string[];
  readonly columns?: readonly PrinterColumn[];
  readonly spec: Schema;
  readonly isSpecOptional?: boolean;
  readonly status: Schema;
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string };
}

/** A CustomResourceDefinition as it goes to an API server. */
export interface CustomResourceDefinition {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly categories: readonly string[];
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly shortNames?: readonly string[];
      readonly singular: string;
    };
    readonly scope: "Cluster" | "Namespaced";
    /** The first is the one that is stored. */
    readonly versions: readonly [DefinitionVersion, ...DefinitionVersion[]];
  };
}

interface DefinitionVersion {
  readonly name: string;
  readonly served: true;
  readonly storage: boolean;
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly schema: { readonly openAPIV3Schema: Schema };
  readonly subresources: { readonly scale?: KindDefinition["scale"]; readonly status: object };
}

export const ageColumn: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

export function conditionColumn(type: string, more: Pick<PrinterColumn, "priority"> = {}): PrinterColumn {
  return { name: type, type: "string", jsonPath: `.status.conditions[?(@.type=="${type}")].status`, ...more };
}

export function defineKind(definition: KindDefinition): CustomResourceDefinition {
  const { resource, category, shortNames, olderVersions = [] } = definition;
  const { group, version, plural, kind, isNamespaced } = resource;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        categories: [category],
        kind,
        listKind: `${kind}List`,
        plural,
        ...(shortNames === undefined ? {} : { shortNames }),
        singular: kind.toLowerCase(),
      },
      scope: isNamespaced ? "Namespaced" : "Cluster",
      versions: [
        defineVersion(version, true, definition),
        ...olderVersions.map((older) => defineVersion(older, false, definition)),
      ],
    },
  };
}

function defineVersion(name: string, storage: boolean, definition: KindDefinition): DefinitionVersion {
  const { columns, scale } = definition;
  return {
    name,
    served: true,
    storage,
    ...(columns === undefined ? {} : { additionalPrinterColumns: columns }),
    schema: { openAPIV3Schema: wholeObject(definition) },
    subresources: { ...(scale === undefined ? {} : { scale }), status: {} },
  };
}

function wholeObject({ description, spec, isSpecOptional, status }: KindDefinition): Schema {
  return {
    type: "object",
    description,
    ...(isSpecOptional === true ? {} : { required: ["spec"] }),
    properties: {
      apiVersion: { type: "string", description: "The group and version of the schema that the object follows." },
      kind: { type: "string", description: "What the object is." },
      metadata: { type: "object" },
      spec,
      status,
    },
  };
}
