import type { OwnerReference } from "kubernetes-types/meta/v1.js";
import type { Address } from "../api/object-api.ts";
import type { ControlLoop } from "../control-loop.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { KubeObject } from "../kube-object.ts";
import type { StoredEvent } from "../storage/stored-event.ts";
import { ignoringAbsence, OwnerGraph } from "./owner-graph.ts";
import { controlLoop, type RunningPart, type WorkloadContext } from "./workload-context.ts";

const foreground = "foregroundDeletion";
const orphan = "orphan";

/** Deletes what nobody owns any more, and carries deletion from owners to what they own. */
export class GarbageCollector implements RunningPart {
  readonly #context: WorkloadContext;
  readonly #graph: OwnerGraph;
  readonly #loop: ControlLoop;
  readonly #subscriptions = new Map<string, () => void>();

  constructor(context: WorkloadContext) {
    this.#context = context;
    this.#graph = new OwnerGraph(context.api);
    this.#loop = controlLoop(context, "garbage collector", (key) => this.#reconcile(key));
    this.#watchResources();
  }

  stop(): void {
    for (const unsubscribe of this.#subscriptions.values()) unsubscribe();
    this.#loop.stop();
  }

  /** Everything that is served, also what definitions add later; events own and are owned by nothing. */
  #watchResources(): void {
    const { registry } = this.#context.api;
    for (const definition of registry.all()) {
      const name = `${definition.group}/${definition.plural}`;
      if (definition.plural === "events" || definition.storedAs !== undefined) continue;
      if (!this.#subscriptions.has(name)) this.#watch(name, definition);
    }
  }

  #watch(name: string, definition: ResourceDefinition): void {
    const collection = this.#context.api.collection(definition);
    const unsubscribe = collection.subscribe((event) => this.#see(definition, event));
    this.#subscriptions.set(name, unsubscribe);
    for (const object of collection.list()) this.#see(definition, { type: "ADDED", object });
  }

  #see(definition: ResourceDefinition, event: Pick<StoredEvent, "type" | "object" | "previous">): void {
    const { type, object, previous } = event;
    const { uid, ownerReferences, deletionTimestamp, finalizers } = object.metadata;
    const hasSameOwners = previous?.metadata.ownerReferences === ownerReferences;
    if (type === "MODIFIED" && hasSameOwners && deletionTimestamp === undefined) return;
    this.#graph.follow(definition, event);
    if (definition.kind === "CustomResourceDefinition") this.#loop.enqueue("resources");
    if (type === "DELETED") {
      for (const dependent of this.#graph.dependents(uid)) this.#loop.enqueue(dependent);
      for (const { uid: owner } of ownerReferences ?? []) {
        if (this.#isWaitingForDependents(this.#graph.object(owner))) this.#loop.enqueue(owner);
      }
      return;
    }
    const isWaiting =
      deletionTimestamp !== undefined && finalizers?.some((name) => name === foreground || name === orphan);
    if (isWaiting === true || (ownerReferences !== undefined && !hasSameOwners)) this.#loop.enqueue(uid);
    if (hasSameOwners) return;
    for (const { uid: owner } of previous?.metadata.ownerReferences ?? []) {
      if (this.#isWaitingForDependents(this.#graph.object(owner))) this.#loop.enqueue(owner);
    }
  }

  #reconcile(key: string): void {
    if (key === "resources") {
      this.#watchResources();
      return;
    }
    const object = this.#graph.object(key);
    if (object === undefined) return;
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp === undefined) this.#collect(object);
    else if (finalizers.includes(orphan)) this.#orphanDependents(object);
    else if (finalizers.includes(foreground)) this.#deleteDependents(object);
  }

  /** Deletes the object if none of its owners is left; references to owners that are gone go otherwise. */
  #collect(object: KubeObject): void {
    const references = object.metadata.ownerReferences ?? [];
    if (references.length === 0) return;
    const owners = references.map((reference) => ({ reference, state: this.#stateOf(reference, object) }));
    const lost = owners.filter(({ state }) => state === "absent" || state === "waiting");
    if (lost.length === 0) return;
    if (lost.length < references.length) {
      const uids = new Set(lost.map(({ reference }) => reference.uid));
      this.#patchOwners(object, (reference) => !uids.has(reference.uid));
      return;
    }
    const isWaitedFor = owners.some(({ state }) => state === "waiting");
    const propagationPolicy =
      isWaitedFor && this.#graph.hasDependents(object.metadata.uid) ? "Foreground" : "Background";
    // In a circle each would wait for the other: this one lets go.
    if (isWaitedFor && this.#dependentsOf(object).some((dependent) => this.#isWaitingForDependents(dependent))) {
      this.#unblockOwners(object);
    }
    const preconditions = { uid: object.metadata.uid };
    ignoringAbsence(() =>
      this.#context.api.delete(this.#addressOf(object), {
        propagationPolicy: this.#policyOf(object) ?? propagationPolicy,
        preconditions,
      }),
    );
  }

  /** Whoever asked for it with a finalizer gets it. */
  #policyOf({ metadata }: KubeObject): "Orphan" | "Foreground" | undefined {
    if (metadata.finalizers?.includes(orphan) === true) return "Orphan";
    return metadata.finalizers?.includes(foreground) === true ? "Foreground" : undefined;
  }

