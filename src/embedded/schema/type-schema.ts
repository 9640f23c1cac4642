import kubernetesTypes from "./kubernetes-types.json" with { type: "json" };

/** The shape of a value on the wire, as the Go types of the API have it. */
export type TypeSchema =
  | { readonly kind: "string" | "boolean" | "number" | "bytes" }
  | { readonly kind: "integer"; readonly bits: 32 | 64 }
  | { readonly kind: "quantity" | "int-or-string" }
  | { readonly kind: "time" | "micro-time" }
  /** JSON of any shape. */
  | { readonly kind: "any" }
  /** A JSON object of any shape. */
  | { readonly kind: "raw" }
  | StructSchema
  | { readonly kind: "map"; readonly values: TypeSchema }
  | ListSchema;

export interface StructSchema {
  readonly kind: "struct";
  /** As in `io.k8s.api.core.v1.Pod`. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** Structs held by value, but for metadata: they are always there, if only as `{}`. */
  readonly valueFields: readonly string[];
  /** Whether server-side apply treats it as one value. */
  readonly isAtomic: boolean;
  /** Protobuf: which fields are nested under a message of their own though JSON shows them here. */
  readonly inline: ReadonlyMap<number, string>;
}

export interface ListSchema {
  readonly kind: "list";
  readonly items: TypeSchema;
  readonly listType: "atomic" | "set" | "map";
  readonly mapKeys: readonly string[];
}

export interface FieldSchema {
  readonly type: TypeSchema;
  readonly isRequired: boolean;
  /** The struct that Go embeds and JSON does not show, as in `ProbeHandler`. */
  readonly embeddedIn?: string;
  /** Whether false, 0 and "" are left out. */
  readonly omitsZero: boolean;
  /** For strategic merge patches: `merge`, `retainKeys`, `replace`. */
  readonly patchStrategies: readonly string[];
  readonly mergeKey?: string;
  /** 0 where protobuf nests it under an inline struct. */
  readonly protobufNumber: number;
}

interface OpenApiSchema {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
}

interface GoStruct {
  readonly numbers: Readonly<Record<string, number>>;
  readonly inline: Readonly<Record<string, number>>;
  readonly omitZero: readonly string[];
}

/** The OpenAPI schemas of all built-in types, by name. */
export const openApiDefinitions = kubernetesTypes.definitions as unknown as Readonly<Record<string, OpenApiSchema>>;
const goStructs = kubernetesTypes.go as unknown as Readonly<Record<string, GoStruct>>;

const opaque: ReadonlyMap<string, TypeSchema> = new Map<string, TypeSchema>([
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", { kind: "quantity" }],
  ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", { kind: "int-or-string" }],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.Time", { kind: "time" }],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", { kind: "micro-time" }],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", { kind: "raw" }],
  ["io.k8s.apimachinery.pkg.runtime.RawExtension", { kind: "raw" }],
]);

const resolved = new Map<string, TypeSchema>();

/** The type of that name; throws where the project does not know it, which is a mistake of ours and not of a request. */
function typeNamed(name: string): TypeSchema {
  const known = resolved.get(name) ?? opaque.get(name);
  if (known !== undefined) return known;
  const schema = openApiDefinitions[name];
  if (schema === undefined) throw new Error(`There is no type ${name} in kubernetes-types.json`);
  if (schema.properties === undefined) {
    // A struct without fields (`status: {}` of a CRD) still is an object; what has no type is any JSON.
    const free: TypeSchema = schema.type === "object" ? { kind: "raw" } : { kind: "any" };
    resolved.set(name, free);
    return free;
  }
  const fields = new Map<string, FieldSchema>();
  const valueFields: string[] = [];
  const go = goStructs[name];
  const struct: StructSchema = {
    kind: "struct",
    name,
    fields,
    valueFields,
    isAtomic: schema["x-kubernetes-map-type"] === "atomic",
    inline: inlineStruct(name).inline,
  };
  resolved.set(name, struct); // before its fields: types such as JSONSchemaProps hold themselves
  for (const [field, property] of Object.entries(schema.properties)) {
    const read = readField(field, property, { schema, go });
    fields.set(field, read);
    if (read.type.kind === "struct" && property.default !== undefined && field !== "metadata") valueFields.push(field);
  }
  return struct;
}

