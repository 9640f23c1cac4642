import { parse as parseYaml } from "yaml";
import { ApiError, badRequest } from "./api-error.ts";
import type { ApiRequest } from "./api-request.ts";
import { describeJsonError } from "./describe-json-error.ts";

/** No larger body is read. */
export const largestBody = 3 * 1024 * 1024;

/** The type without its parameters. */
export function mediaTypeOf(request: ApiRequest): string {
  return (request.headers["content-type"] ?? "application/json").split(";")[0]?.trim().toLowerCase() ?? "";
}

export function hasBody({ body }: ApiRequest): boolean {
  if (body === undefined) return false;
  return typeof body === "string" || body instanceof Uint8Array ? body.length > 0 : true;
}

/** The body as JSON, whatever form it came in. */
export function readBody(request: ApiRequest, isYaml: boolean): unknown {
  const { body } = request;
  if (body === undefined) return undefined;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return body.json;
  if (body.length > largestBody) throw tooLarge();
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  if (isYaml) return readYaml(text);
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedJson(describeJsonError(text));
  }
}

/** Carries the words of a Go decoder; each caller has its own sentence around them. */
export class MalformedJson extends Error {
  override readonly name = "MalformedJson";
}

export function tooLarge(): ApiError {
  return new ApiError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${largestBody}`);
}

function readYaml(text: string): unknown {
  try {
    return parseYaml(text, { version: "1.1", maxAliasCount: 100 });
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: yaml: ${(error as Error).message.split("\n")[0]}`);
  }
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );
}
