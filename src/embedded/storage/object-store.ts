import type { Draft, KubeObject } from "../kube-object.ts";
import { Collection } from "./collection.ts";
import { shareParts } from "./share-parts.ts";
import type { StoredEvent } from "./stored-event.ts";

/** Every object of the cluster, in memory, with one count of versions for all of them, as etcd has it. */
export class ObjectStore {
  readonly #collections = new Map<string, Collection>();
  readonly #keptEvents: number;
  #version = 0;

  /** `keptEvents`: how many past changes of each resource a watch can start from; older versions are compacted away. */
  constructor(keptEvents: number) {
    this.#keptEvents = keptEvents;
  }

  /** Of the last write. */
  get version(): number {
    return this.#version;
  }

  /** The objects of one resource, named as in `deployments.apps`. */
  collection(name: string): Collection {
    const known = this.#collections.get(name);
    if (known !== undefined) return known;
    const created = new Collection(this.#keptEvents);
    this.#collections.set(name, created);
    return created;
  }

  /** Stores an object in place of what was there, stamped with a new version. The draft must not be touched after that. */
  put(collection: Collection, key: string, draft: Draft): KubeObject {
    if (collection.get(key) === undefined) shareParts(draft);
    const version = ++this.#version;
    draft.metadata.resourceVersion = String(version);
    const object = draft as unknown as KubeObject;
    const previous = collection.get(key);
    collection.record(key, event(previous === undefined ? "ADDED" : "MODIFIED", { object, previous, version }));
    return object;
  }

  /** Removes an object; its last version carries the number of its deletion. */
  remove(collection: Collection, key: string): KubeObject | undefined {
    const previous = collection.get(key);
    if (previous === undefined) return undefined;
    const version = ++this.#version;
    const object = { ...previous, metadata: { ...previous.metadata, resourceVersion: String(version) } };
    collection.record(key, event("DELETED", { object, previous, version }));
    return object;
  }

  /** Forgets past changes, so that watches of older versions must list again. */
  compact(): void {
    for (const collection of this.#collections.values()) collection.compact(this.#version);
  }
}

interface Change {
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
  readonly version: number;
}

function event(type: StoredEvent["type"], { object, previous, version }: Change): StoredEvent {
  return previous === undefined ? { type, object, version } : { type, object, previous, version };
}
