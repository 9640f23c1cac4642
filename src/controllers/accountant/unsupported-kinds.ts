import { capacityBuffers, nodeOverlays } from "../../core/api/karpenter-resources.ts";
import { readConditionOwner } from "../../core/api/read-condition-owner.ts";
import { type UnsupportedKind, unsupportedConditions } from "../../core/api/unsupported-conditions.ts";
import { writeConditions } from "../../core/api/write-conditions.ts";
import type { Clock, Timer } from "../../ports/clock.ts";
import type { KubeTransport } from "../../ports/kube-transport.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { type KubeClient, unless } from "../../runtime/kube-client.ts";
import { type KubeObject, type KubeResource, objectKey, resourcePath } from "../../runtime/kube-object.ts";
import { Reflector } from "../../runtime/reflector.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";

export interface UnsupportedKindsOptions {
  readonly transport: KubeTransport;
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly telemetry: Telemetry;
}

/** Nobody need have these kinds; whether somebody has them now is looked at so often. */
const pause = 60_000;
const soon = 10;

/** Says on objects that we do not carry out that we do not. */
export class UnsupportedKinds {
  readonly #followers: readonly Follower[];

  constructor(options: UnsupportedKindsOptions) {
    this.#followers = [
      new Follower(options, { name: "nodeoverlay.controller", kind: "NodeOverlay", resource: nodeOverlays }),
      new Follower(options, { name: "capacitybuffer", kind: "CapacityBuffer", resource: capacityBuffers }),
    ];
  }

  start(): void {
    for (const follower of this.#followers) follower.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#followers.map((follower) => follower.stop()));
  }
}

interface Followed {
  readonly name: string;
  readonly kind: UnsupportedKind;
  readonly resource: KubeResource;
}

class Follower {
  readonly #options: UnsupportedKindsOptions;
  readonly #followed: Followed;
  readonly #loop: WorkLoop;
  readonly #reflector: Reflector;
  readonly #objects = new Map<string, KubeObject>();
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: UnsupportedKindsOptions, followed: Followed) {
    this.#options = options;
    this.#followed = followed;
    const { transport, clock, random, telemetry } = options;
    const { name, resource } = followed;
    this.#loop = new WorkLoop({ name, clock, telemetry, reconcile: (key) => this.#say(key) });
    this.#reflector = new Reflector({
      transport,
      resource,
      clock,
      random,
      sink: {
        put: (key, object) => {
          this.#objects.set(key, object);
          this.#loop.enqueue(key);
        },
        remove: (key) => this.#objects.delete(key),
      },
      onError: (error) => telemetry.log.debug(error.message, { controller: name, error }),
    });
  }

  start(): void {
    const { clock, transport } = this.#options;
    const path = `${resourcePath(this.#followed.resource)}?limit=1`;
    transport.send({ method: "GET", path }).then(
      ({ status }) => {
        if (this.#isStopped) return;
        if (status === 200) this.#reflector.start();
        else this.#timer = clock.after(pause, () => this.start());
      },
      () => {
        if (!this.#isStopped) this.#timer = clock.after(pause, () => this.start());
      },
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#reflector.stop();
    await this.#loop.stop();
  }

  async #say(key: string): Promise<number | undefined> {
    const { kube, clock } = this.#options;
    const { kind, resource } = this.#followed;
    const object = this.#objects.get(key);
    const read = object === undefined ? undefined : readConditionOwner(object, kind);
    if (object === undefined || read === undefined || read.problems !== undefined) return undefined;
    const owner = read.value;
    const conditions = unsupportedConditions(kind, owner, clock.now());
    if (conditions === owner.conditions) return undefined;
    const { name = "", namespace } = object.metadata;
    const answer = await kube.patch(
      resource,
      { name, ...(namespace === undefined ? {} : { namespace }), subresource: "status" },
      {
        body: {
          metadata: { resourceVersion: owner.resourceVersion },
          status: { conditions: writeConditions(conditions) },
        },
      },
    );
    if (!answer.ok && answer.refusal.code === 409) return soon;
    const written = unless([404], answer, `say of ${kind} "${objectKey(object.metadata)}" that it is not carried out`);
    if (written !== undefined) this.#reflector.apply(written);
    return undefined;
  }
}
