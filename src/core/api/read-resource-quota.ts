import { milliValue, wholeValue } from "../model/quantity.ts";
import type { Resources } from "../model/resources.ts";
import type { QuotaScope, ResourceQuota } from "../model/workload.ts";
import { type Field, nameObject, namespaceOf, openObject } from "./field.ts";
import type { Read } from "./problem.ts";
import { readQuantities } from "./read-resources.ts";

/** What it says of the pods of its namespace: limits of containers and other objects are left out. */
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
  const ofPods = [...readQuantities(field)].filter(([name]) => countsPods(name));
  return new Map(ofPods.map(([name, amount]) => [name, isCpu(name) ? milliValue(amount) : wholeValue(amount)]));
}

const plainNames: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage", "pods", "count/pods"]);

function countsPods(name: string): boolean {
  return plainNames.has(name) || name.startsWith("requests.") || name.startsWith("hugepages-");
}

function isCpu(name: string): boolean {
  return name === "cpu" || name === "requests.cpu";
}
