import { readyCondition } from "../../core/model/condition.ts";
import type { Clock, Timer } from "../../ports/clock.ts";
import type { Log } from "../../ports/telemetry.ts";
import { type KubeClient, unless } from "../../runtime/kube-client.ts";
import type { KubeObject } from "../../runtime/kube-object.ts";
import { wireTime } from "./make-node.ts";
import { kwokNodeClasses, readNodeClass } from "./node-class.ts";

export interface NodeClassStatusParts {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
}

const lookMilliseconds = 10_000;

/**
 * Says of every node class that says nothing itself that it is ready, because there is nothing to prepare. Our
 * definition of the kind says so by default; one that somebody else has installed may not.
 */
export class NodeClassStatus {
  readonly #parts: NodeClassStatusParts;
  #timer: Timer | undefined;
  #lastFailure = "";

  constructor(parts: NodeClassStatusParts) {
    this.#parts = parts;
  }

  start(): void {
    this.stop();
    this.#lookAfter(0);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #lookAfter(milliseconds: number): void {
    const timer = this.#parts.clock.after(milliseconds, () => {
      void this.#look().then(() => {
        if (this.#timer === timer) this.#lookAfter(lookMilliseconds);
      });
    });
    this.#timer = timer;
  }

  async #look(): Promise<void> {
    try {
      for (const nodeClass of await this.#parts.kube.list(kwokNodeClasses)) {
        if (readNodeClass(nodeClass).ready === undefined) await this.#markReady(nodeClass);
      }
      this.#lastFailure = "";
    } catch (error) {
      const failure = String(error);
      // The same again every few seconds would drown everything else.
      if (failure !== this.#lastFailure) this.#parts.log.error("Cannot mark node classes ready", { error });
      this.#lastFailure = failure;
    }
  }

  async #markReady(nodeClass: KubeObject): Promise<void> {
    const { kube, clock } = this.#parts;
    const { name = "", resourceVersion } = nodeClass.metadata;
    const condition = {
      type: readyCondition,
      status: "True",
      reason: readyCondition,
      message: "",
      lastTransitionTime: wireTime(clock.now()),
    };
    const others = (nodeClass.status as { conditions?: readonly unknown[] } | undefined)?.conditions ?? [];
    const body = { metadata: { resourceVersion }, status: { conditions: [...others, condition] } };
    const answer = await kube.patch(kwokNodeClasses, { name, subresource: "status" }, { body });
    // Gone, or changed meanwhile: the next look will tell.
    unless([404, 409], answer, `mark node class ${name} ready`);
  }
}
