import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import type { Clock, Timer } from "../../ports/clock.ts";
import type { Instance } from "../../ports/cloud-provider.ts";
import type { Log } from "../../ports/telemetry.ts";
import { type KubeClient, NotLeadingError, orThrow, unless } from "../../runtime/kube-client.ts";
import { nodes } from "../../runtime/resources.ts";
import type { WireNode } from "./make-node.ts";

export interface CreationParts {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
}

/** A machine that boots: its node joins the cluster later. */
export interface Creation {
  readonly instance: Instance;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  readonly claim: { readonly name: string; readonly uid: string };
  readonly makeNode: (now: number) => WireNode;
}

interface Pending {
  readonly creation: Creation;
  timer: Timer | undefined;
  attempt: Promise<void> | undefined;
  failures: number;
}

const firstBackoff = 200;
const longestBackoff = 30_000;

/** Creates nodes when their time has come, and again when that fails, as long as their claims are wanted. */
export class NodeCreations {
  readonly #parts: CreationParts;
  readonly #pending = new Map<string, Pending>();

  constructor(parts: CreationParts) {
    this.#parts = parts;
  }

  get instances(): readonly Instance[] {
    return [...this.#pending.values()].map(({ creation }) => creation.instance);
  }

  find(providerId: string): Instance | undefined {
    return this.#pending.get(providerId)?.creation.instance;
  }

  /** Returns the instance that is on its way already, if there is one. */
  start(creation: Creation): Instance {
    const { providerId } = creation.instance;
    const known = this.find(providerId);
    if (known !== undefined) return known;
    const pending: Pending = { creation, timer: undefined, attempt: undefined, failures: 0 };
    this.#pending.set(providerId, pending);
    this.#schedule(pending, creation.dueAt - this.#parts.clock.now());
    return creation.instance;
  }

  /** Once this is over, no node of that machine will be created any more; there may be one. */
  async cancel(providerId: string): Promise<void> {
    const pending = this.#pending.get(providerId);
    if (pending === undefined) return;
    this.#drop(pending);
    await pending.attempt;
  }

  stop(): void {
    for (const pending of [...this.#pending.values()]) this.#drop(pending);
  }

  #drop(pending: Pending): void {
    pending.timer?.cancel();
    this.#pending.delete(pending.creation.instance.providerId);
  }

  #isWanted(pending: Pending): boolean {
    return this.#pending.get(pending.creation.instance.providerId) === pending;
  }

  #schedule(pending: Pending, delay: number): void {
    pending.timer = this.#parts.clock.after(Math.max(0, delay), () => {
      pending.attempt = this.#attempt(pending);
    });
  }

  async #attempt(pending: Pending): Promise<void> {
    const { log, random } = this.#parts;
    try {
      await this.#create(pending);
      if (this.#isWanted(pending)) this.#drop(pending);
    } catch (error) {
      if (!this.#isWanted(pending)) return;
      if (error instanceof NotLeadingError) {
        this.#drop(pending);
        return;
      }
      log.error("Cannot create the node of a machine, trying again", { NodeClaim: pending.creation.claim.name, error });
      const backoff = Math.min(firstBackoff * 2 ** Math.min(pending.failures, 20), longestBackoff);
      pending.failures++;
      this.#schedule(pending, backoff * (0.5 + random() / 2));
    }
  }

  async #create(pending: Pending): Promise<void> {
    const { kube, clock } = this.#parts;
    const { claim, makeNode } = pending.creation;
    const found = unless([404], await kube.get(nodeClaims, claim), `read the claim ${claim.name}`);
    const isClaimWanted = found?.metadata.uid === claim.uid && found.metadata.deletionTimestamp === undefined;
    if (!isClaimWanted || !this.#isWanted(pending)) return;
    await createNode(kube, makeNode(clock.now()));
  }
}

/** Finding one of that name is as good. */
async function createNode(kube: KubeClient, node: WireNode): Promise<void> {
  const answer = await kube.create(nodes, node);
  if (answer.ok || answer.refusal.reason === "AlreadyExists") return;
  orThrow(answer, `create node ${node.metadata.name}`);
}
