import { isJsonObject, type JsonObject } from "../../core/api/schema/json.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { Draft } from "../kube-object.ts";
import { type Decoded, decode } from "../schema/decode.ts";
import { DecodeError } from "../schema/decode-error.ts";
import { structNamed, typeNameOf } from "../schema/type-schema.ts";
import { badRequest, invalid } from "./api-error.ts";
import { apiVersionOf } from "./resource-registry.ts";
import type { WriteOptions } from "./write-options.ts";

/** A draft of its own from what somebody sent, or the complaint that the API server makes about it. */
export function decodeSent(sent: unknown, definition: ResourceDefinition, options: WriteOptions): Draft {
  const { apiVersion, kind } = kindOf(sent, definition);
  if (definition.typeName === undefined && apiVersion !== apiVersionOf(definition)) {
    throw wrongVersion(apiVersion, definition);
  }
  try {
    return decodeObject(sent, definition, options);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const version = apiVersion.split("/").at(-1) ?? "";
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${definition.kind}: ${error.message}`);
  }
}

/** A draft of its own from a document; throws a DecodeError, which each caller puts into a sentence of its own. */
export function decodeObject(document: unknown, definition: ResourceDefinition, options: WriteOptions): Draft {
  const value = isJsonObject(document) ? document : {};
  checkKind(value, definition);
  const { value: copy, complaints } = read(value, definition, options);
  report([...(options.complaints ?? []), ...complaints], options);
  copy.apiVersion = apiVersionOf(definition);
  copy.kind = definition.kind;
  copy.metadata ??= {};
  return copy as unknown as Draft;
}

function read(
  value: JsonObject,
  { decode: decodeCustom, typeName = "" }: ResourceDefinition,
  options: WriteOptions,
): Decoded {
  return decodeCustom === undefined
    ? decode(structNamed(typeName), value, options.repeated)
    : decodeCustom(value, options.repeated);
}

/** What is left out is what the resource has. */
function kindOf(value: unknown, definition: ResourceDefinition): { apiVersion: string; kind: string } {
  const { apiVersion, kind } = isJsonObject(value) ? value : {};
  return {
    apiVersion: typeof apiVersion === "string" && apiVersion !== "" ? apiVersion : apiVersionOf(definition),
    kind: typeof kind === "string" && kind !== "" ? kind : definition.kind,
  };
}

function checkKind(value: JsonObject, definition: ResourceDefinition): void {
  const { apiVersion, kind } = kindOf(value, definition);
  const expected = apiVersionOf(definition);
  if (kind === definition.kind && apiVersion === expected) return;
  if (definition.typeName === undefined) throw wrongKind(value, { apiVersion, kind }, definition);
  // Older versions are known, though they are served no longer.
  if (kind === definition.kind && /\/v\d+(alpha|beta)\d+$/.test(apiVersion)) throw wrongVersion(apiVersion, definition);
  const typeName = kind === "List" ? typeNameOf("v1", "Status") : typeNameOf(apiVersion, kind);
  if (typeName === undefined || isExtension(apiVersion) !== isExtension(expected)) {
    throw new DecodeError(
      `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  decode(structNamed(typeName), value);
  // Both groups of events hold the same objects.
  if (kind === definition.kind && kind === "Event") throw wrongVersion(apiVersion, definition);
  const internal = definition.group === "" ? "core" : definition.group.split(".")[0];
  throw new DecodeError(
    `converting (${apiVersion.split("/").at(-1)}.${kind}) to (${internal}.${definition.kind}): unknown conversion`,
  );
}

/** Definitions of custom resources are served by another server, which knows nothing else. */
function isExtension(apiVersion: string): boolean {
  return apiVersion.startsWith("apiextensions.k8s.io/");
}

function wrongVersion(apiVersion: string, definition: ResourceDefinition): Error {
  const expected = apiVersionOf(definition);
  return badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
  );
}

function wrongKind(
  value: JsonObject,
  sent: { apiVersion: string; kind: string },
  definition: ResourceDefinition,
): Error {
  const expected = { kind: definition.kind, apiVersion: apiVersionOf(definition) };
  const name = isJsonObject(value.metadata) ? String(value.metadata.name ?? "") : "";
  const errors = (["kind", "apiVersion"] as const)
    .filter((field) => sent[field] !== expected[field])
    .map((field) => ({
      type: "invalid" as const,
      field,
      value: JSON.stringify(sent[field]),
      detail: `must be ${expected[field]}`,
    }));
  return invalid({ kind: sent.kind, group: definition.group }, name, errors);
}

function report(complaints: readonly string[], { fieldValidation, warnings }: WriteOptions): void {
  if (complaints.length === 0) return;
  if (fieldValidation === "Strict") throw new DecodeError(`strict decoding error: ${complaints.join(", ")}`);
  if (fieldValidation !== "Ignore") warnings?.push(...complaints);
}
