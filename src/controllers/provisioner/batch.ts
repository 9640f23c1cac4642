import type { Clock, Timer } from "../../ports/clock.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { pause } from "../../runtime/pause.ts";

export interface BatchOptions {
  readonly clock: Clock;
  /** So long the first node waits for the others: until they have joined, and again until they are ready. */
  readonly patience: number;
  /** So long nine tenths of the nodes wait for the rest. */
  readonly patienceWithFew: number;
  /** The nodes have joined: their pods may be told where they belong. */
  readonly onJoined: (claimNames: readonly string[]) => void;
  /** The nodes are about to be opened. Must not reject. */
  readonly prepare: (claimNames: readonly string[]) => Promise<void>;
  /** In which order nodes are opened. */
  readonly order: (claimNames: readonly string[]) => readonly string[];
}

/** More at once would be done in an order that nobody knows, fewer would take longer. */
const atOnce = 8;
/** So long a node keeps the next one waiting at most. */
const openingPatience = 50;

/**
 * Nodes that were bought together and are opened together. The first node that opens wakes every pod that waits; one
 * whose own node is still closed then goes wherever it finds room, and the plan of the others does not come true.
 */
export class Batch {
  readonly #options: BatchOptions;
  readonly #joining: Gathering;
  readonly #readying: Gathering;
  readonly #opens = new Map<string, () => void>();
  readonly #mayOpen = new Set<string>();
  /** Nodes that are being opened, and who waits for that. */
  readonly #opening = new Map<string, () => void>();
  readonly #opened = Promise.withResolvers<void>();
  #isStopped = false;

  constructor(claimNames: readonly string[], options: BatchOptions) {
    this.#options = options;
    this.#joining = new Gathering(claimNames, options, options.onJoined);
    this.#readying = new Gathering(claimNames, options, (ready) => this.#openAll(ready));
  }

  /** The first nodes are being opened, or none will be. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** The node of this claim is there. */
  join(claimName: string): void {
    this.#joining.add(claimName);
  }

  /** The node of this claim could be opened; returns when it may be. */
  ready(claimName: string): Promise<void> {
    if (this.#isStopped || this.#mayOpen.has(claimName)) return Promise.resolve();
    const opened = new Promise<void>((open) => {
      this.#opens.set(claimName, open);
    });
    this.#readying.add(claimName);
    return opened;
  }

  /** Its node is open, or will not be: nobody need wait for this one any more. */
  leave(claimName: string): void {
    this.#let(claimName);
    this.#opening.get(claimName)?.();
    this.#joining.leave(claimName);
    this.#readying.leave(claimName);
    if (this.#readying.isEmpty) this.#opened.resolve();
  }

  /** Lets go of everybody. */
  stop(): void {
    this.#isStopped = true;
    this.#joining.stop();
    this.#readying.stop();
    this.#opened.resolve();
    for (const claimName of [...this.#opens.keys()]) this.#let(claimName);
  }

  #openAll(ready: readonly string[]): void {
    const { prepare, order } = this.#options;
    void prepare(ready).then(() => {
      void inParallel(order(ready), atOnce, (claimName) => this.#open(claimName));
      this.#opened.resolve();
    });
  }

  async #open(claimName: string): Promise<void> {
    // It has left meanwhile.
    if (!this.#opens.has(claimName)) return;
    const opened = Promise.withResolvers<void>();
    this.#opening.set(claimName, opened.resolve);
    this.#let(claimName);
    await Promise.race([opened.promise, pause(this.#options.clock, openingPatience)]);
    this.#opening.delete(claimName);
  }

  #let(claimName: string): void {
    this.#mayOpen.add(claimName);
    this.#opens.get(claimName)?.();
    this.#opens.delete(claimName);
  }
}

/** Waits for all of some names, at most for a while, and hands on those that came; the rest in batches of their own. */
class Gathering {
  readonly #awaited: Set<string>;
  readonly #few: number;
  readonly #options: Pick<BatchOptions, "clock" | "patience" | "patienceWithFew">;
  readonly #onComplete: (names: readonly string[]) => void;
  readonly #seen = new Set<string>();
  #present: string[] = [];
  #timer: Timer | undefined;
  /** When those that are present need not wait any longer. */
  #until: number | undefined;
  #areFewLeft = false;

  constructor(
    names: readonly string[],
    options: Pick<BatchOptions, "clock" | "patience" | "patienceWithFew">,
    onComplete: (names: readonly string[]) => void,
  ) {
    this.#awaited = new Set(names);
    this.#few = names.length / 10;
    this.#options = options;
    this.#onComplete = onComplete;
  }

  add(name: string): void {
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    this.#awaited.delete(name);
    this.#present.push(name);
    const { clock, patience, patienceWithFew } = this.#options;
    this.#until ??= clock.now() + patience;
    const areFewLeft = this.#awaited.size <= this.#few;
    if (areFewLeft && !this.#areFewLeft) {
      this.#timer?.cancel();
      this.#timer = undefined;
    }
    this.#areFewLeft = areFewLeft;
    const left = Math.max(0, this.#until - clock.now());
    this.#timer ??= clock.after(areFewLeft ? Math.min(left, patienceWithFew) : left, () => this.#complete());
    if (this.#awaited.size === 0) this.#complete();
  }

  /** Nobody is there or awaited. */
  get isEmpty(): boolean {
    return this.#awaited.size + this.#present.length === 0;
  }

  leave(name: string): void {
    this.#awaited.delete(name);
    this.#present = this.#present.filter((present) => present !== name);
    if (this.#awaited.size === 0 && this.#present.length > 0) this.#complete();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #complete(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#until = undefined;
    const names = this.#present;
    this.#present = [];
    if (names.length > 0) this.#onComplete(names);
  }
}
