import { readEc2NodeClass } from "../../adapters/aws/node-class/read-node-class.ts";
import { customResourceDefinitions } from "../../core/api/definitions/custom-resource-definitions.ts";
import { nameObject, openObject } from "../../core/api/field.ts";
import type { Problem } from "../../core/api/problem.ts";
import { copyJson, isJsonObject, type JsonObject } from "../../core/api/schema/json.ts";
import { prune } from "../../core/api/schema/prune.ts";
import { readSchema, type SchemaNode } from "../../core/api/schema/schema-node.ts";
import { validateCustomResource } from "../../core/api/validate-custom-resource.ts";
import { validateNodePool } from "../../core/api/validate-node-pool.ts";
import { celRules } from "../../embedded/cel/cel-rules.ts";
import { matchesPattern } from "../../embedded/cel/re2.ts";
import { advise } from "./advise.ts";
import { type Finding, nearestWord } from "./finding.ts";

const schemas: ReadonlyMap<string, SchemaNode> = new Map(
  customResourceDefinitions.map(({ spec }) => {
    const [{ name, schema }] = spec.versions;
    return [`${spec.group}/${name} ${spec.names.kind}`, readSchema(schema.openAPIV3Schema)];
  }),
);

/** Versions that only `karpenter convert` reads. */
const old: ReadonlySet<string> = new Set([
  "karpenter.sh/v1beta1",
  "karpenter.k8s.aws/v1beta1",
  "karpenter.sh/v1alpha5",
  "karpenter.k8s.aws/v1alpha1",
  "provisioning.karpenter.sh/v1alpha1",
]);

export function isOurs({ apiVersion, kind }: JsonObject): boolean {
  return schemas.has(`${apiVersion} ${kind}`) || isOfOurGroup(apiVersion);
}

function isOfOurGroup(apiVersion: unknown): boolean {
  return typeof apiVersion === "string" && /(^|\.)karpenter\.(sh|k8s\.aws|kwok\.sh)\//.test(apiVersion);
}

/** What an API server and the controller would say of the object alone. */
export function lintObject(wire: JsonObject): readonly Finding[] {
  const { apiVersion, kind } = wire;
  const object = nameObject(wire, String(kind));
  const schema = schemas.get(`${apiVersion} ${kind}`);
  const dated = old.has(String(apiVersion)) ? [oldVersion(object, String(apiVersion))] : [];
  if (schema === undefined) return dated.length > 0 ? dated : [lintVersion(object, String(apiVersion), String(kind))];
  const { log } = openObject(wire, object);
  // Such as one that is nested too deeply to be looked at.
  if (!log.isEmpty) return log.problems.map((problem) => asFinding("error", problem, String(kind)));
  const refusals = validateCustomResource(wire, { matches: matchesPattern, rules: celRules }).filter(
    // That not all rules could be asked is no mistake of its own.
    ({ field }) => field !== "<nil>",
  );
  const read = readingProblems(wire).filter(({ field }) => !refusals.some((one) => overlaps(one.field, field)));
  const { warnings } = kind === "NodePool" ? validateNodePool(wire) : { warnings: [] };
  return [
    ...dated,
    ...unknownFields(object, schema, wire),
    ...[...refusals, ...read].map((problem) => asFinding("error", problem, String(kind))),
    ...warnings.map((problem) => asFinding("warning", problem, String(kind))),
    ...placeholders(object, wire),
    ...(kind === "Provisioner" ? missingLimits(object, wire) : []),
    ...(kind === "EC2NodeClass" ? floatingImages(object, wire) : []),
  ];
}

function oldVersion(object: string, apiVersion: string): Finding {
  const fix = "write the v1 equivalent with: karpenter convert -f FILE";
  return { severity: "warning", object, path: "apiVersion", message: `is of the old version ${apiVersion}`, fix };
}

function lintVersion(object: string, apiVersion: string, kind: string): Finding {
  const message = `is of ${apiVersion}, which has no kind ${kind} here`;
  const known = nearestWord(`${apiVersion} ${kind}`, schemas.keys());
  const fix = `use one of ${[...schemas.keys()].join(", ")}`;
  return { severity: "error", object, path: "apiVersion", message, fix: known === undefined ? fix : `use ${known}` };
}

