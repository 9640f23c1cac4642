import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CloudProvider } from "../../ports/cloud-provider.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";

export interface PoolLoopParts {
  readonly cluster: ClusterState;
  readonly cloud: CloudProvider;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** Works on pools by name. Those whose node class belongs to another cloud are somebody else's. */
export function poolLoop(
  { cluster, cloud, clock, telemetry }: PoolLoopParts,
  name: string,
  reconcile: (pool: NodePoolObject) => Promise<number | undefined>,
): WorkLoop {
  return new WorkLoop({
    name,
    clock,
    telemetry,
    reconcile: async (key) => {
      const pool = cluster.pools.get(key);
      return pool !== undefined && isManaged(pool, cloud.nodeClassKinds) ? reconcile(pool) : undefined;
    },
  });
}
