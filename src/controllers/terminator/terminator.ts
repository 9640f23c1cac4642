import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import { WorkLoop, type WorkLoopOptions } from "../../runtime/work-loop.ts";
import { ClaimFinalizer } from "./claim-finalizer.ts";
import { EvictionQueue } from "./eviction-queue.ts";
import { Expiration } from "./expiration.ts";
import { NodeFinalizer } from "./node-finalizer.ts";
import { SurgeQueue } from "./surge-queue.ts";
import type { TerminatorOptions } from "./terminator-options.ts";

/** Ends claims, nodes and their machines: in order, and nothing before its pods had their chance to leave. */
export class Terminator {
  readonly #options: TerminatorOptions;
  readonly #evictions: EvictionQueue;
  readonly #surges: SurgeQueue;
  readonly #claims: WorkLoop;
  readonly #nodes: WorkLoop;
  readonly #expirations: WorkLoop;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: TerminatorOptions) {
    this.#options = options;
    this.#evictions = new EvictionQueue(options);
    this.#surges = new SurgeQueue(options, this.#evictions);
    const { reconcile: finalizeClaim } = new ClaimFinalizer({ ...options, cloud: options.claimCloud ?? options.cloud });
    const { reconcile: finalizeNode } = new NodeFinalizer(options, this.#evictions, this.#surges);
    const { reconcile: expire } = new Expiration(options);
    this.#claims = this.#loop("nodeclaim.lifecycle", finalizeClaim, { firstBackoff: 1_000 });
    this.#nodes = this.#loop("node.termination", finalizeNode, { firstBackoff: 100, longestBackoff: 10_000 });
    this.#expirations = this.#loop("nodeclaim.expiration", expire);
  }

  start(): void {
    const { cluster } = this.#options;
    this.#unsubscribe.push(
      cluster.claims.onChange(({ before, after }) => this.#onClaim(before, after)),
      cluster.nodes.onChange(({ before, after }) => this.#onNode(before, after)),
      cluster.pods.onChange(({ before, after }) => this.#wakeNodes(before, after)),
      cluster.attachments.onChange(({ before, after }) => this.#wakeNodes(before, after)),
      cluster.disruptionBudgets.onChange(({ before, after }) => this.#evictions.onBudgetChange(before, after)),
    );
    for (const claim of cluster.claims.values()) this.#onClaim(undefined, claim);
    for (const node of cluster.nodes.values()) this.#onNode(undefined, node);
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    const parts = [this.#claims, this.#nodes, this.#expirations, this.#evictions, this.#surges];
    await Promise.all(parts.map((part) => part.stop()));
  }

  #loop(name: string, reconcile: WorkLoopOptions["reconcile"], pace: Partial<WorkLoopOptions> = {}): WorkLoop {
    const { clock, telemetry } = this.#options;
    return new WorkLoop({ name, reconcile, clock, telemetry, concurrency: 100, ...pace });
  }

  #onClaim(before: NodeClaim | undefined, after: NodeClaim | undefined): void {
    const claim = after ?? before;
    if (claim === undefined) return;
    if (after !== undefined && after.deletedAt === undefined) this.#expirations.enqueue(claim.name);
    if (after?.deletedAt !== undefined) this.#claims.enqueue(claim.name);
    for (const node of this.#options.cluster.nodesOf(claim)) this.#wakeNode(node.name);
  }

  #onNode(before: NodeObject | undefined, after: NodeObject | undefined): void {
    const node = after ?? before;
    if (node === undefined) return;
    // One that is gone is looked at once more, to be forgotten.
    if (after === undefined) this.#nodes.enqueue(node.name);
    else this.#wakeNode(node.name);
    for (const claim of this.#options.cluster.claimsOf(node)) {
      if (claim.deletedAt !== undefined) this.#claims.enqueue(claim.name);
    }
  }

  #wakeNodes(...things: readonly ({ readonly nodeName: string } | undefined)[]): void {
    for (const thing of things) if (thing !== undefined) this.#wakeNode(thing.nodeName);
  }

  #wakeNode(name: string): void {
    if (this.#options.cluster.nodes.get(name)?.deletedAt !== undefined) this.#nodes.enqueue(name);
  }
}
