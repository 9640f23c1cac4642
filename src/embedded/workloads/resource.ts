import { areEqual, type JsonObject } from "../../core/api/schema/json.ts";
import { ApiError } from "../api/api-error.ts";
import type { Address, ObjectApi } from "../api/object-api.ts";
import type { DeleteOptions } from "../api/write-options.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { KubeObject, StoredMeta } from "../kube-object.ts";
import { type Collection, keyOf } from "../storage/collection.ts";

/** An object of a known type as the API has it. */
export type Stored<T> = T & { readonly apiVersion: string; readonly kind: string; readonly metadata: StoredMeta };

export interface Change<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: Stored<T>;
  readonly previous: Stored<T> | undefined;
}

const manager = "kube-controller-manager";

/** The objects of one resource, typed, for a part of the cluster that reads and writes them through the API. */
export class Resource<T extends object> {
  readonly definition: ResourceDefinition;
  readonly #api: ObjectApi;
  readonly #collection: Collection;

  constructor(api: ObjectApi, group: string, plural: string) {
    this.definition = api.registry.builtIn(group, plural);
    this.#api = api;
    this.#collection = api.collection(this.definition);
  }

  find(key: string): Stored<T> | undefined {
    return this.#collection.get(key) as Stored<T> | undefined;
  }

  /** The object of that name, if it is still the same one. */
  current({ metadata }: { readonly metadata: StoredMeta }): Stored<T> | undefined {
    const found = this.find(keyOf({ metadata }));
    return found?.metadata.uid === metadata.uid ? found : undefined;
  }

  list(namespace?: string): Generator<Stored<T>> {
    return this.#collection.list(namespace === undefined ? "" : `${namespace}/`) as Generator<Stored<T>>;
  }

  /** Listeners only take note: whoever wants to write does so in a control loop, so that all see changes in one order. */
  subscribe(listener: (change: Change<T>) => void): () => void {
    return this.#collection.subscribe(({ type, object, previous }) =>
      listener({ type, object: object as Stored<T>, previous: previous as Stored<T> | undefined }),
    );
  }

  create(body: T, namespace?: string): Stored<T> {
    const at = namespace === undefined ? { manager } : { manager, namespace };
    return this.#api.create(this.definition, body, at) as unknown as Stored<T>;
  }

  /** Writes metadata and spec as the change makes them from what is there now. */
  change(object: Stored<T>, change: (current: Stored<T>) => object): Stored<T> {
    return this.#patch(object, change, undefined);
  }

  changeStatus(object: Stored<T>, change: (current: Stored<T>) => object): Stored<T> {
    return this.#patch(object, change, "status");
  }

  /** Replaces the status, unless it is the same already. */
  writeStatus(object: Stored<T>, status: object): Stored<T> {
    if (areEqual((object as { status?: unknown }).status, status)) return object;
    return this.#patch(object, (current) => ({ ...current, status }), "status");
  }

  finalize(object: Stored<T>, change: (current: Stored<T>) => object): Stored<T> {
    return this.#patch(object, change, "finalize");
  }

  #patch(object: Stored<T>, change: (current: Stored<T>) => object, subresource: string | undefined): Stored<T> {
    const options = subresource === undefined ? { manager } : { manager, subresource };
    const apply = (current: KubeObject) => change(current as Stored<T>) as JsonObject;
    return this.#api.patch(this.addressOf(object), apply, options) as unknown as Stored<T>;
  }

  /** Deletes this very object; that it is gone already is as good. */
  delete(object: Stored<T>, options: DeleteOptions = {}): void {
    const preconditions = { uid: object.metadata.uid };
    unlessGone(() => this.#api.delete(this.addressOf(object), { preconditions, ...options }));
  }

  addressOf({ metadata: { namespace, name } }: { readonly metadata: StoredMeta }): Address {
    const { definition } = this;
    return namespace === undefined ? { definition, name } : { definition, namespace, name };
  }
}

/** Does it, or finds that the object is no longer there. */
function unlessGone(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof ApiError) || (error.code !== 404 && error.reason !== "Conflict")) throw error;
  }
}
