import type { FieldError } from "../../core/api/field-error.ts";
import { areEqual, type JsonObject } from "../../core/api/schema/json.ts";
import type { Random } from "../../core/model/seeded-random.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import { randomSuffix, randomUid } from "../random-names.ts";
import { type Collection, keyOf } from "../storage/collection.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { timestamp } from "../timestamp.ts";
import {
  ApiError,
  alreadyExists,
  conflict,
  forbidden,
  invalid,
  namespaceTerminating,
  notFound,
  qualified,
} from "./api-error.ts";
import { checkName, checkUid, checkVersion, place, updateErrors } from "./check-write.ts";
import { decodeObject, decodeSent } from "./decode-object.ts";
import { checkPreconditions, deletionStep, isFinished } from "./deletion.ts";
import { dropRepeatedOwners, keepAllButStatus, keepStatus, keepSystemFields } from "./keep-fields.ts";
import { ownershipSchemaOf } from "./patch/ownership-schema.ts";
import { trackUpdate } from "./patch/server-side-apply.ts";
import { apiVersionOf, type ResourceRegistry } from "./resource-registry.ts";
import { toStored, viewOf } from "./stored-view.ts";
import { validateMetadata } from "./validate-metadata.ts";
import type { DeleteOptions, WriteOptions } from "./write-options.ts";

/** Where an object is: its resource, and its name there. */
export interface Address {
  readonly definition: ResourceDefinition;
  readonly namespace?: string;
  readonly name: string;
}

/** Changes that the API server makes to a draft, or refuses, by looking at other objects. Throws an ApiError to refuse. */
export type Admission = (draft: Draft, definition: ResourceDefinition, old: KubeObject | undefined) => void;

export interface ObjectApiParts {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly admit: Admission;
}

const none: WriteOptions = {};
const namespaces = { group: "", plural: "namespaces", kind: "Namespace" };

/** Reads and writes of objects with all the rules of the API, for requests and for the parts of the cluster itself. */
export class ObjectApi {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly clock: Clock;
  readonly #random: Random;
  readonly #admit: Admission;

  constructor({ store, registry, clock, random, admit }: ObjectApiParts) {
    this.store = store;
    this.registry = registry;
    this.clock = clock;
    this.#random = random;
    this.#admit = admit;
  }

  collection(definition: ResourceDefinition): Collection {
    return this.store.collection(
      qualified({ plural: definition.plural, group: definition.storedAs?.group ?? definition.group }),
    );
  }

  find(address: Address): KubeObject | undefined {
    return this.collection(address.definition).get(keyOf({ metadata: address }));
  }

  get(address: Address): KubeObject {
    const object = this.find(address);
    if (object === undefined) throw notFound(address.definition, address.name);
    return object;
  }

  create(definition: ResourceDefinition, body: unknown, at: WriteOptions & { namespace?: string } = none): KubeObject {
    const draft = toStored(decodeSent(body, definition, at), definition);
    place(draft, definition, at.namespace);
    if (draft.metadata.resourceVersion !== undefined)
      throw new ApiError(500, "", "resourceVersion should not be set on objects to be created");
    return this.#insert(draft, definition, at);
  }

