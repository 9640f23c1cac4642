import type { ResourceDefinition } from "../../kinds/resource-definition.ts";
import { structNamed } from "../../schema/type-schema.ts";
import { type OwnershipSchema, ownershipOf, untypedOwnership } from "./field-set.ts";

/** How fields of the resource are owned, for server-side apply. */
export function ownershipSchemaOf(definition: ResourceDefinition): OwnershipSchema {
  if (definition.typeName !== undefined) return ownershipOf(structNamed(definition.typeName));
  return definition.ownership ?? untypedOwnership;
}
