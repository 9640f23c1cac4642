import { isJsonObject, type JsonObject } from "../../core/api/schema/json.ts";
import { quote, renderJson } from "../../core/api/schema/render-value.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { KubeObject } from "../kube-object.ts";
import { decodeList } from "../schema/decode.ts";
import { DecodeError, jsonTypeOf } from "../schema/decode-error.ts";
import { type FieldSchema, type ListSchema, type StructSchema, structNamed } from "../schema/type-schema.ts";
import { addressOf, objectAnswer } from "./answer-object.ts";
import { ApiError, badRequest, invalid } from "./api-error.ts";
import type { ApiAnswer, ApiRequest } from "./api-request.ts";
import type { ApiServerParts, ResourceRequest } from "./api-server.ts";
import { serverSideApply } from "./apply-requests.ts";
import { goText } from "./patch/go-text.ts";
import { jsonPatch, type PatchOperation } from "./patch/json-patch.ts";
import { mergePatch } from "./patch/merge-patch.ts";
import { strategicMergePatch } from "./patch/strategic-merge-patch.ts";
import { type Body, MalformedJson, readBody, unsupportedMediaType } from "./read-body.ts";
import { patchErrors, readWriteOptions } from "./read-options.ts";
import type { WriteOptions } from "./write-options.ts";

const json = "application/json-patch+json";
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const apply = "application/apply-patch+yaml";

/** Any kind of patch of an object, or of its status. */
export function patchObject(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  const type = patchTypeOf(asked);
  const { subresource } = asked.path;
  const options = {
    ...readWriteOptions(asked, "PatchOptions", patchErrors(asked, type === apply)),
    ...(subresource === undefined ? {} : { subresource }),
  };
  if (type === apply) return serverSideApply(parts, asked, options);
  const { definition } = asked;
  const object = applyPatch(asked, options, (change, changeOptions) =>
    parts.api.patch(addressOf(asked), (current) => change(current, definition), changeOptions),
  );
  return objectAnswer(parts, asked, { status: 200, object, warnings: options.warnings });
}

function patchTypeOf({ request, definition }: ResourceRequest): string {
  const type = (request.headers["content-type"] ?? "").split(";")[0] ?? "";
  const isCustom = definition.typeName === undefined;
  if ([json, merge, apply, ...(isCustom ? [] : [strategic])].includes(type)) return type;
  throw isCustom
    ? unsupportedMediaType([json, merge, apply])
    : new ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
}

type Change = (current: KubeObject, definition: ResourceDefinition) => JsonObject;

/** Writes with a function that computes the new object, and says what is wrong with the patch if that cannot be read. */
export function applyPatch<Result>(
  asked: ResourceRequest,
  options: WriteOptions,
  write: (change: Change, options: WriteOptions) => Result,
): Result {
  const complaints: string[] = [];
  const patcher = patchers[patchTypeOf(asked)] as Patcher;
  let patched: Patched | undefined;
  const change: Change = (current, definition) => {
    patched = patcher(current, asked.request, { definition, isLenient: options.fieldValidation === "Ignore" });
    complaints.push(...patched.complaints);
    return patched.document as JsonObject;
  };
  try {
    return write(change, { ...options, complaints });
  } catch (error) {
    if (!(error instanceof DecodeError) || patched === undefined) throw error;
    const { shown, document } = patched;
    const value = shown ?? renderJson(document);
    const detail = shown === undefined ? error.message : error.conversion;
    throw invalid({ kind: "", group: "" }, "", [{ type: "invalid", field: "patch", value: quote(value), detail }]);
  }
}

interface Patched {
  readonly document: unknown;
  /** What a strict reader objects to in the patch itself. */
  readonly complaints: readonly string[];
  /** What messages show where that is not the document. */
  readonly shown?: string;
}

interface PatchContext {
  readonly definition: ResourceDefinition;
  readonly isLenient: boolean;
}

type Patcher = (current: KubeObject, request: ApiRequest, context: PatchContext) => Patched;

const patchers: Readonly<Record<string, Patcher>> = {
  [json]: (current, request, { isLenient }) => {
    const { value, repeated } = read(request, isLenient ? "" : "error decoding patch: ");
    const { operations, complaints } = readOperations(value, isLenient);
    const duplicates = duplicateComplaints(repeated);
    return {
      document: jsonPatch(current, operations),
      complaints: [...duplicates, ...complaints].map((complaint) => `json patch ${complaint}`),
    };
  },
  [merge]: (current, request, { isLenient }) => {
    const { value: patch, repeated } = read(request, "error decoding patch: ");
    if (patch === null || (isLenient && !isJsonObject(patch))) throw badRequest("Invalid JSON Patch");
    if (!isJsonObject(patch)) throw badRequest(`error decoding patch: ${notAnObject(patch)}`);
    return { document: mergePatch(current, patch), complaints: duplicateComplaints(repeated) };
  },
  [strategic]: (current, request, { definition }) => {
    const { value, repeated } = read(request, "");
    const patch = value ?? {};
    if (!isJsonObject(patch)) throw badRequest(notAnObject(patch));
    const type = structNamed(definition.typeName ?? "");
    return {
      document: strategicMergePatch(current as JsonObject, patch, type),
      complaints: duplicateComplaints(repeated),
      shown: goText(patch),
    };
  },
};

function read(request: ApiRequest, prefix: string): Body {
  try {
    return readBody(request, false);
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    throw badRequest(`${prefix}${error.message}`);
  }
}

function notAnObject(patch: unknown): string {
  return `json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type map[string]interface {}`;
}

function duplicateComplaints(repeated: ReadonlySet<string>): string[] {
  return [...repeated].map((path) => `duplicate field "${path}"`);
}

const mostOperations = 10_000;

function listOf(name: string, fields: StructSchema["fields"]): ListSchema {
  const items: StructSchema = {
    kind: "struct",
    name,
    fields,
    valueFields: [],
    isAtomic: false,
    inline: new Map(),
  };
  return { kind: "list", items, listType: "atomic", mapKeys: [] };
}

const text: FieldSchema = {
  type: { kind: "string" },
  isRequired: true,
  omitsZero: false,
  patchStrategies: [],
  protobufNumber: 0,
};
const strictOperations = listOf(
  "handlers.jsonPatchOp",
  new Map<string, FieldSchema>([
    ["op", text],
    ["path", text],
    ["from", text],
    ["value", { ...text, type: { kind: "any" } }],
  ]),
);

function readOperations(
  value: unknown,
  isLenient: boolean,
): { operations: PatchOperation[]; complaints: readonly string[] } {
  try {
    const { value: operations, complaints } = decodeList(strictOperations, value);
    if (operations.length > mostOperations) {
      const message = `Request entity too large: The allowed maximum operations in a JSON patch is ${mostOperations}, got ${operations.length}`;
      throw new ApiError(413, "RequestEntityTooLarge", message);
    }
    return { operations: operations as PatchOperation[], complaints };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(isLenient ? lenientWords(error.message) : `error decoding patch: ${error.message}`);
  }
}

/** The same complaint by another reader. */
function lenientWords(message: string): string {
  return message
    .replace("[]handlers.jsonPatchOp", "jsonpatch.Patch")
    .replace("handlers.jsonPatchOp", "jsonpatch.Operation");
}
