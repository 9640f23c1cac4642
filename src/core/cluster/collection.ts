export interface Change<T> {
  readonly key: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

export type ChangeListener<T> = (change: Change<T>) => void;

/** Objects of one kind by key, which others can follow. */
export class Collection<T> {
  readonly #objects = new Map<string, T>();
  readonly #listeners = new Set<ChangeListener<T>>();
  #copy: ReadonlyMap<string, T> | undefined;

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  entries(): IterableIterator<[string, T]> {
    return this.#objects.entries();
  }

  /** All of them as they are now, in a map that never changes. The same one until something does. */
  copy(): ReadonlyMap<string, T> {
    this.#copy ??= new Map(this.#objects);
    return this.#copy;
  }

  put(key: string, after: T): void {
    const before = this.#objects.get(key);
    this.#copy = undefined;
    this.#objects.set(key, after);
    this.#tell({ key, before, after });
  }

  remove(key: string): void {
    const before = this.#objects.get(key);
    if (before === undefined) return;
    this.#copy = undefined;
    this.#objects.delete(key);
    this.#tell({ key, before, after: undefined });
  }

  /** One that throws keeps the news from none of the others. */
  #tell(change: Change<T>): void {
    const errors: unknown[] = [];
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} listeners failed on "${change.key}"`);
  }

  /** Returns how to stop listening. */
  onChange(listener: ChangeListener<T>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Finds objects by something in them; kept up to date from now on. "" is not indexed. */
  indexBy(keyOf: (object: T) => string): Index<T> {
    return new Index(this, keyOf);
  }
}

/** Most groups have one member, as those by uid: a map for each would take more than the members do. */
type Group<T> = Member<T> | Map<string, T>;

interface Member<T> {
  readonly key: string;
  readonly object: T;
}

export class Index<T> {
  readonly #groups = new Map<string, Group<T>>();

  constructor(collection: Collection<T>, keyOf: (object: T) => string) {
    for (const [key, object] of collection.entries()) this.#add(keyOf(object), key, object);
    collection.onChange(({ key, before, after }) => {
      if (before !== undefined) this.#remove(keyOf(before), key);
      if (after !== undefined) this.#add(keyOf(after), key, after);
    });
  }

  /** In the order they came. */
  get(group: string): readonly T[] {
    const members = this.#groups.get(group);
    if (members === undefined) return [];
    return members instanceof Map ? [...members.values()] : [members.object];
  }

  #add(group: string, key: string, object: T): void {
    if (group === "") return;
    const members = this.#groups.get(group);
    if (members instanceof Map) members.set(key, object);
    else if (members === undefined) this.#groups.set(group, { key, object });
    else this.#groups.set(group, new Map([[members.key, members.object]]).set(key, object));
  }

  #remove(group: string, key: string): void {
    const members = this.#groups.get(group);
    if (members instanceof Map) {
      members.delete(key);
      if (members.size === 0) this.#groups.delete(group);
    } else if (members?.key === key) this.#groups.delete(group);
  }
}
