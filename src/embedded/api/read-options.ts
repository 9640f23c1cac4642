import type { FieldError } from "../../core/api/field-error.ts";
import { forbidden, invalid, notSupported, required, tooLong } from "../../core/api/schema/refusals.ts";
import { quote, renderJson } from "../../core/api/schema/render-value.ts";
import { decode } from "../schema/decode.ts";
import { DecodeError } from "../schema/decode-error.ts";
import { structNamed } from "../schema/type-schema.ts";
import { badRequest, invalid as invalidObject } from "./api-error.ts";
import type { ResourceRequest } from "./api-server.ts";
import { textOf } from "./read-body.ts";
import { readKindedBody, UnreadableObject } from "./read-object-body.ts";
import type { DeleteOptions, WriteOptions } from "./write-options.ts";

type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions";

/** How a create, an update or a patch is to be done. */
export function readWriteOptions(
  { request, target: { query } }: ResourceRequest,
  kind: OptionsKind,
  ownErrors: readonly FieldError[] = [],
): WriteOptions & { warnings: string[] } {
  const validation = query.get("fieldValidation") ?? "";
  const manager = query.get("fieldManager") ?? "";
  const dryRun = query.getAll("dryRun");
  refuse(kind, [
    ...ownErrors,
    ...managerErrors(manager),
    ...dryRunErrors(dryRun),
    ...(["", "Strict", "Warn", "Ignore"].includes(validation)
      ? []
      : [notSupported("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"])]),
  ]);
  const writer = manager === "" ? (request.headers["user-agent"] ?? "").split("/")[0] : manager;
  return {
    isDryRun: dryRun.length > 0,
    fieldValidation: validation === "Strict" || validation === "Ignore" ? validation : "Warn",
    warnings: [],
    ...(writer === "" || writer === undefined ? {} : { manager: writer.slice(0, longestManager) }),
  };
}

/** What only some kinds of patches may ask for. */
export function patchErrors({ target: { query } }: ResourceRequest, isApply: boolean): FieldError[] {
  if (!isApply) return query.has("force") ? [forbidden("force", "may not be specified for non-apply patch")] : [];
  return (query.get("fieldManager") ?? "") === "" ? [required("fieldManager", "is required for apply patch")] : [];
}

const longestManager = 128;

function managerErrors(manager: string): FieldError[] {
  if (Buffer.byteLength(manager) > longestManager) return [tooLong("fieldManager", longestManager)];
  const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(manager);
  if (unprintable === null) return [];
  const code = (unprintable[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  const position = Buffer.byteLength(manager.slice(0, unprintable.index));
  return [invalid("fieldManager", manager, `invalid character U+${code} (at position ${position})`)];
}

function dryRunErrors(values: readonly string[]): FieldError[] {
  if (values.every((value) => value === "All")) return [];
  return [{ ...notSupported("dryRun", "", ["All"]), value: renderJson(values) }];
}

function refuse(kind: OptionsKind, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject({ kind, group: "meta.k8s.io" }, "", errors);
}

/** From the body of a delete request, or from its query where there is no body. */
export function readDeleteOptions(asked: ResourceRequest): DeleteOptions {
  const isEmpty = textOf(asked.request) === "";
  return deleteOptionsFrom(isEmpty ? optionsInQuery(asked.target.query) : readSentOptions(asked));
}

const deleteOptions = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

function readSentOptions({ request, definition }: ResourceRequest): SentOptions {
  try {
    const { value } = readKindedBody(request, definition);
    const { kind = "", apiVersion = "" } = value as { kind?: string; apiVersion?: string };
    if (kind !== "" && kind !== "DeleteOptions") {
      const version = JSON.stringify(apiVersion || "v1");
      throw new DecodeError(
        `no kind "${kind}" is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`,
      );
    }
    return decode(structNamed(deleteOptions), value).value as SentOptions;
  } catch (error) {
    if (!(error instanceof DecodeError) && !(error instanceof UnreadableObject)) throw error;
    throw badRequest(error.message);
  }
}

/** As a DeleteOptions object carries them. */
interface SentOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly dryRun?: readonly string[];
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

function optionsInQuery(query: URLSearchParams): SentOptions {
  const grace = readNumber(query.get("gracePeriodSeconds"));
  const policy = query.get("propagationPolicy");
  const orphan = query.get("orphanDependents");
  return {
    dryRun: query.getAll("dryRun"),
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(orphan === null ? {} : { orphanDependents: isTrue(orphan) }),
  };
}

export function deleteOptionsFrom(sent: SentOptions): DeleteOptions {
  const { propagationPolicy: policy, orphanDependents, dryRun = [], gracePeriodSeconds, preconditions } = sent;
  const errors: FieldError[] = [];
  if (policy !== undefined && orphanDependents !== undefined) {
    const detail = "orphanDependents and deletionPropagation cannot be both set";
    errors.push({ type: "invalid", field: "propagationPolicy", value: quote(policy), detail });
  }
  if (policy !== undefined && !isPolicy(policy)) {
    errors.push(notSupported("propagationPolicy", policy, [...policies, "nil"]));
  }
  refuse("DeleteOptions", [...errors, ...dryRunErrors(dryRun)]);
  const orphans = orphanDependents === undefined ? undefined : orphanDependents ? "Orphan" : "Background";
  const propagationPolicy = policy !== undefined && isPolicy(policy) ? policy : orphans;
  return {
    isDryRun: dryRun.length > 0,
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(orphanDependents === false ? { isCascading: true } : {}),
  };
}

const policies = ["Foreground", "Background", "Orphan"] as const;

function isPolicy(text: string): text is (typeof policies)[number] {
  return (policies as readonly string[]).includes(text);
}

/** A number in a query; undefined for none. */
export function readNumber(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (/^[+-]?\d{1,18}$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${quote(text)}: invalid syntax`);
}

/** A flag in a query: whatever is not a no is a yes. */
export function isTrue(text: string | null): boolean {
  return text !== null && text.toLowerCase() !== "false" && text !== "0";
}
