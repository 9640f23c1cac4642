import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { nodeClassLabel } from "../../core/api/write-node-claim.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import { isConditionTrue } from "../../core/model/condition.ts";
import type { Labels } from "../../core/model/labels.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import { oldLabelsOf } from "../../core/model/old-labels.ts";
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

const none: Labels = new Map();

/** Labels claims and nodes where an older controller did not: with their node class, and nodes with old names. New ones are born so. */
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
      reconcile: (name) => this.#label(nodeClaims, name, this.#lackingInClaim(cluster.claims.get(name))),
      clock,
      telemetry,
    });
    this.#nodeLoop = new WorkLoop({
      name: "node.hydration",
      reconcile: (name) => this.#label(nodes, name, this.#lackingInNode(cluster.nodes.get(name))),
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
    if (claim !== undefined && this.#lackingInClaim(claim).size > 0) this.#claimLoop.enqueue(claim.name);
  }

  #seeNode(node: NodeObject | undefined): void {
    if (node !== undefined && this.#lackingInNode(node).size > 0) this.#nodeLoop.enqueue(node.name);
  }

  /** Before the launch, the launcher labels it along with the rest. */
  #lackingInClaim(claim: NodeClaim | undefined): Labels {
    if (claim === undefined || !isConditionTrue(claim, "Launched")) return none;
    return this.#lacking(claim.labels, claim, none);
  }

  /** Registration labels it along with the rest. */
  #lackingInNode(node: NodeObject | undefined): Labels {
    const [claim, ...others] = node === undefined ? [] : this.#options.cluster.claimsOf(node);
    if (node === undefined || claim === undefined || others.length > 0) return none;
    return isConditionTrue(claim, "Registered") ? this.#lacking(node.labels, claim, oldLabelsOf(claim.labels)) : none;
  }

  #lacking(labels: Labels, claim: NodeClaim, more: Labels): Labels {
    const { nodeClassRef } = claim;
    const wanted = [[nodeClassLabel(nodeClassRef), nodeClassRef.name] as const, ...more];
    const lacking = wanted.filter(([key, value]) => labels.get(key) !== value);
    return lacking.length > 0 && isManaged(claim, this.#options.cloud.nodeClassKinds) ? new Map(lacking) : none;
  }

  async #label(resource: KubeResource, name: string, lacking: Labels): Promise<undefined> {
    if (lacking.size === 0) return;
    const body = { metadata: { labels: Object.fromEntries(lacking) } };
    const answer = await this.#options.kube.patch(resource, { name }, { body });
    unless([404], answer, `label ${resource.kind} "${name}" as its claim and node class are`);
  }
}
