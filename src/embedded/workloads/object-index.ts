import type { OwnerReference } from "kubernetes-types/meta/v1.js";
import type { StoredMeta } from "../kube-object.ts";
import { keyOf } from "../storage/collection.ts";
import type { Resource, Stored } from "./resource.ts";

/** Objects by something that they carry, kept as they change, so that nobody has to look through all of them. */
export class ObjectIndex<T extends object> {
  readonly #resource: Resource<T>;
  readonly #groupOf: (object: Stored<T>) => string | undefined;
  readonly #groups = new Map<string, Set<string>>();
  readonly #groupByKey = new Map<string, string>();
  readonly #changes = new Map<string, number>();
  readonly #unsubscribe: () => void;

  constructor(resource: Resource<T>, groupOf: (object: Stored<T>) => string | undefined) {
    this.#resource = resource;
    this.#groupOf = groupOf;
    for (const object of resource.list()) this.#file(keyOf(object));
    this.#unsubscribe = resource.subscribe(({ object }) => this.#file(keyOf(object)));
  }

  stop(): void {
    this.#unsubscribe();
  }

  get(group: string): Stored<T>[] {
    const found: Stored<T>[] = [];
    for (const key of this.#groups.get(group) ?? []) {
      const object = this.#resource.find(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  /** Grows whenever something in the group changes. */
  changes(group: string): number {
    return this.#changes.get(group) ?? 0;
  }

  #file(key: string): void {
    const object = this.#resource.find(key);
    const group = object === undefined ? undefined : this.#groupOf(object);
    const before = this.#groupByKey.get(key);
    if (group !== undefined) this.#changes.set(group, this.changes(group) + 1);
    if (group === before) return;
    if (before !== undefined) this.#remove(before, key);
    if (group === undefined) return;
    this.#groupByKey.set(key, group);
    const members = this.#groups.get(group);
    if (members === undefined) this.#groups.set(group, new Set([key]));
    else members.add(key);
  }

  #remove(group: string, key: string): void {
    this.#groupByKey.delete(key);
    const members = this.#groups.get(group);
    members?.delete(key);
    if (members?.size !== 0) return;
    this.#groups.delete(group);
    this.#changes.delete(group);
  }
}

export function controllerOf({ metadata }: { readonly metadata: StoredMeta }): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** The uid of the controller of an object, or the free ones of its namespace. */
export function ownerGroup(object: { readonly metadata: StoredMeta }): string {
  return controllerOf(object)?.uid ?? freeIn(object.metadata.namespace);
}

export function freeIn(namespace: string | undefined): string {
  return `free in ${namespace ?? ""}`;
}
