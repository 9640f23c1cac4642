import { isJsonObject, type JsonObject } from "../../core/api/schema/json.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import { DecodeError, jsonTypeOf } from "../schema/decode-error.ts";
import { timestamp } from "../timestamp.ts";
import { addressOf, objectAnswer } from "./answer-object.ts";
import { ApiError, badRequest } from "./api-error.ts";
import type { ApiAnswer, ApiRequest } from "./api-request.ts";
import type { ApiServerParts, ResourceRequest } from "./api-server.ts";
import { configurationProblems } from "./patch/check-configuration.ts";
import { ownershipSchemaOf } from "./patch/ownership-schema.ts";
import { applyConfiguration } from "./patch/server-side-apply.ts";
import { textOf } from "./read-body.ts";
import { isTrue } from "./read-options.ts";
import { MalformedYaml, readYaml } from "./read-yaml.ts";
import { apiVersionOf } from "./resource-registry.ts";
import type { WriteOptions } from "./write-options.ts";

/** A patch that says what somebody wants, and leaves the rest to others. */
export function serverSideApply(
  parts: ApiServerParts,
  asked: ResourceRequest,
  options: WriteOptions & { warnings: string[] },
): ApiAnswer {
  const { definition, target } = asked;
  const schema = ownershipSchemaOf(definition);
  const by = {
    manager: options.manager ?? "",
    isForced: isTrue(target.query.get("force")),
    schema,
    now: timestamp(parts.clock.now()),
    apiVersion: apiVersionOf(definition),
    hasStatus: definition.hasStatus,
    ...(options.subresource === undefined ? {} : { subresource: options.subresource }),
  };
  const address = addressOf(asked);
  const isNew = parts.api.find(address) === undefined;
  let shown = "";
  try {
    const object = parts.api.apply(
      address,
      (live) => {
        const configuration = readConfiguration(asked.request);
        shown = checkKind(configuration, definition);
        const problems = configurationProblems(configuration, schema).sort();
        if (problems.length > 0) throw failure(`failed to create typed patch object (${shown}): ${listed(problems)}`);
        return applyConfiguration(live, configuration, by);
      },
      options,
    );
    return objectAnswer(parts, asked, { status: isNew ? 201 : 200, object, warnings: options.warnings });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw failure(`failed to convert new typed object (${shown}) to object: ${error.conversion}`);
  }
}

/** The kind must be given, and the right one. Answers with the names by which messages call the configuration. */
function checkKind({ apiVersion = "", kind = "", metadata }: JsonObject, definition: ResourceDefinition): string {
  const version = String(apiVersion);
  const shown = `${version.includes("/") ? version : `/${version}`}, Kind=${String(kind)}`;
  if (apiVersion !== apiVersionOf(definition) || kind !== definition.kind) {
    throw badRequest(`invalid object type: ${shown}`);
  }
  const { namespace = "", name = "", managedFields } = isJsonObject(metadata) ? metadata : {};
  if (managedFields !== undefined) throw badRequest("metadata.managedFields must be nil");
  return `${String(namespace)}/${String(name)}; ${shown}`;
}

function listed(problems: readonly string[]): string {
  return problems.length === 1
    ? (problems[0] ?? "")
    : `errors:\n${problems.map((problem) => `  ${problem}`).join("\n")}`;
}

/** What the server does not foresee, it calls its own fault. */
function failure(message: string): ApiError {
  return new ApiError(500, "", message);
}

function readConfiguration(request: ApiRequest): JsonObject {
  const value = parse(request) ?? {};
  if (isJsonObject(value)) return value;
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type map[string]interface {}`,
  );
}

/** JSON is YAML too, and much faster to read. */
function parse(request: ApiRequest): unknown {
  const text = textOf(request);
  try {
    return JSON.parse(text);
  } catch {
    return parseText(text);
  }
}

function parseText(text: string): unknown {
  try {
    return readYaml(text);
  } catch (error) {
    if (!(error instanceof MalformedYaml)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: yaml: ${error.message}`);
  }
}
