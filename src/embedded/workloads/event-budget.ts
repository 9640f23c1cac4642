import type { Clock } from "../../ports/clock.ts";
import type { Happening } from "./event-recorder.ts";

const manyMessages = 10;
const aggregationMilliseconds = 600_000;
const burst = 25;
const refillMilliseconds = 300_000;

interface Admitted {
  readonly message: string;
  readonly identity: string;
}

interface Similar {
  readonly messages: Set<string>;
  at: number;
}

/** Keeps one source from flooding one object with events, by the numbers of client-go. */
export class EventBudget {
  readonly #clock: Clock;
  readonly #tokens = new Map<string, { left: number; at: number }>();
  readonly #similar = new Map<string, Similar>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What to write, and what makes it the same as an earlier one; undefined when the object has had enough. */
  admit({ about, source, type, reason, message, fieldPath = "" }: Happening): Admitted | undefined {
    const key = `${source}|${about.kind}|${about.metadata?.namespace}|${about.metadata?.name}|${about.metadata?.uid}`;
    const sort = `${key}|${type}|${reason}`;
    const isOneOfMany = this.#isOneOfMany(sort, message);
    if (!this.#spend(key)) return undefined;
    if (isOneOfMany) return { message: `(combined from similar events): ${message}`, identity: sort };
    return { message, identity: `${sort}|${fieldPath}|${message}` };
  }

  /** After ten different messages of one sort, the rest are one. */
  #isOneOfMany(key: string, message: string): boolean {
    const now = this.#clock.now();
    let similar = this.#similar.get(key);
    if (similar === undefined || now - similar.at > aggregationMilliseconds) similar = { messages: new Set(), at: now };
    remember(this.#similar, key, similar);
    similar.at = now;
    if (similar.messages.size >= manyMessages && !similar.messages.has(message)) return true;
    similar.messages.add(message);
    return false;
  }

  #spend(key: string): boolean {
    const now = this.#clock.now();
    const { left, at } = this.#tokens.get(key) ?? { left: burst, at: now };
    const tokens = Math.min(burst, left + (now - at) / refillMilliseconds);
    remember(this.#tokens, key, { left: tokens < 1 ? tokens : tokens - 1, at: now });
    return tokens >= 1;
  }
}

/** The latest few thousand. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > 4096) map.delete(map.keys().next().value ?? "");
}
