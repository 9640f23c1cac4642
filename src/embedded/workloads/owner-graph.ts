import { ApiError } from "../api/api-error.ts";
import type { ObjectApi } from "../api/object-api.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { KubeObject } from "../kube-object.ts";
import { keyOf } from "../storage/collection.ts";
import type { StoredEvent } from "../storage/stored-event.ts";

/** An object as the garbage collector knows it. */
export interface GraphNode {
  readonly definition: ResourceDefinition;
  readonly key: string;
  readonly owners: readonly string[];
}

const noOwners: readonly string[] = [];

/** Which object belongs to which, over all resources, by uid. */
export class OwnerGraph {
  readonly #api: ObjectApi;
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();

  constructor(api: ObjectApi) {
    this.#api = api;
  }

  node(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  dependents(uid: string): readonly string[] {
    return [...(this.#dependents.get(uid) ?? [])];
  }

  hasDependents(uid: string): boolean {
    return this.#dependents.has(uid);
  }

  /** The object as it is now; undefined when it is gone. */
  object(uid: string): KubeObject | undefined {
    const node = this.#nodes.get(uid);
    if (node === undefined) return undefined;
    const object = this.#api.collection(node.definition).get(node.key);
    return object?.metadata.uid === uid ? object : undefined;
  }

  follow(definition: ResourceDefinition, { type, object }: Pick<StoredEvent, "type" | "object">): void {
    const { uid, ownerReferences } = object.metadata;
    const before = this.#nodes.get(uid);
    if (type === "DELETED") this.#nodes.delete(uid);
    else {
      const owners = ownerReferences === undefined ? noOwners : ownerReferences.map((reference) => reference.uid);
      this.#nodes.set(uid, { definition, key: keyOf(object), owners });
      for (const owner of owners) this.#link(owner, uid);
    }
    const kept = type === "DELETED" ? noOwners : (this.#nodes.get(uid)?.owners ?? noOwners);
    for (const owner of before?.owners ?? noOwners) {
      if (!kept.includes(owner)) this.#unlink(owner, uid);
    }
  }

  #link(owner: string, dependent: string): void {
    const dependents = this.#dependents.get(owner);
    if (dependents === undefined) this.#dependents.set(owner, new Set([dependent]));
    else dependents.add(dependent);
  }

  #unlink(owner: string, dependent: string): void {
    const dependents = this.#dependents.get(owner);
    dependents?.delete(dependent);
    if (dependents?.size === 0) this.#dependents.delete(owner);
  }
}

/** Does something to an object that may have gone or changed meanwhile. */
export function ignoringAbsence(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 404) throw error;
  }
}
