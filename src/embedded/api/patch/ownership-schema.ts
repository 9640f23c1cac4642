import type { JsonObject } from "../../../core/api/schema/json.ts";
import type { ResourceDefinition } from "../../kinds/resource-definition.ts";
import { structNamed, type TypeSchema } from "../../schema/type-schema.ts";

/** The shape of a value as far as ownership goes. Custom resources and built-in types both offer it. */
export type OwnershipSchema =
  | { readonly kind: "scalar"; readonly type: "string" | "numeric" | "boolean" | "any" }
  /** JSON of any shape, in which objects are shared between owners and lists are not. */
  | { readonly kind: "free" }
  | ObjectOwnership
  | ListOwnership;

export interface ObjectOwnership {
  readonly kind: "object";
  /** Owned as a whole. */
  readonly isAtomic: boolean;
  /** Whether its fields are declared one by one, and not keys of a map. */
  readonly hasNamedFields: boolean;
  /** Undefined where there can be no such field. */
  readonly field: (name: string) => OwnershipSchema | undefined;
}

export interface ListOwnership {
  readonly kind: "list";
  readonly relation: "atomic" | "set" | "keyed";
  readonly keys: readonly string[];
  /** Of keys that an item may leave out. */
  readonly defaults: JsonObject;
  readonly items: OwnershipSchema;
}

const free: OwnershipSchema = { kind: "free" };

/** How fields of the resource are owned, for server-side apply. */
export function ownershipSchemaOf(definition: ResourceDefinition): OwnershipSchema {
  if (definition.typeName !== undefined) return ownershipOfType(definition.typeName);
  return definition.ownership ?? free;
}

/** Of a built-in type by its name, as in `io.k8s.api.core.v1.Pod`. */
export function ownershipOfType(name: string): OwnershipSchema {
  return ownershipOf(structNamed(name));
}

const known = new WeakMap<TypeSchema, OwnershipSchema>();

function ownershipOf(type: TypeSchema): OwnershipSchema {
  const found = known.get(type);
  if (found !== undefined) return found;
  const made = makeOwnership(type);
  known.set(type, made);
  return made;
}

function makeOwnership(type: TypeSchema): OwnershipSchema {
  switch (type.kind) {
    case "struct":
      return {
        kind: "object",
        isAtomic: type.isAtomic,
        hasNamedFields: true,
        field: (name) => {
          const field = type.fields.get(name);
          return field === undefined ? undefined : ownershipOf(field.type);
        },
      };
    case "map":
      return { kind: "object", isAtomic: false, hasNamedFields: false, field: () => ownershipOf(type.values) };
    case "list":
      return {
        kind: "list",
        relation: type.listType === "map" ? "keyed" : type.listType,
        keys: type.mapKeys,
        items: ownershipOf(type.items),
        // The only key with a default in the built-in types.
        defaults: type.mapKeys.includes("protocol") ? { protocol: "TCP" } : {},
      };
    case "raw":
    case "any":
      return free;
    case "integer":
    case "number":
      return { kind: "scalar", type: "numeric" };
    case "boolean":
      return { kind: "scalar", type: "boolean" };
    case "quantity":
    case "int-or-string":
      return { kind: "scalar", type: "any" };
    default:
      return { kind: "scalar", type: "string" };
  }
}

/** The schema of a field of an object, whatever is known of it. */
export function fieldSchema(schema: OwnershipSchema, name: string): OwnershipSchema {
  return schema.kind === "object" ? (schema.field(name) ?? free) : free;
}
