import type { Node } from "kubernetes-types/core/v1.js";
import { wellKnownLabelsOf } from "../../../src/adapters/kwok/kwok-provider.ts";
import { makeNode } from "../../../src/adapters/kwok/make-node.ts";
import { Offerings } from "../../../src/adapters/kwok/offerings.ts";
import type { Read } from "../../../src/core/api/problem.ts";
import { readNodeClaim } from "../../../src/core/api/read-node-claim.ts";
import { readNodePoolObject } from "../../../src/core/api/read-node-pool-object.ts";
import { writeNodeClaim } from "../../../src/core/api/write-node-claim.ts";
import type { InstanceType } from "../../../src/core/model/instance-type.ts";
import type { PlannedNode } from "../../../src/core/scheduling/plan.ts";

export interface Shop {
  readonly pools: readonly object[];
  readonly instanceTypes: readonly InstanceType[];
}

/** The node that comes of a planned one: its NodeClaim is written and read, KWOK chooses a machine, and it gets ready. */
export function launch(planned: PlannedNode, name: string, { pools, instanceTypes }: Shop): Node {
  const pool = pools
    .flatMap((wire) => valuesOf(readNodePoolObject(wire)))
    .find((one) => one.name === planned.pool.name);
  if (pool === undefined) throw new Error(`There is no pool "${planned.pool.name}"`);
  const wire = writeNodeClaim(pool, { ...planned, name, wellKnownLabels: wellKnownLabelsOf(instanceTypes) });
  const [claim] = valuesOf(readNodeClaim(wire));
  if (claim === undefined) throw new Error(`The claim "${name}" cannot be read: ${JSON.stringify(wire)}`);
  const outcome = new Offerings(instanceTypes).choose(claim);
  if (outcome.kind !== "chosen") throw new Error(`KWOK sells nothing for ${JSON.stringify(wire)}`);
  const node = makeNode(claim, { name, choice: outcome.choice, now: 0 }) as Node;
  const taints = node.spec?.taints?.filter(({ key }) => key !== "karpenter.sh/unregistered") ?? [];
  return { ...node, spec: { ...node.spec, taints } };
}

function valuesOf<T>(read: Read<T>): T[] {
  return read.problems === undefined ? [read.value] : [];
}
