import { badRequest } from "./api-error.ts";

/** A path of the API that names a resource: all of them, those of a namespace, one, or a subresource of one. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

export interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Absent for what is not about a resource: discovery, health, documents. */
  readonly resource?: ResourcePath;
}

export function parseTarget(target: string): Target {
  const questionMark = target.indexOf("?");
  const path = questionMark < 0 ? target : target.slice(0, questionMark);
  const query = new URLSearchParams(questionMark < 0 ? "" : target.slice(questionMark + 1));
  const resource = parseResourcePath(path);
  return { path, query, ...(resource === undefined ? {} : { resource }) };
}

function parseResourcePath(path: string): ResourcePath | undefined {
  const segments = path.split("/").slice(1).map(decode);
  if (segments.at(-1) === "") segments.pop();
  if (segments[0] === "api") return inGroup("", segments[1], segments.slice(2));
  if (segments[0] === "apis" && segments[1] !== undefined) return inGroup(segments[1], segments[2], segments.slice(3));
  return undefined;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`invalid URL escape "${segment}"`);
  }
}

function inGroup(group: string, version: string | undefined, rest: readonly string[]): ResourcePath | undefined {
  const [first, second, third] = rest;
  if (version === undefined || first === undefined || first === "") return undefined;
  const isWatch = first === "watch" && second !== undefined;
  if (isWatch) return undefined;
  // `namespaces/x/status` and `namespaces/x/finalize` are subresources of the namespace itself.
  const isInNamespace = first === "namespaces" && third !== undefined && third !== "status" && third !== "finalize";
  const parts = isInNamespace ? rest.slice(2) : rest;
  const [plural = "", name, subresource, ...tooMany] = parts;
  if (tooMany.length > 0) return undefined;
  return {
    group,
    version,
    plural,
    ...(isInNamespace && second !== undefined ? { namespace: second } : {}),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}
