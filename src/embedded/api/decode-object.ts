import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import { type Draft, isJsonObject, type JsonObject } from "../kube-object.ts";
import { DecodeError, decode } from "../schema/decode.ts";
import { structNamed } from "../schema/type-schema.ts";
import { badRequest } from "./api-error.ts";
import { apiVersionOf } from "./resource-registry.ts";
import type { WriteOptions } from "./write-options.ts";

/** A draft of its own from what somebody sent, or the complaint that the API server makes about it. */
export function decodeObject(value: unknown, definition: ResourceDefinition, options: WriteOptions): Draft {
  const expected = apiVersionOf(definition);
  if (!isJsonObject(value))
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${typeName(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  checkKind(value, definition);
  const { value: copy, unknownFields } = read(value, definition);
  report(unknownFields, definition, options);
  const metadata = isJsonObject(copy.metadata) ? copy.metadata : {};
  return { ...copy, apiVersion: expected, kind: definition.kind, metadata: metadata as Draft["metadata"] };
}

function typeName(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
}

function checkKind({ apiVersion, kind }: JsonObject, definition: ResourceDefinition): void {
  const expected = apiVersionOf(definition);
  const hasKind = typeof kind === "string" && kind !== "";
  const hasVersion = typeof apiVersion === "string" && apiVersion !== "";
  if (hasKind && kind !== definition.kind && hasVersion) {
    throw badRequest(
      `${kind} in version "${String(apiVersion).split("/").at(-1)}" cannot be handled as a ${definition.kind}: converting (v1.${kind}) to (core.${definition.kind}): unknown conversion`,
    );
  }
  if (hasVersion && apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
}

function read(value: JsonObject, definition: ResourceDefinition) {
  try {
    if (definition.decode !== undefined) return definition.decode(value);
    return decode(structNamed(definition.typeName ?? ""), value);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(
      `${definition.kind} in version "${definition.version}" cannot be handled as a ${definition.kind}: ${error.message}`,
    );
  }
}

function report(unknownFields: readonly string[], definition: ResourceDefinition, options: WriteOptions): void {
  if (unknownFields.length === 0) return;
  const complaints = unknownFields.map((field) => `unknown field "${field}"`);
  if (options.fieldValidation === "Strict") {
    throw badRequest(
      `${definition.kind} in version "${definition.version}" cannot be handled as a ${definition.kind}: strict decoding error: ${complaints.join(", ")}`,
    );
  }
  if (options.fieldValidation !== "Ignore") options.warnings?.push(...complaints);
}
