import { describeFieldError, describeWithoutField, type FieldError, reasonOf } from "../../core/api/field-error.ts";
import { quote } from "../../core/api/schema/render-value.ts";
import type { KubeObject } from "../kube-object.ts";

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
  readonly retryAfterSeconds?: number;
}

/** An answer other than success, as a `Status` object carries it. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** Where a list that cannot go on may start again. */
  continueToken?: string;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }
}

export function statusOf(error: ApiError): { readonly [field: string]: unknown } {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: error.continueToken === undefined ? {} : { continue: error.continueToken },
    status: "Failure",
    message: error.message,
    ...(error.reason === "" ? {} : { reason: error.reason }),
    ...(error.details === undefined ? {} : { details: error.details }),
    code: error.code,
  };
}

/** As in `deployments.apps`. */
export function qualified({ plural, group }: { plural: string; group: string }): string {
  return group === "" ? plural : `${plural}.${group}`;
}

function detailsOf({ plural, group }: { plural: string; group: string }, name: string): StatusDetails {
  return { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: plural };
}

export function notFound(resource: { plural: string; group: string }, name: string): ApiError {
  return new ApiError(404, "NotFound", `${qualified(resource)} ${quote(name)} not found`, detailsOf(resource, name));
}

/** For a path that leads nowhere. */
export function pathNotFound(): ApiError {
  return new ApiError(404, "NotFound", "the server could not find the requested resource", {});
}

export function alreadyExists(resource: { plural: string; group: string }, existing: KubeObject): ApiError {
  const { name, deletionTimestamp } = existing.metadata;
  const message = `${qualified(resource)} "${name}" already exists`;
  const said = deletionTimestamp === undefined ? message : `object is being deleted: ${message}`;
  return new ApiError(409, "AlreadyExists", said, detailsOf(resource, name));
}

export function conflict(resource: { plural: string; group: string }, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`;
  return new ApiError(409, "Conflict", message, detailsOf(resource, name));
}

export const staleVersion =
  "the object has been modified; please apply your changes to the latest version and try again";

export function badRequest(message: string): ApiError {
  return new ApiError(400, "BadRequest", message);
}

export function forbidden(resource: { plural: string; group: string }, name: string, why: string): ApiError {
  const message = `${qualified(resource)}${name === "" ? "" : ` "${name}"`} is forbidden: ${why}`;
  return new ApiError(403, "Forbidden", message, detailsOf(resource, name));
}

export function namespaceTerminating(
  resource: { plural: string; group: string },
  name: string,
  namespace: string,
): ApiError {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { code, reason, message, details } = forbidden(resource, name, why);
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return new ApiError(code, reason, message, { ...details, causes: [cause] });
}

export function methodNotAllowed(): ApiError {
  return new ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}

/** The server does not say what it could not do with the request, or why. */
export function unprocessable(): ApiError {
  return new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

export function expired(message: string): ApiError {
  return new ApiError(410, "Expired", message);
}

export function invalid(kind: { kind: string; group: string }, name: string, errors: readonly FieldError[]): ApiError {
  const messages = [...new Set(errors.map(describeFieldError))];
  const said = messages.length === 1 ? messages[0] : `[${messages.join(", ")}]`;
  const qualifiedKind = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  return new ApiError(422, "Invalid", `${qualifiedKind} "${name}" is invalid: ${said}`, {
    ...(name === "" ? {} : { name }),
    ...(kind.group === "" ? {} : { group: kind.group }),
    ...(kind.kind === "" ? {} : { kind: kind.kind }),
    causes: errors.map((error) => ({
      reason: reasonOf(error),
      message: describeWithoutField(error),
      ...(error.field === "" ? {} : { field: error.field }),
    })),
  });
}
