import type { Clock, Timer } from "../../ports/clock.ts";

export interface BatchOptions {
  readonly clock: Clock;
  /** So long the first node waits for the others: until they have joined, and again until they are ready. */
  readonly patience: number;
  /** The nodes have joined: their pods may be told where they belong. */
  readonly onJoined: (claimNames: readonly string[]) => void;
  /** The nodes are about to be opened. Must not reject. */
  readonly prepare: (claimNames: readonly string[]) => Promise<void>;
  /** In which order nodes are opened. */
  readonly order: (claimNames: readonly string[]) => readonly string[];
}

/**
 * Nodes that were bought together and are opened together. The first node that opens wakes every pod that waits; one
 * whose own node is still closed then goes wherever it finds room, and the plan of the others does not come true.
 */
export class Batch {
  readonly #options: BatchOptions;
  readonly #joining: Gathering;
  readonly #readying: Gathering;
  readonly #opens = new Map<string, () => void>();

  constructor(claimNames: readonly string[], options: BatchOptions) {
    this.#options = options;
    this.#joining = new Gathering(claimNames, options, options.onJoined);
    this.#readying = new Gathering(claimNames, options, (ready) => this.#openAll(ready));
  }

  /** The node of this claim is there. */
  join(claimName: string): void {
    this.#joining.add(claimName);
  }

  /** The node of this claim could be opened; returns when it may be. */
  ready(claimName: string): Promise<void> {
    const opened = new Promise<void>((open) => {
      this.#opens.set(claimName, open);
    });
    this.#readying.add(claimName);
    return opened;
  }

  /** Nobody need wait for this one any more. */
  leave(claimName: string): void {
    this.#open(claimName);
    this.#joining.leave(claimName);
    this.#readying.leave(claimName);
  }

  /** Lets go of everybody. */
  stop(): void {
    this.#joining.stop();
    this.#readying.stop();
    for (const claimName of [...this.#opens.keys()]) this.#open(claimName);
  }

  #openAll(ready: readonly string[]): void {
    const { prepare, order } = this.#options;
    void prepare(ready).then(() => {
      for (const claimName of order(ready)) this.#open(claimName);
    });
  }

  #open(claimName: string): void {
    this.#opens.get(claimName)?.();
    this.#opens.delete(claimName);
  }
}

/** Waits for all of some names, at most for a while, and hands on those that came; the rest in batches of their own. */
class Gathering {
  readonly #awaited: Set<string>;
  readonly #options: Pick<BatchOptions, "clock" | "patience">;
  readonly #onComplete: (names: readonly string[]) => void;
  readonly #seen = new Set<string>();
  #present: string[] = [];
  #timer: Timer | undefined;

  constructor(
    names: readonly string[],
    options: Pick<BatchOptions, "clock" | "patience">,
    onComplete: (names: readonly string[]) => void,
  ) {
    this.#awaited = new Set(names);
    this.#options = options;
    this.#onComplete = onComplete;
  }

  add(name: string): void {
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    this.#awaited.delete(name);
    this.#present.push(name);
    const { clock, patience } = this.#options;
    this.#timer ??= clock.after(patience, () => this.#complete());
    if (this.#awaited.size === 0) this.#complete();
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
    const names = this.#present;
    this.#present = [];
    if (names.length > 0) this.#onComplete(names);
  }
}
