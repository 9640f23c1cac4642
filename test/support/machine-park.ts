import type { Clock } from "../../src/ports/clock.ts";
import type { CloudProvider, Instance, InstanceIdentity } from "../../src/ports/cloud-provider.ts";
import { noCloud } from "./controller-bench.ts";

/** A cloud of machines that take a while to end. */
export class MachinePark {
  readonly cloud: CloudProvider;
  /** How long a machine takes from the order to end until it is gone. */
  endMilliseconds = 0;
  /** What it was asked to end, each time. */
  readonly orders: string[] = [];
  readonly #clock: Clock;
  readonly #instances = new Map<string, { readonly instance: Instance; goneAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.cloud = {
      ...noCloud,
      terminate: async (identity) => this.#terminate(identity),
      find: async (providerId) => this.running().find((instance) => instance.providerId === providerId),
      list: async () => this.running(),
    };
  }

  add(providerId: string, claimName: string): void {
    const none = new Map<string, never>();
    const instance: Instance = {
      providerId,
      claimName,
      imageId: "",
      labels: none,
      annotations: none,
      capacity: none,
      allocatable: none,
      createdAt: this.#clock.now(),
      isTerminating: false,
    };
    this.#instances.set(providerId, { instance, goneAt: Infinity });
  }

  /** Without anybody having asked for it. */
  lose(providerId: string): void {
    this.#instances.delete(providerId);
  }

  running(): readonly Instance[] {
    return [...this.#instances.values()].flatMap(({ instance, goneAt }) =>
      this.#clock.now() < goneAt ? [{ ...instance, isTerminating: goneAt !== Infinity }] : [],
    );
  }

  #terminate({ providerId }: InstanceIdentity): "terminating" | "gone" {
    this.orders.push(providerId);
    const machine = this.#instances.get(providerId);
    if (machine === undefined) return "gone";
    machine.goneAt = Math.min(machine.goneAt, this.#clock.now() + this.endMilliseconds);
    return this.#clock.now() < machine.goneAt ? "terminating" : "gone";
  }
}
