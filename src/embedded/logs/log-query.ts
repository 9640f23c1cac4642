import type { FieldError } from "../../core/api/field-error.ts";
import { badRequest, invalid } from "../api/api-error.ts";
import { DecodeError } from "../schema/decode-error.ts";
import { decodeTime } from "../schema/decode-time.ts";
import type { LogLine } from "./log-buffer.ts";

/** What part of a log somebody wants to see. */
export interface LogQuery {
  readonly container: string;
  readonly isFollowed: boolean;
  readonly isPrevious: boolean;
  readonly hasTimestamps: boolean;
  readonly tailLines?: number;
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly limitBytes?: number;
}

export function readLogQuery(query: URLSearchParams, pod: string, now: number): LogQuery {
  const tailLines = readInteger(query.get("tailLines"));
  const limitBytes = readInteger(query.get("limitBytes"));
  const sinceSeconds = readInteger(query.get("sinceSeconds"));
  const sinceTime = readTime(query.get("sinceTime"));
  const problems: FieldError[] = [
    ...(tailLines !== undefined && tailLines < 0
      ? [problem("tailLines", tailLines, "greater than or equal to 0")]
      : []),
    ...(limitBytes !== undefined && limitBytes < 1 ? [problem("limitBytes", limitBytes, "greater than 0")] : []),
    ...(sinceSeconds !== undefined && sinceTime !== undefined ? [twice] : []),
    ...(sinceSeconds !== undefined && sinceSeconds < 1
      ? [problem("sinceSeconds", sinceSeconds, "greater than 0")]
      : []),
  ];
  if (problems.length > 0) throw invalid({ kind: "PodLogOptions", group: "" }, pod, problems);
  const since = sinceSeconds === undefined ? sinceTime : now - sinceSeconds * 1000;
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

const twice: FieldError = {
  type: "forbidden",
  field: "[]",
  detail: "at most one of `sinceTime` or `sinceSeconds` may be specified",
};

function problem(field: string, value: number, bound: string): FieldError {
  return { type: "invalid", field, value: String(value), detail: `must be ${bound}` };
}

function readInteger(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (!/^[+-]?\d{1,15}$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

function readTime(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  try {
    return Date.parse(decodeTime(text, "time"));
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(error.message) : error;
  }
}

/** As text, one line each, as far as the query wants them. */
export function renderLines(lines: readonly LogLine[], query: LogQuery): string {
  const recent = lines.filter(({ at }) => at >= (query.since ?? 0));
  const last =
    query.tailLines === undefined ? recent : recent.slice(recent.length - Math.min(query.tailLines, recent.length));
  const text = last.map((line) => renderLine(line, query)).join("");
  return query.limitBytes === undefined ? text : Buffer.from(text).subarray(0, query.limitBytes).toString();
}

export function renderLine({ at, text }: LogLine, { hasTimestamps }: LogQuery): string {
  return hasTimestamps ? `${new Date(at).toISOString()} ${text}\n` : `${text}\n`;
}
