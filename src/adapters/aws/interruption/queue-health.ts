/** Whether the queue of interruptions can be followed, for those who tell people. */
export interface QueueHealth {
  /** "unknown" before its first answer; an error that says what is missing and how to mend it. */
  readonly state: QueueState;
  onChange(listener: () => void): () => void;
}

export type QueueState = "unknown" | "followed" | Error;

/** Remembers how the last poll went, and tells when that is another thing than before. */
export class ObservedQueueHealth implements QueueHealth {
  readonly #listeners = new Set<() => void>();
  #state: QueueState = "unknown";

  get state(): QueueState {
    return this.#state;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  observe(state: Exclude<QueueState, "unknown">): void {
    const isSame = describe(state) === describe(this.#state);
    this.#state = state;
    if (!isSame) for (const listener of this.#listeners) listener();
  }
}

function describe(state: QueueState): string {
  return typeof state === "string" ? state : state.message;
}
