import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { readNodeClaim } from "../../core/api/read-node-claim.ts";
import { accountsFor, findBereft, findStrays } from "../../core/lifecycle/collection.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import { capacityTypeLabel, nodePoolLabel } from "../../core/model/labels.ts";
import { type NodeClaim, terminationModeOf } from "../../core/model/node-claim.ts";
import type { Instance } from "../../ports/cloud-provider.ts";
import { unless } from "../../runtime/kube-client.ts";
import type { KubeObject } from "../../runtime/kube-object.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import type { CollectorOptions } from "./collector-options.ts";
import { ConsistencyChecker } from "./consistency-checker.ts";
import { PodEventRecorder } from "./pod-event-recorder.ts";

const name = "nodeclaim.garbagecollection";
const interval = 120_000;
const concurrency = 20;

/** Ends machines without a claim and claims without a machine, and notes on claims what their nodes are like. */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #loop: WorkLoop;
  readonly #consistency: ConsistencyChecker;
  readonly #podEvents: PodEventRecorder;

  constructor(options: CollectorOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#loop = new WorkLoop({ name, clock, telemetry, longestBackoff: interval, reconcile: () => this.#collect() });
    this.#consistency = new ConsistencyChecker(options);
    this.#podEvents = new PodEventRecorder(options);
  }

  start(): void {
    this.#loop.enqueue("");
    this.#consistency.start();
    this.#podEvents.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#loop.stop(), this.#consistency.stop(), this.#podEvents.stop()]);
  }

  async #collect(): Promise<number> {
    const { cluster, cloud, clock } = this.#options;
    // What registers while the cloud makes its list may not be in it, but is not among these either.
    const claims = [...cluster.claims.values()].filter((claim) => isManaged(claim, cloud.nodeClassKinds));
    const instances = await cloud.list();
    const { strays, judgeAgainIn } = findStrays(instances, cluster.claims.values(), clock.now());
    await inTurns([
      ...strays.map((instance) => () => this.#endStray(instance)),
      ...findBereft(cluster, claims, instances).map((claim) => () => this.#deleteBereft(claim)),
    ]);
    return Math.min(interval, judgeAgainIn ?? interval);
  }

  async #endStray(instance: Instance): Promise<void> {
    const { cloud, telemetry } = this.#options;
    if (await this.#hasClaim(instance)) return;
    const { providerId, claimName } = instance;
    telemetry.log.info("ending a machine that no NodeClaim accounts for", {
      controller: name,
      provider_id: providerId,
      NodeClaim: { name: claimName },
    });
    await cloud.terminate({ providerId, claimName });
    telemetry.metrics.add("nodeclaims_stray_instances_ended_total", {});
  }

  /** Asks the API itself: our view may be behind, and a machine cannot be brought back. */
  async #hasClaim(instance: Instance): Promise<boolean> {
    const { kube } = this.#options;
    if (instance.claimName === "") {
      const claims = await kube.list(nodeClaims);
      return claims.some((wire) => isOf(wire, instance));
    }
    const wire = unless(
      [404],
      await kube.get(nodeClaims, { name: instance.claimName }),
      `look for the claim of machine ${instance.providerId}`,
    );
    return wire !== undefined && isOf(wire, instance);
  }

  async #deleteBereft(claim: NodeClaim): Promise<void> {
    const { cloud, kube, telemetry } = this.#options;
    // A list may lack what is there; only both together count.
    const instance = await cloud.find(claim.providerId);
    if (instance !== undefined && !instance.isTerminating) return;
    const answer = await kube.delete(nodeClaims, claim, { uid: claim.uid });
    if (unless([404, 409], answer, `delete NodeClaim ${claim.name}, whose machine is gone`) === undefined) return;
    telemetry.log.info("deleted a NodeClaim whose machine is gone", {
      controller: name,
      NodeClaim: { name: claim.name },
      Node: { name: claim.nodeName },
      provider_id: claim.providerId,
    });
    telemetry.metrics.add("nodeclaims_disrupted_total", {
      reason: "garbage_collected",
      nodepool: claim.labels.get(nodePoolLabel) ?? "",
      capacity_type: claim.labels.get(capacityTypeLabel) ?? "",
      consolidation_policy: "",
      termination_mode: terminationModeOf(claim),
    });
  }
}

/** What cannot be read counts as the claim of the machine, so that nothing is ended by mistake. */
function isOf(wire: KubeObject, instance: Instance): boolean {
  const read = readNodeClaim(wire);
  if (read.problems !== undefined) return true;
  return instance.claimName === "" ? read.value.providerId === instance.providerId : accountsFor(read.value, instance);
}

/** Some at a time, all of them even if one fails, and then fails with the first that did. */
async function inTurns(works: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (let first = 0; first < works.length; first += concurrency) {
    const turn = works.slice(first, first + concurrency).map((work) => work());
    for (const result of await Promise.allSettled(turn)) {
      if (result.status === "rejected") failures.push(result.reason);
    }
  }
  if (failures.length > 0) throw failures[0];
}
