import type { NodeClaim } from "../../../core/model/node-claim.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ObjectView } from "../../../ports/cluster-view.ts";
import { pause } from "../../../runtime/pause.ts";
import { SharedQuestion } from "../../../runtime/shared-question.ts";
import { listLag } from "../instances/list-lag.ts";
import { isGoing, type Machine } from "../instances/machine.ts";
import { readClaimTags } from "./claim-tags.ts";
import { matchMachines } from "./match-machines.ts";

export interface OrdersOptions {
  readonly claims: ObjectView<NodeClaim>;
  readonly clock: Clock;
  /** All machines of this cluster, asked for anew. */
  readonly list: () => Promise<readonly Machine[]>;
  /** Aborted when nobody may buy any more. */
  readonly ended: AbortSignal;
}

/** A request for machines that got no answer. AWS answers it with the same machines when it is sent again. */
export interface OpenPurchase {
  readonly claimNames: readonly string[];
  /** Afterwards the orders know of the machines. Rejects when there was no answer again. */
  send(): Promise<unknown>;
}

interface Doubt {
  readonly since: number;
  readonly purchase: OpenPurchase | undefined;
}

/** Between two looks at what AWS lists. */
const restBetweenLooks = 3_000;
/** Kubernetes writes down whole seconds. */
const timeResolution = 1_000;

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
  /** What has come of a purchase of ours; of all others that are not certain, it is in doubt since the start. */
  readonly #doubts = new Map<string, Doubt>();
  readonly #unsubscribe: () => void;

  constructor(options: OrdersOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.#machines = new SharedQuestion(options.list);
    this.#unsubscribe = options.claims.onChange(({ key, before, after }) => {
      if (after === undefined) this.#forget(key);
      else if (after.providerId !== "") this.#assigned.delete(key);
      else if (before === undefined) this.#meet(after);
    });
  }

  stop(): void {
    this.#unsubscribe();
  }

  /** Those that AWS has launched, whether or not its lists show them yet. */
  get assigned(): ReadonlyMap<string, Machine> {
    return this.#assigned;
  }

  /** AWS has launched these, and no others, for these. Whoever has none gets one that nobody has. */
  share(claimNames: readonly string[], machines: readonly Machine[]): void {
    const ids = new Set(machines.map(({ providerId }) => providerId));
    const recordedOf = (name: string): string => this.#options.claims.get(name)?.providerId ?? "";
    const taken = new Set(claimNames.flatMap((name) => [this.#assigned.get(name)?.providerId, recordedOf(name)]));
    const left = machines.filter(({ providerId }) => !taken.has(providerId));
    for (const name of claimNames) {
      const hasOne = this.#assigned.has(name) || ids.has(recordedOf(name));
      const machine = hasOne ? undefined : left.shift();
      if (machine === undefined) this.#settle(name);
      else this.#assign(name, machine);
    }
  }

  /** The machine is gone, and the claim needs another. */
  release(claimName: string): void {
    this.#assigned.delete(claimName);
  }

  /** Nobody knows whether these were bought machines; the purchase can tell if it can be made again. */
  doubt(claimNames: Iterable<string>, purchase: OpenPurchase | undefined): void {
    const doubt = { since: this.#options.clock.now(), purchase };
    for (const name of claimNames) {
      this.#certain.delete(name);
      this.#doubts.set(name, doubt);
    }
  }

  /** The machine that was bought for the claim. When there is none, it is safe to buy one. Rejects while it is not. */
  async seek(claim: NodeClaim): Promise<Machine | undefined> {
    const { clock, ended } = this.#options;
    for (;;) {
      ended.throwIfAborted();
      const assigned = this.#assigned.get(claim.name);
      if (assigned !== undefined || this.#certain.has(claim.name)) return assigned;
      const { since, purchase } = this.#doubts.get(claim.name) ?? { since: this.#startedAt };
      if (purchase !== undefined && this.#isWanted(purchase)) {
        await this.#repeat(purchase, claim);
        continue;
      }
      const settledAt = since + listLag;
      const askedAt = clock.now();
      if (await this.#look(claim)) continue;
      if (askedAt >= settledAt) this.#settle(claim.name);
      else await pause(clock, Math.min(restBetweenLooks, Math.max(0, settledAt - clock.now())), ended);
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

  /** Whoever led before may have bought for what there was then, also if we hear of it only now. */
  #meet({ name, providerId, createdAt }: NodeClaim): void {
    if (providerId === "" && createdAt + timeResolution > this.#startedAt) this.#certain.add(name);
  }

  /** It may not have been carried out, and must not buy for claims that have gone since. */
  #isWanted({ claimNames }: OpenPurchase): boolean {
    const { claims } = this.#options;
    return claimNames.every((name) => {
      const claim = claims.get(name);
      return claim !== undefined && claim.deletedAt === undefined;
    });
  }

  /** Rejects when there is still no answer, and the machine is in no list either. */
  async #repeat(purchase: OpenPurchase, claim: NodeClaim): Promise<void> {
    try {
      await purchase.send();
    } catch (error) {
      if (!(await this.#look(claim))) throw error;
    }
  }

  /** Whether AWS lists a machine that is for the claim. */
  async #look(claim: NodeClaim): Promise<boolean> {
    const machines = await this.#machines.ask();
    const isKnown = this.#options.claims.get(claim.name) !== undefined;
    const matched = this.match(machines, isKnown ? [] : [claim]);
    const found = machines.find((machine) => !isGoing(machine) && matched.get(machine.providerId) === claim.name);
    if (found !== undefined) this.#assign(claim.name, found);
    return found !== undefined;
  }

  #assign(claimName: string, machine: Machine): void {
    this.#assigned.set(claimName, machine);
    this.#settle(claimName);
  }

  #settle(claimName: string): void {
    this.#certain.add(claimName);
    this.#doubts.delete(claimName);
  }

  #forget(claimName: string): void {
    this.#assigned.delete(claimName);
    this.#certain.delete(claimName);
    this.#doubts.delete(claimName);
  }
}
