import { podReference, poolReference } from "../../core/api/references.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import type { NodePool } from "../../core/model/node-pool.ts";
import type { Pod } from "../../core/model/pod.ts";
import { conflictingKey } from "../../core/model/requirements.ts";
import { tellingBound } from "../../core/scheduling/telling-bound.ts";
import type { NodeToLaunch, PlanAnswer } from "../../ports/planner.ts";
import type { Telemetry } from "../../ports/telemetry.ts";

const controller = "provisioner";
const fiveMinutes = 300_000;
const oneMinute = 60_000;
const listed = 5;

export interface PlanCircumstances {
  /** Without those that are still to be created. */
  readonly realPods: readonly Pod[];
  /** How long it took. */
  readonly seconds: number;
  readonly isProvisional: boolean;
}

/** Says what was planned and why: to the log, to the metrics, and to the pods themselves. */
export class PlanReporter {
  readonly #cluster: ClusterState;
  readonly #telemetry: Telemetry;
  /** Of the last plan, by pod. */
  #reasons: ReadonlyMap<string, string> = new Map();

  constructor(cluster: ClusterState, telemetry: Telemetry) {
    this.#cluster = cluster;
    this.#telemetry = telemetry;
  }

  /** Nobody waits. */
  reportNothing(): void {
    const { metrics } = this.#telemetry;
    metrics.set("scheduler_ignored_pods_count", {}, 0);
    metrics.set("scheduler_unschedulable_pods_count", { controller }, 0);
    this.#reasons = new Map();
  }

  /** Pools that no instance type fits will serve nobody, whoever waits. */
  reportPools(pools: readonly NodePool[]): void {
    for (const pool of pools) {
      const object = this.#cluster.pools.get(pool.name);
      if (
        object === undefined ||
        pool.unusableBecause !== undefined ||
        pool.instanceTypes.some((type) => fitsPool(type, pool))
      )
        continue;
      this.#telemetry.events.publish({
        object: poolReference(object),
        type: "Warning",
        reason: "NoCompatibleInstanceTypes",
        message:
          "NodePool requirements filtered out all compatible available instance types; relax spec.template.spec.requirements",
        quietMilliseconds: oneMinute,
      });
    }
  }

  /** A provisional plan refuses pods that may be served as soon as claims under way are launched; they are not told. */
  reportPlan(answer: PlanAnswer, { realPods, seconds, isProvisional }: PlanCircumstances): void {
    const { log, metrics } = this.#telemetry;
    const isNews = answer.nodes.length > 0;
    // Plans are made every few seconds for a pod that gets no node; only what comes of them is worth a line.
    const say = isNews ? log.info : log.debug;
    say.call(log, "found provisionable pod(s)", {
      controller,
      Pods: listNames(realPods.map(nameOf)),
      duration: `${seconds}s`,
    });
    if (answer.nodes.length > 0) {
      log.info("computed new nodeclaim(s) to fit pod(s)", {
        controller,
        nodeclaims: answer.nodes.length,
        ...this.#countPods(answer.nodes.flatMap(({ podUids }) => podUids)),
        "cost-per-hour": answer.costPerHour,
        "least-cost-per-hour": tellingBound(answer.costPerHour, answer.boundPerHour),
      });
    }
    metrics.observe("scheduler_scheduling_duration_seconds", { controller }, seconds);
    // Pods that are still to be created wait for nothing.
    const refusals = answer.refusals.flatMap((refusal) => {
      const pod = this.#cluster.podByUid(refusal.podUid);
      return pod === undefined ? [] : [{ ...refusal, pod }];
    });
    const deferred = refusals.filter(({ isDeferred }) => isDeferred).length;
    const invalid = refusals.filter(({ isInvalid }) => isInvalid).length;
    metrics.set("scheduler_ignored_pods_count", {}, invalid);
    metrics.set("scheduler_unschedulable_pods_count", { controller }, refusals.length - deferred);
    for (const { pod, reason, isDeferred, isInvalid } of refusals)
      if (!isDeferred && (isInvalid || !isProvisional)) this.#reportRefusal(pod, reason);
    this.#reasons = new Map(refusals.map(({ podUid, reason }) => [podUid, reason]));
  }

  #reportRefusal(pod: Pod, reason: string): void {
    // As often as the reason changes: plans are made every few seconds.
    if (this.#reasons.get(pod.uid) !== reason) this.#logRefusal(pod, reason);
    this.#publishRefusal(pod, reason);
  }

  #logRefusal({ namespace, name }: Pod, reason: string): void {
    this.#telemetry.log.error("could not schedule pod", { controller, Pod: { namespace, name }, reason });
  }

  #publishRefusal(pod: Pod, reason: string): void {
    this.#telemetry.events.publish({
      object: podReference(pod),
      type: "Warning",
      reason: "FailedScheduling",
      message: `Failed to schedule pod, ${reason}`,
      // Another reason is news.
      sameAs: [pod.uid, reason],
      quietMilliseconds: fiveMinutes,
    });
  }

  /** No node is launched for the pod for now. */
  reportHeld(pod: Pod, reason: string): void {
    this.#publishRefusal(pod, reason);
  }

  #countPods(podUids: readonly string[]): { readonly pods: number; readonly "pods-to-be-created"?: number } {
    const toBeCreated = podUids.filter((uid) => this.#cluster.podByUid(uid) === undefined).length;
    return { pods: podUids.length, ...(toBeCreated === 0 ? {} : { "pods-to-be-created": toBeCreated }) };
  }

  reportClaim(claimName: string, node: NodeToLaunch): void {
    const podUids = [...this.#cluster.intendedPods.podsOf(claimName)];
    this.#telemetry.log.info("created nodeclaim", {
      controller,
      NodePool: { name: node.poolName },
      NodeClaim: { name: claimName },
      ...this.#countPods(podUids),
      "planned-instance-type": node.instanceType,
      "planned-zone": node.zone,
      "planned-capacity-type": node.capacityType,
      "price-per-hour": node.price,
      "instance-types": listNames(node.instanceTypes),
    });
    for (const uid of podUids) this.reportNomination(uid, { claimName, nodeName: undefined });
  }

  reportNomination(uid: string, place: { claimName: string | undefined; nodeName: string | undefined }): void {
    const pod = this.#cluster.podByUid(uid);
    if (pod === undefined) return;
    const places = [
      place.claimName === undefined ? [] : [`nodeclaim/${place.claimName}`],
      place.nodeName === undefined ? [] : [`node/${place.nodeName}`],
    ].flat();
    this.#telemetry.events.publish({
      object: podReference(pod),
      type: "Normal",
      reason: "Nominated",
      message: `Pod should schedule on: ${places.join(", ")}`,
      sameAs: [pod.uid],
    });
  }
}

function nameOf({ namespace, name }: Pod): string {
  return `${namespace}/${name}`;
}

function listNames(names: readonly string[]): string {
  const rest = names.length - listed;
  return `${names.slice(0, listed).join(", ")}${rest > 0 ? ` and ${rest} other(s)` : ""}`;
}

function fitsPool({ requirements, offerings }: InstanceType, pool: NodePool): boolean {
  return (
    conflictingKey(requirements, pool.requirements) === undefined &&
    offerings.some(
      (offering) => offering.isAvailable && conflictingKey(offering.requirements, pool.requirements) === undefined,
    )
  );
}