function readField(
  name: string,
  property: OpenApiSchema,
  owner: { schema: OpenApiSchema; go: GoStruct | undefined },
): FieldSchema {
  const type = readType(property);
  const embedded = Object.keys(owner.go?.inline ?? {}).find((struct) =>
    Object.hasOwn(goStructs[struct]?.numbers ?? {}, name),
  );
  const mergeKey = property["x-kubernetes-patch-merge-key"];
  return {
    type,
    isRequired: owner.schema.required?.includes(name) === true,
    ...(embedded === undefined ? {} : { embeddedIn: embedded.split(".").at(-1) ?? "" }),
    omitsZero: owner.go?.omitZero.includes(name) === true,
    patchStrategies: property["x-kubernetes-patch-strategy"]?.split(",") ?? [],
    ...(mergeKey === undefined ? {} : { mergeKey }),
    protobufNumber: owner.go?.numbers[name] ?? 0,
  };
}

function readType(schema: OpenApiSchema): TypeSchema {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference !== undefined) return typeNamed(reference.slice("#/components/schemas/".length));
  switch (schema.type) {
    case "string":
      return { kind: schema.format === "byte" ? "bytes" : "string" };
    case "boolean":
      return { kind: "boolean" };
    case "integer":
      return { kind: "integer", bits: schema.format === "int32" ? 32 : 64 };
    case "number":
      return { kind: "number" };
    case "array":
      return {
        kind: "list",
        items: readType(schema.items ?? {}),
        listType: schema["x-kubernetes-list-type"] ?? "atomic",
        mapKeys: schema["x-kubernetes-list-map-keys"] ?? [],
      };
    case "object":
      return schema.additionalProperties === undefined
        ? { kind: "raw" }
        : { kind: "map", values: readType(schema.additionalProperties) };
    default:
      return { kind: "any" };
  }
}

/** Protobuf: the numbers of the fields of a struct that JSON shows as part of another. */
export function inlineStruct(name: string): {
  numbers: ReadonlyMap<string, number>;
  inline: ReadonlyMap<number, string>;
} {
  const { numbers = {}, inline = {} } = goStructs[name] ?? {};
  return {
    numbers: new Map(Object.entries(numbers)),
    inline: new Map(Object.entries(inline).map(([type, number]) => [number, type])),
  };
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Of built-in kinds by what objects say they are, as in `apps/v1 Deployment`. */
const typeNames: ReadonlyMap<string, string> = new Map(
  Object.entries(openApiDefinitions).flatMap(([name, schema]) =>
    (schema["x-kubernetes-group-version-kind"] ?? []).map(
      ({ group, version, kind }) => [`${group === "" ? "" : `${group}/`}${version} ${kind}`, name] as const,
    ),
  ),
);

/** The name of the type of a built-in kind. */
export function typeNameOf(apiVersion: string, kind: string): string | undefined {
  if (kind === "DeleteOptions") return "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
  return typeNames.get(`${apiVersion} ${kind}`);
}

/** The struct of that name. */
export function structNamed(name: string): StructSchema {
  const type = typeNamed(name);
  if (type.kind !== "struct") throw new Error(`The type ${name} has no fields`);
  return type;
}

/** As Go would write it in a message, such as `[]v1.Container`. */
export function goTypeOf(type: TypeSchema): string {
  switch (type.kind) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
      return "float64";
    case "bytes":
      return "[]uint8";
    case "integer":
      return `int${type.bits}`;
    case "quantity":
      return "resource.Quantity";
    case "int-or-string":
      return "intstr.IntOrString";
    case "time":
      return "v1.Time";
    case "micro-time":
      return "v1.MicroTime";
    case "any":
    case "raw":
      return "map[string]interface {}";
    case "map":
      return `map[string]${goTypeOf(type.values)}`;
    case "list":
      return `[]${goTypeOf(type.items)}`;
    case "struct":
      return type.name.split(".").slice(-2).join(".");
  }
}
