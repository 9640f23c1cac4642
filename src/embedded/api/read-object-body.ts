import { isJsonObject } from "../../core/api/schema/json.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import { DecodeError, jsonTypeOf } from "../schema/decode-error.ts";
import { decodeProtobuf } from "../schema/protobuf.ts";
import { badRequest } from "./api-error.ts";
import type { ApiRequest } from "./api-request.ts";
import { type Body, MalformedJson, mediaTypeOf, readBody, textOf, unsupportedMediaType } from "./read-body.ts";
import { MalformedYaml } from "./read-yaml.ts";

const objectTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** The object in the body of a create or update, of which no more is known than that it says its kind. */
export function readObjectBody(request: ApiRequest, definition: ResourceDefinition): Body {
  try {
    const body = readKindedBody(request, definition);
    if (definition.typeName === undefined) requireKind(body.value, request);
    return body;
  } catch (error) {
    if (!(error instanceof UnreadableObject)) throw error;
    const words = `${error.message} (${summaryOf(request)})`;
    throw badRequest(`the object provided is unrecognized (must be of type ${definition.kind}): ${words}`);
  }
}

/** Throws an UnreadableObject for what has no readable kind. */
export function readKindedBody(request: ApiRequest, definition: Pick<ResourceDefinition, "kind" | "typeName">): Body {
  const mediaType = mediaTypeOf(request);
  if (mediaType === "application/vnd.kubernetes.protobuf" && definition.typeName !== undefined)
    return { value: readProtobuf(request), repeated: new Set() };
  if (mediaType !== "application/json" && mediaType !== "application/yaml") {
    throw unsupportedMediaType(definition.typeName === undefined ? objectTypes.slice(0, 2) : objectTypes);
  }
  try {
    const body = readBody(request, mediaType === "application/yaml");
    checkKind(body.value);
    checkVersion(body.value);
    return body;
  } catch (error) {
    if (error instanceof MalformedYaml) throw new UnreadableObject(`yaml: ${error.message}`);
    if (!(error instanceof MalformedJson)) throw error;
    throw new UnreadableObject(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}

/** Says why nothing can be made of a body; each caller has its own sentence around it. */
export class UnreadableObject extends Error {
  override readonly name = "UnreadableObject";
}

function checkVersion(value: unknown): void {
  const { apiVersion } = (value ?? {}) as { apiVersion?: string };
  if ((apiVersion ?? "").split("/").length > 2) {
    throw new UnreadableObject(`unexpected GroupVersion string: ${apiVersion}`);
  }
}

const kindStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function checkKind(value: unknown): void {
  if (value === null) return;
  if (!isJsonObject(value)) {
    throw new MalformedJson(`json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type ${kindStruct}`);
  }
  for (const field of ["apiVersion", "kind"]) {
    const found = value[field] ?? "";
    if (typeof found === "string") continue;
    throw new MalformedJson(
      `json: cannot unmarshal ${jsonTypeOf(found)} into Go struct field .${field} of type string`,
    );
  }
}

/** What a custom resource is cannot be guessed. */
function requireKind(value: unknown, request: ApiRequest): void {
  const { kind = "", apiVersion = "" } = isJsonObject(value) ? value : {};
  if (kind !== "" && apiVersion !== "") return;
  throw new UnreadableObject(`Object '${kind === "" ? "Kind" : "apiVersion"}' is missing in '${textOf(request)}'`);
}

/** The beginning of the body, for messages. */
function summaryOf(request: ApiRequest): string {
  const text = textOf(request);
  if (text === "") return "<empty>";
  const bytes = Buffer.from(text);
  const start = bytes.subarray(0, 30).toString(text.startsWith("{") ? "utf8" : "hex");
  return bytes.length > 30 ? `${start} ...` : start;
}

function readProtobuf({ body }: ApiRequest): unknown {
  if (!(body instanceof Uint8Array)) throw new UnreadableObject("a protobuf message must be sent as bytes");
  try {
    return decodeProtobuf(body);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new UnreadableObject(error.message);
  }
}