  #stateOf(reference: OwnerReference, { metadata }: KubeObject): "solid" | "absent" | "waiting" {
    const owner = this.#graph.object(reference.uid);
    if (owner === undefined || (owner.metadata.namespace ?? metadata.namespace) !== metadata.namespace) {
      const definition = this.#context.api.registry.ofKind(reference.apiVersion, reference.kind);
      // An owner of a kind that nobody serves cannot be known to be gone, nor one in a namespace that nobody names.
      const isKnown = definition !== undefined && (!definition.isNamespaced || metadata.namespace !== undefined);
      return isKnown ? "absent" : "solid";
    }
    return this.#isWaitingForDependents(owner) ? "waiting" : "solid";
  }

  #isWaitingForDependents(object: KubeObject | undefined): boolean {
    return (
      object?.metadata.deletionTimestamp !== undefined && object.metadata.finalizers?.includes(foreground) === true
    );
  }

  #orphanDependents(object: KubeObject): void {
    const { uid } = object.metadata;
    for (const dependent of this.#graph.dependents(uid)) {
      const owned = this.#graph.object(dependent);
      if (owned !== undefined) this.#patchOwners(owned, (reference) => reference.uid !== uid);
    }
    this.#removeFinalizer(object, orphan);
  }

  /** The owner goes when none is left of those dependents that block its deletion. */
  #deleteDependents(object: KubeObject): void {
    const { uid } = object.metadata;
    const dependents = this.#graph.dependents(uid);
    const isBlocked = dependents.some((dependent) =>
      this.#graph
        .object(dependent)
        ?.metadata.ownerReferences?.some((reference) => reference.uid === uid && reference.blockOwnerDeletion === true),
    );
    if (!isBlocked) this.#removeFinalizer(object, foreground);
    // Those that wait themselves report when they are done.
    else
      for (const dependent of this.#dependentsOf(object)) {
        if (!this.#isWaitingForDependents(dependent)) this.#loop.enqueue(dependent.metadata.uid);
      }
  }

  #dependentsOf({ metadata }: KubeObject): KubeObject[] {
    return this.#graph.dependents(metadata.uid).flatMap((uid) => this.#graph.object(uid) ?? []);
  }

  #unblockOwners(object: KubeObject): void {
    ignoringAbsence(() =>
      this.#context.api.patch(this.#addressOf(object), (current) => {
        const ownerReferences = (current.metadata.ownerReferences ?? []).map((reference) => ({
          ...reference,
          blockOwnerDeletion: false,
        }));
        return { ...current, metadata: { ...current.metadata, ownerReferences } };
      }),
    );
  }

  #patchOwners(object: KubeObject, isKept: (reference: OwnerReference) => boolean): void {
    ignoringAbsence(() =>
      this.#context.api.patch(this.#addressOf(object), (current) => {
        const { ownerReferences = [], ...metadata } = current.metadata;
        const kept = ownerReferences.filter(isKept);
        return { ...current, metadata: kept.length === 0 ? metadata : { ...metadata, ownerReferences: kept } };
      }),
    );
  }

  #removeFinalizer(object: KubeObject, name: string): void {
    ignoringAbsence(() =>
      this.#context.api.patch(this.#addressOf(object), (current) => {
        const finalizers = (current.metadata.finalizers ?? []).filter((finalizer) => finalizer !== name);
        return { ...current, metadata: { ...current.metadata, finalizers } };
      }),
    );
  }

  #addressOf({ metadata }: KubeObject): Address {
    const definition = this.#graph.node(metadata.uid)?.definition;
    if (definition === undefined) throw new Error(`The garbage collector does not know ${metadata.name}`);
    const { namespace, name } = metadata;
    return namespace === undefined ? { definition, name } : { definition, namespace, name };
  }
}
