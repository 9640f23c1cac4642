import { isJsonObject } from "../kube-object.ts";
import { badRequest, invalid } from "./api-error.ts";
import type { DeleteOptions, WriteOptions } from "./write-options.ts";

export function readWriteOptions(query: URLSearchParams): WriteOptions & { warnings: string[] } {
  const validation = query.get("fieldValidation") ?? "";
  if (!["", "Strict", "Warn", "Ignore"].includes(validation)) {
    throw refused("notSupported", "fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]);
  }
  const manager = query.get("fieldManager") ?? "";
  return {
    isDryRun: readDryRun(query.getAll("dryRun")),
    fieldValidation: validation === "Strict" || validation === "Ignore" ? validation : "Warn",
    warnings: [],
    ...(manager === "" ? {} : { manager }),
  };
}

function readDryRun(values: readonly string[]): boolean {
  for (const value of values) {
    if (value !== "All" && value !== "") throw refused("notSupported", "dryRun", value, ["All"]);
  }
  return values.includes("All");
}

function refused(type: "notSupported", field: string, value: string, supported: readonly string[]): Error {
  const detail = `supported values: ${supported.map((name) => JSON.stringify(name)).join(", ")}`;
  return invalid({ kind: "CreateOptions", group: "meta.k8s.io" }, "", [
    { type, field, value: JSON.stringify(value), detail },
  ]);
}

/** From the body of a delete request, or from its query where the body says nothing. */
export function readDeleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  const options = isJsonObject(body) ? body : {};
  const grace = options.gracePeriodSeconds ?? numberIn(query, "gracePeriodSeconds");
  const policy = options.propagationPolicy ?? query.get("propagationPolicy") ?? undefined;
  const orphan = options.orphanDependents ?? query.get("orphanDependents") ?? undefined;
  const preconditions = isJsonObject(options.preconditions) ? options.preconditions : undefined;
  if (grace !== undefined && grace !== null && (typeof grace !== "number" || !Number.isInteger(grace))) {
    throw badRequest(
      `json: cannot unmarshal ${typeof grace} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`,
    );
  }
  const propagationPolicy = policyOf(policy, orphan);
  return {
    isDryRun: readDryRun([
      ...(Array.isArray(options.dryRun) ? options.dryRun.map(String) : []),
      ...query.getAll("dryRun"),
    ]),
    ...(typeof grace === "number" ? { gracePeriodSeconds: grace } : {}),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions: preconditions as DeleteOptions["preconditions"] & object }),
  };
}

function policyOf(policy: unknown, orphan: unknown): "Foreground" | "Background" | "Orphan" | undefined {
  if (policy === undefined || policy === null || policy === "") {
    if (orphan === undefined || orphan === null) return undefined;
    return orphan === true || orphan === "true" ? "Orphan" : "Background";
  }
  if (policy === "Foreground" || policy === "Background" || policy === "Orphan") return policy;
  throw invalid({ kind: "DeleteOptions", group: "meta.k8s.io" }, "", [
    {
      type: "notSupported",
      field: "propagationPolicy",
      value: JSON.stringify(policy),
      detail: 'supported values: "Background", "Foreground", "Orphan", "nil"',
    },
  ]);
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (!/^-?\d{1,15}$/.test(text))
    throw badRequest(`invalid value for ${name}: strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}
