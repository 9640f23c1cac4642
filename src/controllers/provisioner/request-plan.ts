import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { takeSnapshot } from "../../core/cluster/take-snapshot.ts";
import { mustStay } from "../../core/model/disruption-budget.ts";
import { canSurge } from "../../core/model/drain-strategy.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import type { Pod } from "../../core/model/pod.ts";
import { controllerUid } from "../../core/model/workload.ts";
import type { PlanRequest } from "../../core/scheduling/plan-request.ts";
import { isOnItsWay } from "../../core/workloads/counted-pods.ts";
import { isReplaced } from "../../core/workloads/missing-pods.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CloudProvider } from "../../ports/cloud-provider.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { LookAhead } from "./look-ahead.ts";
import type { ProvisionerSettings } from "./provisioner.ts";

export interface PlanRequestParts {
  readonly cluster: ClusterState;
  readonly cloud: CloudProvider;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly settings: ProvisionerSettings;
}

/** All that the planner has to know: the cluster as it is now, and the pods that need a place. */
export async function requestPlan(parts: PlanRequestParts, lookAhead: LookAhead): Promise<PlanRequest> {
  const { cluster, cloud, clock, settings } = parts;
  const instanceTypes = await findInstanceTypes(parts);
  const budgets = [...cluster.disruptionBudgets.values()];
  const { pendingPods, ...taken } = takeSnapshot(cluster, {
    instanceTypesOf: (pool) => instanceTypes.get(pool.name) ?? [],
    observedTaintsOf: (pool) => cluster.observedTaints.of(pool.name, clock.now()),
    // Of a pod that surges, the rollout creates another: that one is planned.
    mustStay: (pod) => mustStay(pod, budgets, clock.now()) || canSurge(pod) || !hasSuccessor(cluster, pod),
    isOnItsWay: (pod) => isOnItsWay(pod, cluster),
    plansIntendedAnew: true,
  });
  return {
    ...taken,
    pendingPods: [...pendingPods, ...lookAhead.unplaced],
    preferencePolicy: settings.preferencePolicy,
    minValuesPolicy: settings.minValuesPolicy,
    wellKnownLabels: cloud.wellKnownLabels,
    defaultSpread: settings.defaultSpread,
    placement: settings.placementPolicy,
  };
}

/** A StatefulSet that was scaled down does not replace the pods that it lost by that. */
function hasSuccessor(cluster: ClusterState, pod: Pod): boolean {
  const workload = pod.isDeleting ? cluster.workloadByUid(controllerUid(pod)) : undefined;
  return workload === undefined || isReplaced(pod, workload);
}

/** Of the pools that can be used; a cloud that has no answer for one of them does not hold up the others. */
async function findInstanceTypes({
  cluster,
  cloud,
  clock,
  telemetry,
}: PlanRequestParts): Promise<ReadonlyMap<string, readonly InstanceType[]>> {
  const isUsable = ({ pool, nodeClassRef }: NodePoolObject): boolean =>
    pool?.unusableBecause === undefined &&
    cloud.nodeClassKinds.some(({ group, kind }) => group === nodeClassRef.group && kind === nodeClassRef.kind);
  const found = await Promise.all(
    [...cluster.pools.values()].filter(isUsable).map(async (pool) => {
      try {
        const types = await cloud.instanceTypes(pool.nodeClassRef);
        return [pool.name, cluster.refusedOfferings.mark(types, clock.now())] as const;
      } catch (error) {
        telemetry.log.error("skipping a nodepool whose instance types are not known", {
          controller: "provisioner",
          NodePool: { name: pool.name },
          error,
        });
        return [pool.name, []] as const;
      }
    }),
  );
  return new Map(found);
}