  #insert(draft: Draft, definition: ResourceDefinition, options: WriteOptions): KubeObject {
    const { metadata } = draft;
    this.#requireNamespace(draft, definition);
    dropRepeatedOwners(draft, options);
    if (metadata.name === undefined && metadata.generateName !== undefined) {
      metadata.name = `${metadata.generateName.slice(0, 58)}${randomSuffix(this.#random)}`;
    }
    if (options.isRestored === true) this.#restore(draft, definition);
    else this.#initialize(draft, definition);
    refuse(draft, definition, [...validateMetadata(metadata, definition), ...(definition.validate?.(draft) ?? [])]);
    options.warnings?.push(...(definition.warn?.(draft) ?? []));
    const collection = this.collection(definition);
    const key = keyOf(draft);
    const existing = collection.get(key);
    if (existing !== undefined) throw alreadyExists(definition, existing);
    return options.isDryRun === true ? (draft as unknown as KubeObject) : this.store.put(collection, key, draft);
  }

  /** Gives a new object all that a new object has. */
  #initialize(draft: Draft, definition: ResourceDefinition): void {
    const { metadata } = draft;
    metadata.uid = randomUid(this.#random);
    metadata.creationTimestamp = timestamp(this.clock.now());
    delete metadata.deletionTimestamp;
    delete metadata.deletionGracePeriodSeconds;
    delete metadata.selfLink;
    delete metadata.resourceVersion;
    if (definition.hasGeneration) metadata.generation = 1;
    if (definition.hasStatus && definition.keepsStatusOnCreate !== true) delete draft.status;
    definition.setDefaults?.(draft);
    this.#admit(draft, definition, undefined);
    definition.prepareCreate?.(draft);
  }

  /** Takes a saved object back as it was; what it lacks it gets. */
  #restore(draft: Draft, definition: ResourceDefinition): void {
    const { metadata, status } = structuredClone({ metadata: draft.metadata, status: draft.status });
    this.#initialize(draft, definition);
    const { uid, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
    const kept = { uid, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds };
    Object.assign(draft.metadata, Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)));
    if (definition.keepsStatusOnCreate !== true && Object.keys(status ?? {}).length > 0) draft.status = status;
  }

  /** Replaces an object; with `subresource: "status"` only its status. */
  update(address: Address, body: unknown, options: WriteOptions = none): KubeObject {
    const { definition } = address;
    const draft = toStored(decodeSent(body, definition, options), definition);
    checkName(draft, address);
    const old = this.find(address);
    if (old === undefined) {
      if (definition.canCreateByUpdate !== true || options.subresource !== undefined)
        throw notFound(definition, address.name);
      return this.#insert(draft, definition, options);
    }
    return this.#replace(address, { draft, old }, options);
  }

  /** Computes the new object from the one that is there. Throws a DecodeError for what is no such object. */
  patch(address: Address, change: (current: KubeObject) => JsonObject, options: WriteOptions = none): KubeObject {
    const { definition } = address;
    const old = this.get(address);
    const draft = toStored(decodeObject(change(viewOf(old, definition)), definition, options), definition);
    checkName(draft, address);
    checkUid(draft, old, definition);
    return this.#replace(address, { draft, old }, options);
  }

  /** Like `patch`, for a change that says who owns what, and that makes an object where there is none. */
  apply(
    address: Address,
    change: (live: KubeObject | undefined) => JsonObject,
    options: WriteOptions = none,
  ): KubeObject {
    const { definition, name } = address;
    if (options.subresource !== undefined || this.find(address) !== undefined) {
      return this.patch(address, change, { ...options, isApply: true });
    }
    const draft = toStored(decodeObject(change(undefined), definition, options), definition);
    const { uid } = draft.metadata;
    if (uid !== undefined) {
      const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
      throw conflict(definition, name, why);
    }
    checkName(draft, address);
    return this.#insert(draft, definition, options);
  }

  #replace(address: Address, { draft, old }: { draft: Draft; old: KubeObject }, options: WriteOptions): KubeObject {
    const { definition } = address;
    const { metadata } = draft;
    checkVersion(address, draft, old);
    keepSystemFields(draft, old);
    dropRepeatedOwners(draft, options);
    const isWhole = options.subresource === undefined;
    // Before parts of the old object become parts of the draft: what is stored is never changed.
    definition.setDefaults?.(draft);
    if (options.subresource === "status") keepAllButStatus(draft, old, definition);
    else if (options.subresource !== "binding" && definition.hasStatus) keepStatus(draft, old);
    if (isWhole) this.#admit(draft, definition, old);
    if (isWhole) definition.prepareUpdate?.(draft, old);
    else if (options.subresource === "status") definition.prepareStatus?.(draft, old);
    if (options.isApply !== true) this.#keepOwners(draft, old, { definition, options });
    if (definition.hasGeneration && isWhole && isSpecChanged(draft, old, definition)) {
      metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
    refuse(draft, definition, updateErrors(draft, old, { definition, subresource: options.subresource }));
    if (isWhole) options.warnings?.push(...(definition.warn?.(draft) ?? []));
    if (isUnchanged(draft, old)) return old;
    if (options.isDryRun === true) return draft as unknown as KubeObject;
    const collection = this.collection(definition);
    // Whoever removes the last finalizer deletes the object, which then is gone as it was before that.
    if (isFinished(draft)) {
      this.store.remove(collection, keyOf(draft));
      return draft as unknown as KubeObject;
    }
    return this.store.put(collection, keyOf(draft), draft);
  }

  /** On objects that somebody has applied server-side, a write by other means takes over the fields that it changes. */
  #keepOwners(draft: Draft, old: KubeObject, by: { definition: ResourceDefinition; options: WriteOptions }): void {
    const { definition, options } = by;
    const [reset, ...others] = draft.metadata.managedFields ?? [];
    delete draft.metadata.managedFields;
    const isReset = reset !== undefined && others.length === 0 && Object.keys(reset).length === 0;
    const entries = old.metadata.managedFields;
    if (entries === undefined || isReset) return;
    const { subresource } = options;
    const tracked = trackUpdate(
      entries,
      { before: old, after: draft },
      {
        manager: options.manager ?? "unknown",
        schema: ownershipSchemaOf(definition),
        now: timestamp(this.clock.now()),
        apiVersion: apiVersionOf(definition),
        hasStatus: definition.hasStatus,
        ...(subresource === undefined ? {} : { subresource }),
      },
    );
    if (tracked.length > 0) draft.metadata.managedFields = tracked;
  }

  /** Deletes an object, or marks it for deletion where somebody has to finish something first. */
  delete(address: Address, options: DeleteOptions = {}): { readonly object: KubeObject; readonly isGone: boolean } {
    const { definition } = address;
    const old = this.get(address);
    checkPreconditions(old, definition, options);
    const refusal = definition.refuseDelete?.(old);
    if (refusal !== undefined) throw forbidden(definition, old.metadata.name, refusal);
    const { marked, isLast } = deletionStep(old, { definition, options, now: this.clock.now() });
    const collection = this.collection(definition);
    const key = keyOf(old);
    let object = old;
    if (marked !== undefined && !isUnchanged(marked, old)) {
      object = options.isDryRun === true ? (marked as unknown as KubeObject) : this.store.put(collection, key, marked);
    }
    if (isLast && options.isDryRun !== true) object = this.store.remove(collection, key) ?? object;
    return { object, isGone: isLast };
  }

  #requireNamespace({ metadata }: Draft, definition: ResourceDefinition): void {
    if (!definition.isNamespaced || metadata.namespace === undefined) return;
    const namespace = this.store.collection("namespaces").get(metadata.namespace);
    if (namespace === undefined) throw notFound(namespaces, metadata.namespace);
    if (namespace.metadata.deletionTimestamp !== undefined) {
      throw namespaceTerminating(definition, metadata.name ?? "", metadata.namespace);
    }
  }
}

function refuse(draft: Draft, definition: ResourceDefinition, errors: readonly FieldError[]): void {
  const { kind, group, storedAs } = definition;
  if (errors.length > 0) throw invalid({ kind, group: storedAs?.group ?? group }, draft.metadata.name ?? "", errors);
}

function isSpecChanged(draft: Draft, old: KubeObject, definition: ResourceDefinition): boolean {
  if (definition.countsAnnotations === true && !areEqual(draft.metadata.annotations, old.metadata.annotations))
    return true;
  const fields = new Set([...Object.keys(draft), ...Object.keys(old)]);
  fields.delete("metadata");
  if (definition.hasStatus) fields.delete("status");
  return [...fields].some((field) => !areEqual(draft[field], old[field]));
}

/** Writing what is there already makes no new version. */
function isUnchanged(draft: Draft, old: KubeObject): boolean {
  draft.metadata.resourceVersion = old.metadata.resourceVersion;
  return areEqual(draft, old);
}
