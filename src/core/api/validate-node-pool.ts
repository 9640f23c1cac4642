import { capacityTypeLabel } from "../model/labels.ts";
import { type Field, nameObject, openObject } from "./field.ts";
import type { Problem } from "./problem.ts";
import { readNodePool } from "./read-node-pool.ts";
import { readPoolDisruption } from "./read-pool-disruption.ts";
import { capacityTypes, isCapacityType, listOf, readRequirement } from "./read-requirement.ts";

export interface PoolVerdict {
  /** What keeps the pool from being used. */
  readonly problems: readonly Problem[];
  /** What its owner should know although it can be used. */
  readonly warnings: readonly Problem[];
}

/** What is wrong with a NodePool, whether an API server has seen it or not; what no schema can say included. */
export function validateNodePool(wire: unknown): PoolVerdict {
  return { problems: readNodePool(wire, []).problems ?? [], warnings: warningsAbout(wire) };
}

function warningsAbout(wire: unknown): readonly Problem[] {
  const object = nameObject(wire, "NodePool");
  const pool = openObject(wire, object);
  // What cannot be read is a problem, and told as such above.
  if (!pool.log.isEmpty) return [];
  const spec = pool.at("spec");
  readPoolDisruption(pool);
  const warnings: Problem[] = [...pool.log.problems];
  const warn = ({ path: field }: Field, message: string): void => {
    warnings.push({ object, field, message });
  };
  const limits = spec.at("limits");
  if (spec.at("replicas").isAbsent && limits.entries().length === 0) {
    warn(limits, "is not set, so nothing bounds what the pool spends: set limits such as cpu, memory or nodes");
  }
  for (const item of spec.at("template").at("spec").at("requirements").items()) {
    const entry = readRequirement(item);
    if (entry?.key !== capacityTypeLabel || entry.operator !== "In" || !entry.values.some(isCapacityType)) continue;
    const others = entry.values.filter((value) => !isCapacityType(value));
    if (others.length > 0)
      warn(item.at("values"), `is partly ignored: use ${capacityTypes.join(", ")}, not ${listOf(others)}`);
  }
  return warnings;
}
