import type { FieldError } from "../../core/api/field-error.ts";
import { forbidden, notSupported } from "../../core/api/schema/refusals.ts";
import { quote } from "../../core/api/schema/render-value.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { KubeObject } from "../kube-object.ts";
import { ApiError, badRequest, invalid } from "./api-error.ts";
import { parseFieldSelector } from "./field-selector.ts";
import { parseLabelSelector } from "./label-selector.ts";
import type { ResourcePath } from "./parse-target.ts";
import { isTrue, readNumber } from "./read-options.ts";

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
  const isWatch = path.isWatch === true || isTrue(query.get("watch"));
  const limit = readNumber(query.get("limit")) ?? 0;
  const timeoutSeconds = readNumber(query.get("timeoutSeconds"));
  checkOptions(query, isWatch);
  const continuation = query.get("continue") ?? "";
  const version = readListVersion(query, isWatch);
  const match = query.get("resourceVersionMatch") ?? "";
  const sendInitialEvents = query.get("sendInitialEvents");
  return {
    prefix: path.namespace === undefined ? "" : `${path.namespace}/`,
    matches: (object) =>
      (path.name === undefined || object.metadata.name === path.name) &&
      (matchesLabels?.(object.metadata.labels ?? {}) ?? true) &&
      (matchesFields?.(object) ?? true),
    isSelective: labelSelector !== "" || fieldSelector !== "",
    limit,
    ...(continuation === "" ? {} : { continue: continuation }),
    ...(version === undefined ? {} : { resourceVersion: version }),
    ...(match === "" ? {} : { resourceVersionMatch: match }),
    isWatch,
    allowsBookmarks: isTrue(query.get("allowWatchBookmarks")),
    ...(sendInitialEvents === null ? {} : { wantsInitialEvents: isTrue(sendInitialEvents) }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  };
}

/** A list is refused with one sentence, a watch and a get with another. */
function readListVersion(query: URLSearchParams, isWatch: boolean): number | undefined {
  if (isWatch) return readVersion(query);
  if ((query.get("continue") ?? "") !== "" && (query.get("resourceVersion") ?? "0") !== "0") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  try {
    return readVersion(query);
  } catch (error) {
    throw badRequest(`invalid resource version: ${(error as Error).message}`);
  }
}

/** Which version the client has seen or wants to see; undefined for the newest. */
export function readVersion(query: URLSearchParams): number | undefined {
  const text = query.get("resourceVersion") ?? "";
  if (text === "") return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const shown = quote(text);
  const message = `resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: invalid syntax`;
  throw new ApiError(500, "", message);
}

/** The combinations that make no sense, refused as the API server does. */
function checkOptions(query: URLSearchParams, isWatch: boolean): void {
  const errors = isWatch ? watchErrors(query) : listErrors(query);
  if (errors.length > 0) throw invalid({ kind: "ListOptions", group: "meta.k8s.io" }, "", errors);
}

const matchField = "resourceVersionMatch";

function listErrors(query: URLSearchParams): FieldError[] {
  const errors: FieldError[] = [];
  const match = query.get(matchField) ?? "";
  const version = query.get("resourceVersion") ?? "";
  if (match !== "") {
    if (version === "")
      errors.push(forbidden(matchField, `${matchField} is forbidden unless resourceVersion is provided`));
    if (hasContinue(query)) errors.push(forbidden(matchField, `${matchField} is forbidden when continue is provided`));
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.push(notSupported(matchField, match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && version === "0")
      errors.push(forbidden(matchField, `${matchField} "exact" is forbidden for resourceVersion "0"`));
  }
  if (query.has("sendInitialEvents")) {
    errors.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return errors;
}

function watchErrors(query: URLSearchParams): FieldError[] {
  const errors: FieldError[] = [];
  const match = query.get(matchField) ?? "";
  const hasInitialEvents = query.has("sendInitialEvents");
  if (hasInitialEvents && match !== "NotOlderThan")
    errors.push(forbidden(matchField, `sendInitialEvents requires setting ${matchField} to NotOlderThan`));
  if (match !== "" && !hasInitialEvents)
    errors.push(forbidden(matchField, `${matchField} is forbidden for watch unless sendInitialEvents is provided`));
  if (match !== "" && match !== "NotOlderThan") errors.push(notSupported(matchField, match, ["NotOlderThan"]));
  if (hasContinue(query)) errors.push(forbidden(matchField, `${matchField} is forbidden when continue is provided`));
  return errors;
}

function hasContinue(query: URLSearchParams): boolean {
  return (query.get("continue") ?? "") !== "";
}
