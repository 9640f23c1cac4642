/** A path of the API that names a resource: all of them, those of a namespace, one, or a subresource of one. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  /** An old way to ask for a watch: `watch` before the resource. */
  readonly isWatch?: boolean;
}

export interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Absent for what is not about a resource: discovery, health, documents. */
  readonly resource?: ResourcePath;
}

/** Throws a URIError for escapes that are none. */
export function parseTarget(target: string): Target {
  const questionMark = target.indexOf("?");
  const path = decodeURIComponent(questionMark < 0 ? target : target.slice(0, questionMark));
  const query = new URLSearchParams(questionMark < 0 ? "" : target.slice(questionMark + 1));
  const resource = parseResourcePath(path);
  return { path, query, ...(resource === undefined ? {} : { resource }) };
}

function parseResourcePath(path: string): ResourcePath | undefined {
  const segments = path.split("/").slice(1);
  if (segments.at(-1) === "") segments.pop();
  if (segments[0] === "api") return inGroup("", segments[1], segments.slice(2));
  if (segments[0] === "apis" && segments[1] !== undefined) return inGroup(segments[1], segments[2], segments.slice(3));
  return undefined;
}

function inGroup(group: string, version: string | undefined, rest: readonly string[]): ResourcePath | undefined {
  if (rest[0] === "watch" && rest[1] !== undefined) {
    const watched = inGroup(group, version, rest.slice(1));
    return watched === undefined || watched.subresource !== undefined ? undefined : { ...watched, isWatch: true };
  }
  const [first, second, third] = rest;
  if (version === undefined || first === undefined || first === "") return undefined;
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
