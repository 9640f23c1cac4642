import type { IncomingHttpHeaders } from "node:http";
import type { KubeRequest, KubeResponse } from "../../ports/kube-transport.ts";

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly chunks: readonly Buffer[];
}

/** Parsed where it says that it is JSON, else as text. */
export function readResponse({ status, headers, chunks }: ReceivedResponse, request: KubeRequest): KubeResponse {
  const [first] = chunks;
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  const text = bytes.toString();
  const isJson = text !== "" && headers["content-type"]?.startsWith("application/json") === true;
  const body = isJson ? parse(text, request) : text;
  const retryAfterSeconds = secondsIn(headers["retry-after"]);
  return { status, body, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

function parse(text: string, { method, path }: KubeRequest): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The text stays out of the message: it may hold anything.
    throw new Error(`The answer to ${method} ${path} says that it is JSON, and is not (${text.length} characters)`);
  }
}

/** API servers send seconds, never a date. */
function secondsIn(header: string | undefined): number | undefined {
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
}
