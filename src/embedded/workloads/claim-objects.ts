import type { LabelMatch } from "../api/label-selector.ts";
import type { StoredMeta } from "../kube-object.ts";
import { freeIn, type ObjectIndex } from "./object-index.ts";
import type { Resource, Stored } from "./resource.ts";

/** Who controls, as an owner reference names it. */
export interface Controller {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMeta;
}

export function controllerReference({ apiVersion, kind, metadata }: Controller) {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The objects that a controller controls: adopts what matches and is free, lets go of what no longer matches. */
export class ClaimedObjects<T extends object> {
  readonly #resource: Resource<T>;
  readonly #index: ObjectIndex<T>;
  /** How many changes of free objects each controller has looked through. */
  readonly #seen = new Map<string, number>();

  constructor(resource: Resource<T>, index: ObjectIndex<T>) {
    this.#resource = resource;
    this.#index = index;
  }

  forget(uid: string): void {
    this.#seen.delete(uid);
  }

  claim(controller: Controller, matches: LabelMatch): Stored<T>[] {
    const { uid, namespace, deletionTimestamp } = controller.metadata;
    if (deletionTimestamp === undefined) this.#adopt(controller, matches);
    const claimed: Stored<T>[] = [];
    for (const object of this.#index.get(uid)) {
      if (object.metadata.namespace !== namespace) continue;
      if (matches(object.metadata.labels ?? {})) claimed.push(object);
      else if (deletionTimestamp === undefined) this.#release(object, uid);
    }
    return claimed;
  }

  #adopt(controller: Controller, matches: LabelMatch): void {
    const { uid, namespace } = controller.metadata;
    const free = freeIn(namespace);
    const changes = this.#index.changes(free);
    if (this.#seen.get(uid) === changes) return;
    this.#seen.set(uid, changes);
    for (const object of this.#index.get(free)) {
      if (object.metadata.deletionTimestamp !== undefined || !matches(object.metadata.labels ?? {})) continue;
      this.#resource.change(object, (current) => ({
        ...current,
        metadata: {
          ...current.metadata,
          ownerReferences: [...(current.metadata.ownerReferences ?? []), controllerReference(controller)],
        },
      }));
    }
  }

  #release(object: Stored<T>, uid: string): void {
    if (object.metadata.deletionTimestamp !== undefined) return;
    this.#resource.change(object, (current) => {
      const { ownerReferences = [], ...metadata } = current.metadata;
      const others = ownerReferences.filter((reference) => reference.uid !== uid);
      return { ...current, metadata: others.length === 0 ? metadata : { ...metadata, ownerReferences: others } };
    });
  }
}
