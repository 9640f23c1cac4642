import { terminationFinalizer } from "../../../core/api/write-node-claim.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ObjectView } from "../../../ports/cluster-view.ts";
import { SharedQuestion } from "../../../runtime/shared-question.ts";
import { isGoing, type Machine } from "../instances/machine.ts";
import { readClaimTags } from "./claim-tags.ts";
import { matchMachines } from "./match-machines.ts";
import { pause } from "./pause.ts";

export interface OrdersOptions {
  readonly claims: ObjectView<NodeClaim>;
  readonly clock: Clock;
  /** All machines of this cluster, asked for anew. */
  readonly list: () => Promise<readonly Machine[]>;
}

/** What was bought may not be in the lists of AWS for so long. */
const lag = 5_000;

/**
 * Which machine was bought for which claim. A claim for which somebody may have bought one already, be it this process
 * without hearing of it or one before it, is in doubt until its machine is found, or has not come up for long enough.
 */
export class Orders {
  readonly #options: OrdersOptions;
  readonly #startedAt: number;
  readonly #machines: SharedQuestion<readonly Machine[]>;
  /** By the name of the claim, until the claim itself says so. */
  readonly #assigned = new Map<string, Machine>();
  /** Claims for which nobody can have bought anything that we do not know of. */
  readonly #certain = new Set<string>();
  /** Since when it is in doubt what has come of a purchase; since the start for all others that are not certain. */
  readonly #doubts = new Map<string, number>();
  readonly #unsubscribe: () => void;

  constructor(options: OrdersOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.#machines = new SharedQuestion(options.list);
    this.#unsubscribe = options.claims.onChange(({ key, before, after }) => {
      if (after === undefined) this.#forget(key);
      else if (after.providerId !== "") this.#assigned.delete(key);
      // Nobody buys before the claim has the finalizer; whoever wrote it may have bought.
      else if (before === undefined && !after.finalizers.includes(terminationFinalizer)) this.#certain.add(key);
    });
  }

  stop(): void {
    this.#unsubscribe();
  }

  /** Those that AWS has launched, whether or not its lists show them yet. */
  get assigned(): ReadonlyMap<string, Machine> {
    return this.#assigned;
  }

  assign(claimName: string, machine: Machine): void {
    this.#assigned.set(claimName, machine);
    this.#certain.add(claimName);
    this.#doubts.delete(claimName);
  }

  /** The machine is gone, and the claim needs another. */
  release(claimName: string): void {
    this.#assigned.delete(claimName);
  }

  /** Nobody knows whether these were bought machines. */
  doubt(claimNames: Iterable<string>): void {
    for (const name of claimNames) {
      this.#certain.delete(name);
      this.#doubts.set(name, this.#options.clock.now());
    }
  }

  /** The machine that was bought for the claim. When there is none, it is safe to buy one. */
  async seek(claim: NodeClaim): Promise<Machine | undefined> {
    const { clock } = this.#options;
    for (;;) {
      const assigned = this.#assigned.get(claim.name);
      if (assigned !== undefined || this.#certain.has(claim.name)) return assigned;
      const settledAt = (this.#doubts.get(claim.name) ?? this.#startedAt) + lag;
      const askedAt = clock.now();
      const machines = await this.#machines.ask();
      const found = this.#pick(claim, machines);
      if (found !== undefined) this.assign(claim.name, found);
      else if (askedAt >= settledAt) {
        this.#certain.add(claim.name);
        this.#doubts.delete(claim.name);
      } else await pause(clock, settledAt - clock.now());
    }
  }

  /** The claim of each machine, by provider id. */
  match(machines: readonly Machine[], more: readonly NodeClaim[] = []): ReadonlyMap<string, string> {
    return matchMachines({
      machines: machines.map((machine) => ({
        providerId: machine.providerId,
        claimNames: readClaimTags(machine.tags),
        createdAt: machine.createdAt,
        isTerminating: isGoing(machine),
      })),
      claims: [...this.#options.claims.values(), ...more],
      assigned: new Map([...this.#assigned].map(([name, { providerId }]) => [name, providerId])),
    });
  }

  #pick(claim: NodeClaim, machines: readonly Machine[]): Machine | undefined {
    const isKnown = this.#options.claims.get(claim.name) !== undefined;
    const matched = this.match(machines, isKnown ? [] : [claim]);
    return machines.find((machine) => !isGoing(machine) && matched.get(machine.providerId) === claim.name);
  }

  #forget(claimName: string): void {
    this.#assigned.delete(claimName);
    this.#certain.delete(claimName);
    this.#doubts.delete(claimName);
  }
}
