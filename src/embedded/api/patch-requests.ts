import { parse as parseYaml } from "yaml";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import { isJsonObject, type JsonObject, type KubeObject } from "../kube-object.ts";
import { structNamed } from "../schema/type-schema.ts";
import { timestamp } from "../timestamp.ts";
import { addressOf, objectAnswer } from "./answer-object.ts";
import { badRequest } from "./api-error.ts";
import type { ApiAnswer } from "./api-request.ts";
import type { ApiServerParts, ResourceRequest } from "./api-server.ts";
import { jsonPatch } from "./patch/json-patch.ts";
import { mergePatch } from "./patch/merge-patch.ts";
import { ownershipSchemaOf } from "./patch/ownership-schema.ts";
import { applyConfiguration } from "./patch/server-side-apply.ts";
import { strategicMergePatch } from "./patch/strategic-merge-patch.ts";
import { MalformedJson, mediaTypeOf, readBody, unsupportedMediaType } from "./read-body.ts";
import { readWriteOptions } from "./read-options.ts";
import { apiVersionOf } from "./resource-registry.ts";
import type { WriteOptions } from "./write-options.ts";

const json = "application/json-patch+json";
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const apply = "application/apply-patch+yaml";

/** Any kind of patch of an object, or of its status. */
export function patchObject(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  const { definition, target } = asked;
  const mediaType = mediaTypeOf(asked.request);
  const subresource = asked.path.subresource;
  const options: WriteOptions & { warnings: string[] } = {
    ...readWriteOptions(target.query),
    ...(subresource === undefined ? {} : { subresource }),
  };
  if (mediaType === apply) return serverSideApply(parts, asked, options);
  const change = patcher(asked, mediaType);
  const object = parts.api.patch(addressOf(asked), (current) => change(current, definition), options);
  return objectAnswer(parts, asked, { status: 200, object, warnings: options.warnings });
}

type Change = (current: KubeObject, definition: ResourceDefinition) => JsonObject;

/** How to compute the new object; the body is read before the object is looked at. */
export function patcher({ request, definition }: ResourceRequest, mediaType: string): Change {
  const isCustom = definition.typeName === undefined;
  const accepted = isCustom ? [json, merge, apply] : [json, merge, strategic, apply];
  if (!accepted.includes(mediaType)) throw unsupportedMediaType(accepted);
  const patch = readPatch(request);
  if (mediaType === json) return (current) => jsonPatch(current, patch) as JsonObject;
  if (!isJsonObject(patch))
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${describeType(patch)} into Go value of type map[string]interface {}`,
    );
  if (mediaType === merge) return (current) => mergePatch(current, patch) as JsonObject;
  return (current, { typeName = "" }) => strategicMergePatch(current as JsonObject, patch, structNamed(typeName));
}

function readPatch(request: ResourceRequest["request"]): unknown {
  try {
    return readBody(request, false);
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    throw badRequest(`error decoding patch: ${error.message}`);
  }
}

function describeType(value: unknown): string {
  return Array.isArray(value) ? "array" : value === null ? "null" : typeof value === "boolean" ? "bool" : typeof value;
}

function serverSideApply(
  parts: ApiServerParts,
  asked: ResourceRequest,
  options: WriteOptions & { warnings: string[] },
): ApiAnswer {
  const { definition, target, path } = asked;
  const manager = options.manager;
  if (manager === undefined) {
    throw badRequest(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  }
  const configuration = readConfiguration(asked);
  const by = {
    manager,
    isForced: target.query.get("force") === "true",
    schema: ownershipSchemaOf(definition),
    now: timestamp(parts.clock.now()),
    apiVersion: apiVersionOf(definition),
  };
  const address = addressOf(asked);
  const current = parts.api.find(address);
  if (current === undefined && path.subresource === undefined) {
    const namespace = path.namespace === undefined ? {} : { namespace: path.namespace };
    const body = applyConfiguration(undefined, configuration, by);
    const object = parts.api.create(definition, body, { ...options, ...namespace });
    return objectAnswer(parts, asked, { status: 201, object, warnings: options.warnings });
  }
  const object = parts.api.patch(address, (existing) => applyConfiguration(existing, configuration, by), {
    ...options,
    isApply: true,
  });
  return objectAnswer(parts, asked, { status: 200, object, warnings: options.warnings });
}

function readConfiguration({ request, path, definition }: ResourceRequest): JsonObject {
  const { body } = request;
  const text =
    typeof body === "string" ? body : body instanceof Uint8Array ? new TextDecoder().decode(body) : undefined;
  let value: unknown;
  try {
    value = text === undefined ? (body as { json: unknown } | undefined)?.json : parseYaml(text, { version: "1.1" });
  } catch (error) {
    throw badRequest(`error decoding YAML: ${(error as Error).message.split("\n")[0]}`);
  }
  if (!isJsonObject(value)) throw badRequest("error decoding YAML: the body must be an object");
  const metadata = isJsonObject(value.metadata) ? value.metadata : {};
  if (metadata.managedFields !== undefined) throw badRequest("metadata.managedFields must be nil");
  return {
    ...value,
    apiVersion: value.apiVersion ?? apiVersionOf(definition),
    kind: value.kind ?? definition.kind,
    metadata: { ...metadata, name: metadata.name ?? path.name },
  };
}
