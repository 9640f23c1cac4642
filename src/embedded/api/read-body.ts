import { ApiError } from "./api-error.ts";
import type { ApiRequest } from "./api-request.ts";
import { readYaml } from "./read-yaml.ts";
import { scanJson } from "./scan-json.ts";

/** No larger body is read. */
export const largestBody = 3 * 1024 * 1024;

export interface Body {
  readonly value: unknown;
  /** Paths of fields that the text gives more than once. */
  readonly repeated: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/** The type without its parameters. */
export function mediaTypeOf(request: ApiRequest): string {
  return (request.headers["content-type"] || "application/json").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Nothing for no body. */
export function textOf({ body = "" }: ApiRequest): string {
  if (body.length > largestBody) throw tooLarge();
  return typeof body === "string" ? body : new TextDecoder().decode(body);
}

/** The body as JSON, whatever form it came in. */
export function readBody(request: ApiRequest, isYaml: boolean): Body {
  const text = textOf(request);
  if (isYaml) return { value: readYaml(text), repeated: none };
  const { complaint, repeated } = scanJson(text);
  if (complaint !== undefined) throw new MalformedJson(complaint);
  return { value: parseJson(text), repeated };
}

/** Carries the words of a Go decoder; each caller has its own sentence around them. */
export class MalformedJson extends Error {
  override readonly name = "MalformedJson";
}

export function tooLarge(): ApiError {
  return new ApiError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${largestBody}`);
}

/** Half of a character becomes the sign that stands for none. */
function parseJson(text: string): unknown {
  if (!/\\ud[89a-f]/i.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value) => (typeof value === "string" ? value.toWellFormed() : value));
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );
}
