import { applyPatch, type Operation } from "rfc6902";
import { isJsonObject } from "../../kube-object.ts";
import { ApiError, badRequest } from "../api-error.ts";

const mostOperations = 10_000;

/** RFC 6902, on a copy. */
export function jsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch))
    throw badRequest("error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch");
  if (patch.length > mostOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${mostOperations}, got ${patch.length}`;
    throw new ApiError(413, "RequestEntityTooLarge", message);
  }
  const copy = structuredClone(target);
  for (const operation of patch as unknown[]) {
    if (!isJsonObject(operation) || typeof operation.op !== "string" || typeof operation.path !== "string") {
      throw unprocessable(
        `Unexpected kind: ${isJsonObject(operation) ? String(operation.op ?? "unknown") : "unknown"}`,
      );
    }
    const [failure] = applyPatch(copy, [operation as unknown as Operation]);
    if (failure !== null && failure !== undefined) throw unprocessable(describe(operation.op, operation.path));
  }
  return copy;
}

/** In the words of the library that the API server uses. */
function describe(operation: string, path: string): string {
  switch (operation) {
    case "test":
      return `testing value ${path} failed: test failed`;
    case "add":
      return `add operation does not apply: doc is missing path: "${path}": missing value`;
    case "remove":
      return `remove operation does not apply: doc is missing path: "${path}": missing value`;
    case "replace":
      return `replace operation does not apply: doc is missing key: ${path}: missing value`;
    case "move":
    case "copy":
      return `${operation} operation does not apply: doc is missing from path: ${path}: missing value`;
    default:
      return `Unexpected kind: ${operation}`;
  }
}

function unprocessable(detail: string): ApiError {
  return new ApiError(422, "Invalid", `the server rejected our request due to an error in our request`, {
    causes: [{ message: detail }],
  });
}
