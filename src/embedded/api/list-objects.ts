import type { KubeObject } from "../kube-object.ts";
import { type Collection, keyOf } from "../storage/collection.ts";
import { ApiError, badRequest, expired } from "./api-error.ts";
import type { ListQuery } from "./list-query.ts";
import { scanJson } from "./scan-json.ts";

export interface ObjectPage {
  readonly items: KubeObject[];
  readonly resourceVersion: number;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Where a list goes on: after this key, as of this version. */
interface Continuation {
  readonly version: number;
  readonly after: string;
}

export function listObjects(collection: Collection, query: ListQuery, version: number): ObjectPage {
  const from = query.continue === undefined ? undefined : readContinuation(query.continue);
  const asOf = from?.version ?? exactVersion(query, version);
  const isPast = asOf !== undefined && asOf < version;
  if (isPast && asOf < collection.compactedVersion) {
    throw from === undefined
      ? expired(`The resourceVersion for the provided list is too old.`)
      : expiredPage(from, version);
  }
  const { prefix, limit, matches, isSelective } = query;
  const source = isPast ? collection.listAt(asOf, prefix, from?.after) : collection.list(prefix, from?.after);
  // Without a selector, how many there are is known without looking at them.
  const isCounted = !isPast && !isSelective;
  const items: KubeObject[] = [];
  let remaining = 0;
  for (const object of source) {
    if (!matches(object)) continue;
    if (limit <= 0 || items.length < limit) items.push(object);
    else if (isCounted) {
      remaining = collection.count(prefix, from?.after) - items.length;
      break;
    } else remaining++;
  }
  const resourceVersion = asOf ?? version;
  const last = items.at(-1);
  if (remaining === 0 || last === undefined) return { items, resourceVersion };
  const token = writeContinuation({ version: resourceVersion, after: keyOf(last) });
  // How many match a selector is not known to a server that stops reading at the limit.
  return { items, resourceVersion, continue: token, ...(query.isSelective ? {} : { remainingItemCount: remaining }) };
}

function exactVersion({ resourceVersion, resourceVersionMatch }: ListQuery, version: number): number | undefined {
  if (resourceVersion === undefined || resourceVersion === 0) return undefined;
  checkNotFuture(resourceVersion, version, resourceVersionMatch === "Exact");
  return resourceVersionMatch === "Exact" ? resourceVersion : undefined;
}

/** A server that has not seen a version yet waits for it, and gives up. */
export function checkNotFuture(asked: number | undefined, version: number, isExact = false): void {
  if (asked === undefined || asked <= version) return;
  throw new ApiError(504, "Timeout", `Timeout: Too large resource version: ${asked}, current: ${version}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    ...(isExact ? {} : { retryAfterSeconds: 1 }),
  });
}

function writeContinuation({ version, after }: Continuation): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: version, start: after })).toString("base64url");
}

function readContinuation(token: string): Continuation {
  const text = Buffer.from(token, "base64url").toString("latin1");
  const { complaint } = scanJson(text);
  if (complaint !== undefined) throw badToken(complaint);
  const { v = "", rv, start } = JSON.parse(text) ?? {};
  if (v !== "meta.k8s.io/v1") throw badToken(`server does not recognize this encoded version ${v}`);
  if (!Number.isSafeInteger(rv) || typeof start !== "string") throw badToken("incorrect encoded start resourceVersion");
  return { version: rv, after: start };
}

function badToken(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}

/** The page is gone with its version, but the caller may go on from there with the objects as they are now. */
function expiredPage(from: Continuation, version: number): ApiError {
  const error = expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
  );
  error.continueToken = writeContinuation({ version, after: from.after });
  return error;
}
