import type { FieldError } from "../../core/api/field-error.ts";
import { fieldOf, isJsonObject, type JsonObject } from "../../core/api/schema/json.ts";
import { invalid } from "../../core/api/schema/refusals.ts";
import type { SchemaNode } from "../../core/api/schema/schema-node.ts";
import { embeddedIn } from "../../core/api/schema/validate-embedded.ts";
import { pathSegmentProblems } from "../kinds/value-rules.ts";
import { type Decoded, decode } from "../schema/decode.ts";
import { DecodeError } from "../schema/decode-error.ts";
import { structNamed } from "../schema/type-schema.ts";

const objectMeta = structNamed("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");

/** What keeps the server from decoding a resource within the object at all: the first type that is wrong in its metadata. */
export function refuseEmbedded(schema: SchemaNode, object: JsonObject): FieldError | undefined {
  for (const { resource, path } of embeddedIn(schema, object, "")) {
    for (const name of ["apiVersion", "kind"]) {
      const value = fieldOf(resource, name);
      if (value !== undefined && typeof value !== "string")
        return invalid(`${path}.${name}`, value, "must be a string");
    }
    const metadata = fieldOf(resource, "metadata");
    if (metadata === undefined || metadata === null) continue;
    const decoded = decodeMeta(metadata);
    if ("error" in decoded) return invalid(`${path}.metadata`, metadata, decoded.error);
  }
  return undefined;
}

function decodeMeta(metadata: unknown): Decoded | { readonly error: string } {
  try {
    return decode(objectMeta, metadata);
  } catch (error) {
    if (error instanceof DecodeError) return { error: error.message };
    throw error;
  }
}

/** Removes unknown fields from the metadata of resources within the object, in place, and answers with their paths. */
export function pruneEmbedded(schema: SchemaNode, object: JsonObject): string[] {
  return embeddedIn(schema, object, "").flatMap(({ resource, path }) => {
    const metadata = fieldOf(resource, "metadata");
    const decoded = isJsonObject(metadata) ? decodeMeta(metadata) : undefined;
    // What cannot be decoded is refused before anybody prunes.
    if (decoded === undefined || "error" in decoded) return [];
    resource.metadata = decoded.value;
    return decoded.complaints.map((complaint) => `${path}.metadata.${complaint.replace(/^.*? field "(.*)"$/s, "$1")}`);
  });
}

/** Names of resources within the object can stand in a URL. */
export function validateEmbeddedNames(schema: SchemaNode, object: unknown): FieldError[] {
  return embeddedIn(schema, object, "").flatMap(({ resource, path }) => {
    const metadata = fieldOf(resource, "metadata");
    const name = isJsonObject(metadata) ? fieldOf(metadata, "name") : undefined;
    if (typeof name !== "string") return [];
    return pathSegmentProblems(name).map((problem) => invalid(`${path}.metadata.name`, name, problem));
  });
}
