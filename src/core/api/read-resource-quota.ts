import { milliValue, wholeValue } from "../model/quantity.ts";
import type { Resources } from "../model/resources.ts";
import { type QuotaScope, quotaOfClass, type ResourceQuota } from "../model/workload.ts";
import { type Field, nameObject, namespaceOf, openObject } from "./field.ts";
import type { Read } from "./problem.ts";
import { readQuantities } from "./read-resources.ts";

/** What it says of the pods of its namespace and of their claims. Other objects are left out. */
export function readResourceQuota(wire: unknown): Read<ResourceQuota> {
  const quota = openObject(wire, nameObject(wire, "ResourceQuota", "default"));
  const spec = quota.at("spec");
  return quota.log.conclude({
    namespace: namespaceOf(quota.at("metadata")),
    hard: readAmounts(spec.at("hard")),
    used: readAmounts(quota.at("status").at("used")),
    scopes: [
      ...spec
        .at("scopes")
        .texts()
        .map((name): QuotaScope => ({ name, operator: "Exists", values: [] })),
      ...spec.at("scopeSelector").at("matchExpressions").items().map(readScope),
    ],
  });
}

function readScope(expression: Field): QuotaScope {
  return {
    name: expression.at("scopeName").text() ?? "",
    operator: expression.at("operator").text() ?? "Exists",
    values: expression.at("values").texts(),
  };
}

function readAmounts(field: Field): Resources {
  const counted = [...readQuantities(field)].filter(([name]) => countsPodsOrClaims(name));
  return new Map(counted.map(([name, amount]) => [name, cpus.has(name) ? milliValue(amount) : wholeValue(amount)]));
}

const counts = ["pods", "count/pods", "persistentvolumeclaims", "count/persistentvolumeclaims"];
const plainNames: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage", ...counts]);
const prefixes = ["requests.", "limits.", "hugepages-"];

function countsPodsOrClaims(name: string): boolean {
  return plainNames.has(name) || prefixes.some((prefix) => name.startsWith(prefix)) || name.includes(quotaOfClass);
}

const cpus: ReadonlySet<string> = new Set(["cpu", "requests.cpu", "limits.cpu"]);
