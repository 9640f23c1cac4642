import type { Clock, Timer } from "../../ports/clock.ts";

export interface BatchOptions {
  readonly clock: Clock;
  /** So long the first node that is ready waits for the others. */
  readonly patience: number;
  /** Tells the pods of these nodes where they belong. Must not reject. */
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
  readonly #awaited: Set<string>;
  readonly #ready = new Map<string, () => void>();
  #timer: Timer | undefined;

  constructor(claimNames: readonly string[], options: BatchOptions) {
    this.#options = options;
    this.#awaited = new Set(claimNames);
  }

  /** The node of this claim could be opened; returns when it may be. */
  ready(claimName: string): Promise<void> {
    this.#awaited.delete(claimName);
    const opened = new Promise<void>((open) => {
      this.#ready.set(claimName, open);
    });
    this.#timer ??= this.#options.clock.after(this.#options.patience, () => this.#openAll());
    if (this.#awaited.size === 0) this.#openAll();
    return opened;
  }

  /** Nobody need wait for this one any more. */
  leave(claimName: string): void {
    this.#awaited.delete(claimName);
    this.#ready.get(claimName)?.();
    this.#ready.delete(claimName);
    if (this.#awaited.size === 0 && this.#ready.size > 0) this.#openAll();
  }

  /** Lets go of everybody. */
  stop(): void {
    this.#timer?.cancel();
    for (const open of this.#ready.values()) open();
    this.#ready.clear();
  }

  /** Whoever comes later is opened with those that come then. */
  #openAll(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const opens = new Map(this.#ready);
    this.#ready.clear();
    const { prepare, order } = this.#options;
    void prepare([...opens.keys()]).then(() => {
      for (const claimName of order([...opens.keys()])) opens.get(claimName)?.();
    });
  }
}
