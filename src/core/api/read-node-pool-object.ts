import type { NodeClassObject, NodePoolObject } from "../model/node-pool-object.ts";
import { nodePoolHash } from "./drift-hash.ts";
import { Field, isRecord, nameObject, openObject } from "./field.ts";
import { describeProblem, ProblemLog, type Read } from "./problem.ts";
import { readConditions } from "./read-conditions.ts";
import { readNodePool } from "./read-node-pool.ts";
import { readObjectIdentity } from "./read-object-identity.ts";
import { readPoolDisruption } from "./read-pool-disruption.ts";
import { readPoolLimits } from "./read-pool-limits.ts";
import { readResources } from "./read-resources.ts";
import { validateNodePool } from "./validate-node-pool.ts";

/** A NodePool with all that is wrong with it, so that it can be told; unreadable only without a name. */
export function readNodePoolObject(wire: unknown): Read<NodePoolObject> {
  const named = openObject(wire, nameObject(wire, "NodePool"));
  const identity = readObjectIdentity(named.at("metadata"));
  if (!named.log.isEmpty) return { problems: named.log.problems };
  // Apart from the identity, what is wrong is told by `readNodePool`, once.
  const object = new Field(isRecord(wire) ? wire : {}, new ProblemLog(named.log.object));
  const spec = object.at("spec");
  const template = spec.at("template").at("spec");
  const status = object.at("status");
  const nodeClassRef = template.at("nodeClassRef");
  const read = readNodePool(wire, []);
  const { problems, warnings } = validateNodePool(wire);
  return {
    value: {
      ...identity,
      annotations: object.at("metadata").at("annotations").labels(),
      nodeClassRef: {
        group: nodeClassRef.at("group").text() ?? "",
        kind: nodeClassRef.at("kind").text() ?? "",
        name: nodeClassRef.at("name").text() ?? "",
      },
      replicas: spec.at("replicas").integer(0, Number.MAX_SAFE_INTEGER),
      limits: readPoolLimits(spec.at("limits")),
      pool: read.problems === undefined && problems.length === 0 ? read.value : undefined,
      problems: problems.map(describeProblem),
      warnings: warnings.map(describeProblem),
      hash: nodePoolHash(wire),
      terminationGracePeriod: template.at("terminationGracePeriod").text(),
      expireAfter: template.at("expireAfter").text(),
      disruption: readPoolDisruption(object),
      status: {
        conditions: readConditions(object),
        resources: readResources(status.at("resources")),
        nodes: status.at("nodes").integer(0, Number.MAX_SAFE_INTEGER) ?? 0,
        nodeClassObservedGeneration: status.at("nodeClassObservedGeneration").integer(0, Number.MAX_SAFE_INTEGER) ?? 0,
      },
    },
  };
}

export function readNodeClass(wire: unknown, { group, kind }: { group: string; kind: string }): Read<NodeClassObject> {
  const object = openObject(wire, nameObject(wire, kind));
  return object.log.conclude({
    ...readObjectIdentity(object.at("metadata")),
    group,
    kind,
    conditions: readConditions(object),
    wire,
  });
}