function readingProblems(wire: JsonObject): readonly Problem[] {
  if (wire.kind === "NodePool") return validateNodePool(wire).problems;
  return wire.kind === "EC2NodeClass" ? (readEc2NodeClass(wire).problems ?? []) : [];
}

/** Whether both speak of the same field, or of one within the other. */
function overlaps(one: string, other: string): boolean {
  return one !== "" && other !== "" && (one.startsWith(other) || other.startsWith(one));
}

function asFinding(severity: Finding["severity"], { object, field, message }: Problem, kind: string): Finding {
  const path = field.replace(/\[[^\]]*\]/g, "");
  const advice = advise(message);
  const fix = advice.fix ?? (path === "" ? "correct the object" : `see: kubectl explain ${kind.toLowerCase()}.${path}`);
  return { severity, object, path: field, message: advice.message, fix };
}

/** An API server drops them without a word unless it is asked to be strict. */
function unknownFields(object: string, schema: SchemaNode, wire: JsonObject): readonly Finding[] {
  const copy = copyJson(wire);
  if (!isJsonObject(copy)) return [];
  return prune(schema, copy).map((path) => {
    const name = path.split(".").at(-1) ?? path;
    const meant = nearestWord(name, siblingsOf(schema, path));
    const fix = meant === undefined ? "remove it, or move it where it belongs" : `did you mean ${meant}?`;
    return { severity: "error", object, path, message: "is no field of this kind, and would be ignored", fix };
  });
}

function siblingsOf(schema: SchemaNode, path: string): Iterable<string> {
  let node: SchemaNode | undefined = schema;
  for (const part of path
    .replace(/\[\d+\]/g, ".[]")
    .split(".")
    .slice(0, -1)) {
    node = part === "[]" ? node?.items : node?.properties.get(part);
  }
  return node?.properties.keys() ?? [];
}

/** What articles print for the reader to fill in. */
function placeholders(object: string, wire: JsonObject): readonly Finding[] {
  const found: Finding[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value === "string" && path !== "spec.userData" && /\$\{\w+\}|<[A-Za-z][\w -]*>|\{\{.*\}\}/.test(value)) {
      const message = `still has a placeholder: ${JSON.stringify(value.slice(0, 80))}`;
      found.push({ severity: "error", object, path, message, fix: "put the value in its place" });
    } else if (Array.isArray(value)) for (const [index, item] of value.entries()) look(item, `${path}[${index}]`);
    else if (isJsonObject(value)) {
      for (const [key, item] of Object.entries(value)) look(item, path === "" ? key : `${path}.${key}`);
    }
  };
  look(wire.spec, "spec");
  return found;
}

function missingLimits(object: string, { spec }: JsonObject): readonly Finding[] {
  const limits = isJsonObject(spec) ? spec.limits : undefined;
  const resources = isJsonObject(limits) ? limits.resources : undefined;
  if (isJsonObject(resources) && Object.keys(resources).length > 0) return [];
  const message = "is not set, so nothing bounds what is spent";
  const fix = "set limits such as cpu or memory";
  return [{ severity: "warning", object, path: "spec.limits.resources", message, fix }];
}

/** Nodes drift, and are replaced, whenever such an image is published. */
function floatingImages(object: string, { spec }: JsonObject): readonly Finding[] {
  const terms = isJsonObject(spec) && Array.isArray(spec.amiSelectorTerms) ? spec.amiSelectorTerms : [];
  return terms.flatMap((term, index): Finding[] => {
    const alias = isJsonObject(term) ? String(term.alias) : "";
    if (!alias.endsWith("@latest")) return [];
    const path = `spec.amiSelectorTerms[${index}].alias`;
    const message = `is ${alias}, so every image that AWS publishes replaces the nodes`;
    return [{ severity: "warning", object, path, message, fix: "pin a version where that is not wanted" }];
  });
}
