import type { Candidate } from "../../src/core/disruption/candidate.ts";
import type { Condition } from "../../src/core/model/condition.ts";
import type { NodeClaim } from "../../src/core/model/node-claim.ts";
import type { NodePoolObject } from "../../src/core/model/node-pool-object.ts";
import { modelClaim, modelNode } from "./model-machine.ts";
import { modelPool } from "./model-pool.ts";

/** A node of the pool "general" that could go. */
export function modelCandidate(
  name: string,
  {
    claim,
    conditions = [],
    pool = modelPool("general"),
    ...fields
  }: Partial<Omit<Candidate, "claim" | "pool">> & {
    claim?: Partial<NodeClaim>;
    conditions?: readonly Condition[];
    pool?: NodePoolObject;
  } = {},
): Candidate {
  return {
    claim: modelClaim({ name, conditions, ...claim }),
    node: modelNode({ name }),
    pool,
    instanceType: "small",
    zone: "zone-a",
    capacityType: "on-demand",
    price: 1,
    pods: [],
    disturbance: 1,
    ...fields,
  };
}
