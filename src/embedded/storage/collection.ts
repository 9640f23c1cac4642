import type { KubeObject } from "../kube-object.ts";
import type { StoredEvent } from "./stored-event.ts";

/** The objects of one resource in the order of their keys (`namespace/name` or `name`), with their latest changes. */
export class Collection {
  readonly #objects = new Map<string, KubeObject>();
  /** Sorted. */
  readonly #keys: string[] = [];
  readonly #listeners = new Set<(event: StoredEvent) => void>();
  readonly #keptEvents: number;
  #events: StoredEvent[] = [];
  #compactedVersion = 0;

  constructor(keptEvents: number) {
    this.#keptEvents = keptEvents;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Changes up to this version are forgotten. */
  get compactedVersion(): number {
    return this.#compactedVersion;
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key);
  }

  /** In the order of keys, those that start with the prefix and come after that key. */
  *list(prefix = "", after?: string): Generator<KubeObject> {
    for (let i = this.#start(prefix, after); i < this.#keys.length; i++) {
      const key = this.#keys[i] as string;
      if (!key.startsWith(prefix)) return;
      yield this.#objects.get(key) as KubeObject;
    }
  }

  /** How many `list` would give. */
  count(prefix: string, after?: string): number {
    // No key has this sign, and those with the prefix all come before it.
    return this.#position(`${prefix}\uffff`) - this.#start(prefix, after);
  }

  #start(prefix: string, after: string | undefined): number {
    return this.#position(after === undefined ? prefix : `${after}\0`);
  }

  /** Past changes after that version, oldest first. */
  eventsAfter(version: number): readonly StoredEvent[] {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as StoredEvent).version <= version) low = middle + 1;
      else high = middle;
    }
    return this.#events.slice(low);
  }

  /** The object as it was at that version, which must not be compacted. */
  getAt(version: number, key: string): KubeObject | undefined {
    const later = this.eventsAfter(version).find(({ object }) => keyOf(object) === key);
    return later === undefined ? this.get(key) : later.previous;
  }

  /** The objects as they were at that version, which must not be compacted. */
  *listAt(version: number, prefix: string, after?: string): Generator<KubeObject> {
    const before = new Map<string, KubeObject | undefined>();
    for (const event of this.eventsAfter(version)) {
      const key = keyOf(event.object);
      if (!before.has(key)) before.set(key, event.previous);
    }
    if (before.size === 0) {
      yield* this.list(prefix, after);
      return;
    }
    const gone = [...before].filter(([key, object]) => object !== undefined && !this.#objects.has(key));
    const keys = [...this.#keys, ...gone.map(([key]) => key)].sort();
    for (const key of keys) {
      if (!key.startsWith(prefix) || (after !== undefined && key <= after)) continue;
      const object = before.has(key) ? before.get(key) : this.#objects.get(key);
      if (object !== undefined) yield object;
    }
  }

  /** Calls back with every change, in the moment it is made. Returns how to stop. */
  subscribe(listener: (event: StoredEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  record(key: string, event: StoredEvent): void {
    if (event.type === "DELETED") {
      this.#objects.delete(key);
      this.#keys.splice(this.#position(key), 1);
    } else {
      if (event.type === "ADDED") this.#keys.splice(this.#position(key), 0, key);
      this.#objects.set(key, event.object);
    }
    this.#events.push(event);
    if (this.#events.length >= 2 * this.#keptEvents) this.#forget(this.#events.length - this.#keptEvents);
    for (const listener of this.#listeners) listener(event);
  }

  /** Puts an object in place of one that says the same in older words; nobody is told. */
  refresh(key: string, object: KubeObject): void {
    if (this.#objects.has(key)) this.#objects.set(key, object);
  }

  compact(version: number): void {
    this.#events = [];
    this.#compactedVersion = version;
  }

  #forget(count: number): void {
    this.#compactedVersion = (this.#events[count - 1] as StoredEvent).version;
    this.#events = this.#events.slice(count);
  }

  /** Of the first key that is not before this one. */
  #position(key: string): number {
    let [low, high] = [0, this.#keys.length];
    if (high > 0 && (this.#keys[high - 1] as string) < key) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#keys[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** How an object is filed: `namespace/name`, or `name` for what has no namespace. */
export function keyOf({ metadata }: { metadata: { namespace?: string; name?: string } }): string {
  return metadata.namespace === undefined ? `${metadata.name}` : `${metadata.namespace}/${metadata.name}`;
}
