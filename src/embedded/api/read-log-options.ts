import type { Pod } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../core/api/field-error.ts";
import { forbidden, invalid } from "../../core/api/schema/refusals.ts";
import { DecodeError } from "../schema/decode-error.ts";
import { decodeTime } from "../schema/decode-time.ts";
import { badRequest, invalid as invalidObject } from "./api-error.ts";
import { readNumber } from "./read-options.ts";

/** What part of a log somebody wants to see. */
export interface LogOptions {
  readonly container: string;
  readonly isFollowed: boolean;
  readonly isPrevious: boolean;
  readonly hasTimestamps: boolean;
  readonly tailLines?: number;
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly limitBytes?: number;
}

/** Refuses what nobody can mean by how much of a log he wants. */
export function readLogOptions(query: URLSearchParams, pod: string, now: number): LogOptions {
  const errors: FieldError[] = [];
  const read = (field: string, least: number): number | undefined => {
    const value = readNumber(query.get(field));
    if (value !== undefined && value < least) {
      errors.push(invalid(field, value, least === 0 ? "must be greater than or equal to 0" : "must be greater than 0"));
    }
    return value;
  };
  const tailLines = read("tailLines", 0);
  const limitBytes = read("limitBytes", 1);
  const sinceTime = readTime(query.get("sinceTime"));
  let since = sinceTime;
  if (query.has("sinceSeconds") && query.has("sinceTime")) {
    errors.push(forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else {
    const sinceSeconds = read("sinceSeconds", 1);
    if (sinceSeconds !== undefined) since = now - sinceSeconds * 1000;
  }
  if (errors.length > 0) throw invalidObject({ kind: "PodLogOptions", group: "" }, pod, errors);
  return {
    container: query.get("container") ?? "",
    isFollowed: query.get("follow") === "true",
    isPrevious: query.get("previous") === "true",
    hasTimestamps: query.get("timestamps") === "true",
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(since === undefined ? {} : { since }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
  };
}

function readTime(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  try {
    return Date.parse(decodeTime(text, "time"));
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(error.message) : error;
  }
}

/** The log is that of one container, which must be named where there are several. */
export function containerOf({ metadata, spec }: Pod, wanted: string): string {
  const names = (spec?.containers ?? []).map(({ name }) => name);
  const init = (spec?.initContainers ?? []).map(({ name }) => name);
  const others = (spec?.ephemeralContainers ?? []).map(({ name }) => name);
  if (wanted !== "" && ![...names, ...init, ...others].includes(wanted)) {
    throw badRequest(`container ${wanted} is not valid for pod ${metadata?.name}`);
  }
  const chosen = wanted || (metadata?.annotations?.["kubectl.kubernetes.io/default-container"] ?? "");
  if (chosen !== "") return chosen;
  if (names.length === 1) return names[0] ?? "";
  const orInit = init.length === 0 ? "" : ` or one of the init containers: [${init.join(" ")}]`;
  throw badRequest(
    `a container name must be specified for pod ${metadata?.name}, choose one of: [${names.join(" ")}]${orInit}`,
  );
}
