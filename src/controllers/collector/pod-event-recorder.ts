import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { writeTime } from "../../core/api/write-time.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import { nodeOfPodEvent } from "../../core/lifecycle/pod-event.ts";
import { findCondition } from "../../core/model/condition.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import { unless } from "../../runtime/kube-client.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import type { CollectorOptions } from "./collector-options.ts";

/** A claim is written no more often than this, nor sooner after its node was opened: then pods come by the dozen. */
const pause = 10_000;

/** Notes on each claim when a pod last came to its node or left it. */
export class PodEventRecorder {
  readonly #options: CollectorOptions;
  readonly #loop: WorkLoop;
  /** When something last happened that is not on the claim yet, by the name of the claim. */
  readonly #unwritten = new Map<string, number>();
  #unsubscribe: (() => void) | undefined;

  constructor(options: CollectorOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#loop = new WorkLoop({
      name: "nodeclaim.podevents",
      clock,
      telemetry,
      reconcile: (key) => this.#write(key),
    });
  }

  start(): void {
    const { cluster, cloud, clock } = this.#options;
    const since = clock.now();
    this.#unsubscribe = cluster.pods.onChange((change) => {
      const node = cluster.nodes.get(nodeOfPodEvent(change, since));
      if (node === undefined) return;
      for (const claim of cluster.claimsOf(node)) {
        if (!isManaged(claim, cloud.nodeClassKinds)) continue;
        this.#unwritten.set(claim.name, clock.now());
        this.#loop.enqueue(claim.name);
      }
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#loop.stop();
  }

  async #write(claimName: string): Promise<number | undefined> {
    const { cluster, clock, kube } = this.#options;
    const claim = cluster.claims.get(claimName);
    const time = this.#unwritten.get(claimName);
    if (claim === undefined || time === undefined) {
      this.#unwritten.delete(claimName);
      return undefined;
    }
    const wait = (claim.lastPodEventTime ?? openedAt(claim)) + pause - clock.now();
    if (wait > 0) return wait;
    const body = { status: { lastPodEventTime: writeTime(time) } };
    const answer = await kube.patch(nodeClaims, { name: claimName, subresource: "status" }, { body });
    unless([404], answer, `note on NodeClaim ${claimName} when pods last came or went`);
    if (this.#unwritten.get(claimName) === time) this.#unwritten.delete(claimName);
    return undefined;
  }
}

function openedAt(claim: NodeClaim): number {
  const initialized = findCondition(claim, "Initialized");
  return initialized?.status === "True" ? initialized.lastTransitionTime : Number.NEGATIVE_INFINITY;
}
