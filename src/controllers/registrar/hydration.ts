import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { nodeClassLabel } from "../../core/api/write-node-claim.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import { isConditionTrue } from "../../core/model/condition.ts";
import type { Labels } from "../../core/model/labels.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CloudProvider } from "../../ports/cloud-provider.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { type KubeClient, unless } from "../../runtime/kube-client.ts";
import type { KubeResource } from "../../runtime/kube-object.ts";
import { nodes } from "../../runtime/resources.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";

export interface HydrationOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
  readonly cloud: CloudProvider;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** Labels claims and nodes with their node class where an older controller did not. New ones are born with it. */
export class Hydration {
  readonly #options: HydrationOptions;
  readonly #claimLoop: WorkLoop;
  readonly #nodeLoop: WorkLoop;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: HydrationOptions) {
    this.#options = options;
    const { cluster, clock, telemetry } = options;
    this.#claimLoop = new WorkLoop({
      name: "nodeclaim.hydration",
      reconcile: (name) => this.#label(nodeClaims, name, this.#lackingClaim(cluster.claims.get(name))),
      clock,
      telemetry,
    });
    this.#nodeLoop = new WorkLoop({
      name: "node.hydration",
      reconcile: (name) => this.#label(nodes, name, this.#lackingNode(cluster.nodes.get(name))),
      clock,
      telemetry,
    });
  }

  start(): void {
    const { claims, nodes } = this.#options.cluster;
    this.#unsubscribe.push(
      claims.onChange(({ after }) => this.#seeClaim(after)),
      nodes.onChange(({ after }) => this.#seeNode(after)),
    );
    for (const claim of claims.values()) this.#seeClaim(claim);
    for (const node of nodes.values()) this.#seeNode(node);
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await Promise.all([this.#claimLoop.stop(), this.#nodeLoop.stop()]);
  }

  #seeClaim(claim: NodeClaim | undefined): void {
    if (claim !== undefined && this.#lackingClaim(claim) !== undefined) this.#claimLoop.enqueue(claim.name);
  }

  #seeNode(node: NodeObject | undefined): void {
    if (node !== undefined && this.#lackingNode(node) !== undefined) this.#nodeLoop.enqueue(node.name);
  }

  /** Before the launch, the launcher labels it along with the rest. */
  #lackingClaim(claim: NodeClaim | undefined): NodeClaim | undefined {
    if (claim === undefined || !isConditionTrue(claim, "Launched")) return undefined;
    return this.#lacks(claim, claim.labels) ? claim : undefined;
  }

  /** Registration labels it along with the rest. */
  #lackingNode(node: NodeObject | undefined): NodeClaim | undefined {
    const [claim, ...others] = node === undefined ? [] : this.#options.cluster.claimsOf(node);
    if (node === undefined || claim === undefined || others.length > 0) return undefined;
    return isConditionTrue(claim, "Registered") && this.#lacks(claim, node.labels) ? claim : undefined;
  }

  #lacks(claim: NodeClaim, labels: Labels): boolean {
    const { nodeClassRef } = claim;
    return (
      labels.get(nodeClassLabel(nodeClassRef)) !== nodeClassRef.name &&
      isManaged(claim, this.#options.cloud.nodeClassKinds)
    );
  }

  async #label(resource: KubeResource, name: string, claim: NodeClaim | undefined): Promise<undefined> {
    if (claim === undefined) return;
    const labels = { [nodeClassLabel(claim.nodeClassRef)]: claim.nodeClassRef.name };
    const answer = await this.#options.kube.patch(resource, { name }, { body: { metadata: { labels } } });
    unless([404], answer, `label ${resource.kind} "${name}" with its node class`);
  }
}
