import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { KubeObject } from "../kube-object.ts";
import { badRequest, invalid } from "./api-error.ts";
import { parseFieldSelector } from "./field-selector.ts";
import { parseLabelSelector } from "./label-selector.ts";
import type { ResourcePath } from "./parse-target.ts";

/** What a list, a watch or a deletion of many asks for. */
export interface ListQuery {
  /** Of the keys of the objects: those of a namespace, or all. */
  readonly prefix: string;
  readonly matches: (object: KubeObject) => boolean;
  readonly isSelective: boolean;
  /** 0 for all. */
  readonly limit: number;
  readonly continue?: string;
  readonly resourceVersion?: number;
  readonly resourceVersionMatch?: string;
  readonly isWatch: boolean;
  readonly allowsBookmarks: boolean;
  readonly wantsInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

export function readListQuery(query: URLSearchParams, path: ResourcePath, definition: ResourceDefinition): ListQuery {
  const labelSelector = query.get("labelSelector") ?? "";
  const fieldSelector = query.get("fieldSelector") ?? "";
  const matchesLabels = labelSelector === "" ? undefined : parseLabelSelector(labelSelector);
  const matchesFields = fieldSelector === "" ? undefined : parseFieldSelector(fieldSelector, definition);
  const isWatch = isTrue(query.get("watch"));
  const continuation = query.get("continue") ?? "";
  const version = readVersion(query.get("resourceVersion"));
  const match = query.get("resourceVersionMatch") ?? "";
  checkVersions(query, { isWatch, version, match, continuation });
  const sendInitialEvents = query.get("sendInitialEvents");
  const timeoutSeconds = readNumber(query.get("timeoutSeconds"), "timeoutSeconds");
  return {
    prefix: path.namespace === undefined ? "" : `${path.namespace}/`,
    matches: (object) =>
      (path.name === undefined || object.metadata.name === path.name) &&
      (matchesLabels?.(object.metadata.labels ?? {}) ?? true) &&
      (matchesFields?.(object) ?? true),
    isSelective: labelSelector !== "" || fieldSelector !== "",
    limit: readNumber(query.get("limit"), "limit") ?? 0,
    ...(continuation === "" ? {} : { continue: continuation }),
    ...(version === undefined ? {} : { resourceVersion: version }),
    ...(match === "" ? {} : { resourceVersionMatch: match }),
    isWatch,
    allowsBookmarks: isTrue(query.get("allowWatchBookmarks")),
    ...(sendInitialEvents === null ? {} : { wantsInitialEvents: isTrue(sendInitialEvents) }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  };
}

function isTrue(value: string | null): boolean {
  return value !== null && value !== "false" && value !== "0";
}

function readVersion(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badRequest(
    `Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
}

function readNumber(text: string | null, name: string): number | undefined {
  if (text === null || text === "") return undefined;
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw badRequest(`invalid value for ${name}: strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

interface Versions {
  readonly isWatch: boolean;
  readonly version: number | undefined;
  readonly match: string;
  readonly continuation: string;
}

/** The combinations that make no sense, refused as the API server does. */
function checkVersions(query: URLSearchParams, { isWatch, version, match, continuation }: Versions): void {
  const refuse = (field: string, detail: string) => {
    throw invalid({ kind: "ListOptions", group: "meta.k8s.io" }, "", [{ type: "forbidden", field, detail }]);
  };
  const hasInitialEvents = query.get("sendInitialEvents") !== null;
  if (isWatch) {
    if (match !== "" && !hasInitialEvents) {
      refuse(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      );
    }
    if (hasInitialEvents && match !== "NotOlderThan") {
      refuse("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    return;
  }
  if (hasInitialEvents) refuse("sendInitialEvents", "sendInitialEvents is forbidden for list");
  if (match === "") return;
  if (continuation !== "")
    refuse("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
  if (version === undefined)
    refuse("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
  if (match !== "Exact" && match !== "NotOlderThan") {
    throw invalid({ kind: "ListOptions", group: "meta.k8s.io" }, "", [
      {
        type: "notSupported",
        field: "resourceVersionMatch",
        value: JSON.stringify(match),
        detail: 'supported values: "Exact", "NotOlderThan", ""',
      },
    ]);
  }
  if (match === "Exact" && version === 0) {
    refuse("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
}
