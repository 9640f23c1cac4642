import type { FieldError } from "../../core/api/field-error.ts";
import type { Clock } from "../../ports/clock.ts";
import { jsonEqual } from "../json-equal.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { Draft, JsonObject, KubeObject } from "../kube-object.ts";
import { type Random, randomSuffix, randomUid } from "../seeded-random.ts";
import { type Collection, keyOf } from "../storage/collection.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { timestamp } from "../timestamp.ts";
import {
  ApiError,
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  invalid,
  notFound,
  qualified,
  staleVersion,
} from "./api-error.ts";
import { decodeObject } from "./decode-object.ts";
import { finalizersFor, graceFor } from "./deletion.ts";
import { ownershipSchemaOf } from "./patch/ownership-schema.ts";
import { trackUpdate } from "./patch/server-side-apply.ts";
import { apiVersionOf, type ResourceRegistry } from "./resource-registry.ts";
import { toStored, viewOf } from "./stored-view.ts";
import { validateMetadata, validateMetadataUpdate } from "./validate-metadata.ts";
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

  find({ definition, namespace, name }: Address): KubeObject | undefined {
    return this.collection(definition).get(namespace === undefined ? name : `${namespace}/${name}`);
  }

  get(address: Address): KubeObject {
    const object = this.find(address);
    if (object === undefined) throw notFound(address.definition, address.name);
    return object;
  }

  create(definition: ResourceDefinition, body: unknown, at: WriteOptions & { namespace?: string } = none): KubeObject {
    const draft = toStored(decodeObject(body, definition, at), definition);
    this.#place(draft, definition, at.namespace);
    return this.#insert(draft, definition, at);
  }

  #insert(draft: Draft, definition: ResourceDefinition, options: WriteOptions): KubeObject {
    const { metadata } = draft;
    if (metadata.resourceVersion !== undefined)
      throw new ApiError(500, "", "resourceVersion should not be set on objects to be created");
    this.#requireNamespace(draft, definition);
    if (metadata.name === undefined && metadata.generateName !== undefined) {
      metadata.name = `${metadata.generateName.slice(0, 58)}${randomSuffix(this.#random)}`;
    }
    if (options.isRestored === true) this.#restore(draft, definition);
    else this.#initialize(draft, definition);
    options.warnings?.push(...(definition.warn?.(draft) ?? []));
    refuse(draft, definition, [...validateMetadata(metadata, definition), ...(definition.validate?.(draft) ?? [])]);
    const collection = this.collection(definition);
    const key = keyOf(draft);
    if (collection.get(key) !== undefined) throw alreadyExists(definition, metadata.name ?? "");
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
    if (definition.hasGeneration) metadata.generation = 1;
    if (definition.hasStatus && definition.keepsStatusOnCreate !== true) delete draft.status;
    definition.setDefaults?.(draft);
    this.#admit(draft, definition, undefined);
    definition.prepareCreate?.(draft);
  }

  /** Takes a saved object back as it was; what it lacks it gets. */
  #restore(draft: Draft, definition: ResourceDefinition): void {
    const { metadata, status } = structuredClone(draft);
    this.#initialize(draft, definition);
    const { uid, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
    const kept = { uid, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds };
    Object.assign(draft.metadata, Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)));
    if (Object.keys(status ?? {}).length > 0) draft.status = status;
  }

  /** Replaces an object; with `subresource: "status"` only its status. */
  update(address: Address, body: unknown, options: WriteOptions = none): KubeObject {
    const { definition } = address;
    const draft = toStored(decodeObject(body, definition, options), definition);
    this.#place(draft, definition, address.namespace);
    checkName(draft, address);
    const old = this.find(address);
    if (old === undefined) {
      if (definition.canCreateByUpdate !== true || options.subresource !== undefined)
        throw notFound(definition, address.name);
      return this.#insert(draft, definition, options);
    }
    return this.#replace(address, { draft, old }, options);
  }

  /** Computes the new object from the one that is there. */
  patch(address: Address, change: (current: KubeObject) => JsonObject, options: WriteOptions = none): KubeObject {
    const old = this.get(address);
    const body = change(viewOf(old, address.definition));
    const draft = toStored(decodeObject(body, address.definition, options), address.definition);
    this.#place(draft, address.definition, address.namespace);
    checkName(draft, address);
    if (draft.metadata.uid !== undefined && draft.metadata.uid !== old.metadata.uid) {
      const error = {
        type: "invalid",
        field: "metadata.uid",
        value: JSON.stringify(draft.metadata.uid),
        detail: "field is immutable",
      } as const;
      throw invalid(address.definition, address.name, [error, error]);
    }
    return this.#replace(address, { draft, old }, options);
  }

  #replace(address: Address, { draft, old }: { draft: Draft; old: KubeObject }, options: WriteOptions): KubeObject {
    const { definition, name } = address;
    const { metadata } = draft;
    this.#checkVersion(address, draft, old);
    carryOver(draft, old);
    if (options.isApply !== true) this.#keepOwners(draft, old, { definition, manager: options.manager ?? "unknown" });
    if (options.subresource === "status") keepAllButStatus(draft, old, definition);
    else if (options.subresource === undefined && definition.hasStatus) keepStatus(draft, old);
    definition.setDefaults?.(draft);
    this.#admit(draft, definition, old);
    if (options.subresource === "status") definition.prepareStatus?.(draft, old);
    else definition.prepareUpdate?.(draft, old);
    const hasSpecChanged = definition.hasGeneration && isSpecChanged(draft, old, definition);
    if (hasSpecChanged) metadata.generation = (old.metadata.generation ?? 0) + 1;
    options.warnings?.push(...(definition.warn?.(draft) ?? []));
    refuse(draft, definition, this.#updateErrors(draft, old, { definition, subresource: options.subresource }));
    if (isUnchanged(draft, old)) return old;
    if (options.isDryRun === true) return draft as unknown as KubeObject;
    const collection = this.collection(definition);
    const stored = this.store.put(collection, keyOf(draft), draft);
    if (isFinished(stored)) return this.store.remove(collection, keyOf(stored)) ?? stored;
    return stored;
  }

  /** Whether the writer knows the object that is there. */
  #checkVersion({ definition, name }: Address, { metadata }: Draft, old: KubeObject): void {
    const { uid, resourceVersion } = metadata;
    if (uid !== undefined && uid !== old.metadata.uid) {
      const what = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`;
      const key = storageKey(definition, old);
      throw conflict(
        definition,
        name,
        `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${what}`,
      );
    }
    if (resourceVersion === undefined || resourceVersion === "0") {
      if (definition.requiresVersion !== true) return;
      throw invalid(definition, name, [
        { type: "invalid", field: "metadata.resourceVersion", value: "0", detail: "must be specified for an update" },
      ]);
    }
    if (!/^\d+$/.test(resourceVersion)) {
      throw new ApiError(500, "", `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
    }
    if (resourceVersion !== old.metadata.resourceVersion) throw conflict(definition, name, staleVersion);
  }

  /** On objects that somebody has applied server-side, a write by other means takes over the fields that it changes. */
  #keepOwners(draft: Draft, old: KubeObject, by: { definition: ResourceDefinition; manager: string }): void {
    const { definition, manager } = by;
    delete draft.metadata.managedFields;
    if (old.metadata.managedFields === undefined) return;
    const schema = ownershipSchemaOf(definition);
    const apiVersion = apiVersionOf(definition);
    const update = { manager, isForced: true, schema, now: timestamp(this.clock.now()), apiVersion };
    const entries = trackUpdate(old, draft, update);
    if (entries !== undefined) draft.metadata.managedFields = entries;
  }

  #updateErrors(
    draft: Draft,
    old: KubeObject,
    of: { definition: ResourceDefinition; subresource: string | undefined },
  ): FieldError[] {
    const metadataErrors = [
      ...validateMetadata(draft.metadata, of.definition),
      ...validateMetadataUpdate(draft.metadata, old.metadata as Draft["metadata"]),
    ];
    // What a binding changes, nobody else may.
    if (of.subresource === "binding") return metadataErrors;
    if (of.subresource === "status") return [...metadataErrors, ...(of.definition.validateStatus?.(draft, old) ?? [])];
    return [
      ...metadataErrors,
      ...(of.definition.validateUpdate?.(draft, old) ?? of.definition.validate?.(draft) ?? []),
    ];
  }

  /** Deletes an object, or marks it for deletion where somebody has to finish something first. */
  delete(address: Address, options: DeleteOptions = {}): { readonly object: KubeObject; readonly isGone: boolean } {
    const { definition, name } = address;
    const old = this.get(address);
    const { uid, resourceVersion } = options.preconditions ?? {};
    if (uid !== undefined && uid !== old.metadata.uid) {
      throw conflict(
        definition,
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
      );
    }
    if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
      throw conflict(
        definition,
        name,
        `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${old.metadata.resourceVersion}`,
      );
    }
    const grace = graceFor(definition, old, options);
    const finalizers = finalizersFor(old, options);
    const draft = marked(old, { grace, finalizers, now: this.clock.now() }) as unknown as Draft;
    definition.prepareDelete?.(draft);
    const mustWait = !isFinished(draft as unknown as KubeObject);
    const collection = this.collection(definition);
    if (options.isDryRun === true)
      return { object: mustWait ? (draft as unknown as KubeObject) : old, isGone: !mustWait };
    if (!mustWait) return { object: this.store.remove(collection, keyOf(old)) ?? old, isGone: true };
    if (isUnchanged(draft, old)) return { object: old, isGone: false };
    return { object: this.store.put(collection, keyOf(old), draft), isGone: false };
  }

  /** The namespace of the path is the namespace of the object. */
  #place(draft: Draft, definition: ResourceDefinition, namespace: string | undefined): void {
    if (!definition.isNamespaced || namespace === undefined) {
      if (draft.metadata.namespace === "") delete draft.metadata.namespace;
      return;
    }
    if (draft.metadata.namespace === undefined || draft.metadata.namespace === "") draft.metadata.namespace = namespace;
    if (draft.metadata.namespace !== namespace) {
      throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
    }
  }

  #requireNamespace({ metadata }: Draft, definition: ResourceDefinition): void {
    if (!definition.isNamespaced || metadata.namespace === undefined) return;
    const namespace = this.store.collection("namespaces").get(metadata.namespace);
    if (namespace === undefined) throw notFound(namespaces, metadata.namespace);
    if (namespace.metadata.deletionTimestamp !== undefined) {
      const why = `unable to create new content in namespace ${metadata.namespace} because it is being terminated`;
      const refusal = forbidden(definition, metadata.name ?? "", why);
      throw Object.assign(refusal, {
        details: {
          ...refusal.details,
          causes: [
            {
              reason: "NamespaceTerminating",
              message: `namespace ${metadata.namespace} is being terminated`,
              field: "metadata.namespace",
            },
          ],
        },
      });
    }
  }
}

/** Where etcd would keep the object, which some messages tell. */
function storageKey({ group, plural, typeName }: ResourceDefinition, object: KubeObject): string {
  const folder = typeName === undefined ? `${group}/${plural}` : plural === "nodes" ? "minions" : plural;
  return `/registry/${folder}/${keyOf(object)}`;
}

function checkName({ metadata }: Draft, { name }: Address): void {
  if (metadata.name === undefined) throw badRequest("the name of the object must be provided");
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
}

function refuse(draft: Draft, definition: ResourceDefinition, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(definition, draft.metadata.name ?? "", errors);
}

/** What the system keeps, whatever a writer says. */
function carryOver({ metadata }: Draft, { metadata: old }: KubeObject): void {
  metadata.uid = old.uid;
  metadata.creationTimestamp = old.creationTimestamp;
  for (const field of ["generation", "deletionTimestamp", "deletionGracePeriodSeconds", "generateName"] as const) {
    if (old[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: old[field] });
  }
  delete metadata.selfLink;
}

function keepStatus(draft: Draft, old: KubeObject): void {
  if (old.status === undefined) delete draft.status;
  else draft.status = old.status;
}

function keepAllButStatus(draft: Draft, old: KubeObject, definition: ResourceDefinition): void {
  for (const field of new Set([...Object.keys(draft), ...Object.keys(old)])) {
    if (field === "status" || field === "metadata") continue;
    if (old[field] === undefined) delete draft[field];
    else draft[field] = old[field];
  }
  const { labels, annotations, finalizers, ownerReferences } = old.metadata;
  // The status of a custom resource never touches its metadata; that of a built-in kind may carry labels along.
  if (definition.typeName === undefined) {
    draft.metadata = { ...old.metadata } as Draft["metadata"];
    Object.assign(draft.metadata, { labels, annotations, finalizers, ownerReferences });
    for (const field of ["labels", "annotations", "finalizers", "ownerReferences"] as const) {
      if (draft.metadata[field] === undefined) delete draft.metadata[field];
    }
  }
}

function isSpecChanged(draft: Draft, old: KubeObject, definition: ResourceDefinition): boolean {
  const fields = new Set([...Object.keys(draft), ...Object.keys(old)]);
  fields.delete("metadata");
  if (definition.hasStatus) fields.delete("status");
  return [...fields].some((field) => !jsonEqual(draft[field], old[field]));
}

/** Writing what is there already makes no new version. */
function isUnchanged(draft: Draft, old: KubeObject): boolean {
  draft.metadata.resourceVersion = old.metadata.resourceVersion;
  return jsonEqual(draft, old);
}

/** Whether an object that is being deleted has nothing left to wait for. */
function isFinished({ metadata, spec }: KubeObject): boolean {
  if (metadata.deletionTimestamp === undefined || (metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  const ownFinalizers = (spec as { finalizers?: readonly string[] } | undefined)?.finalizers;
  return (metadata.finalizers ?? []).length === 0 && (!Array.isArray(ownFinalizers) || ownFinalizers.length === 0);
}

function marked(
  old: KubeObject,
  { grace, finalizers, now }: { grace: number; finalizers: readonly string[]; now: number },
): KubeObject {
  const { finalizers: _, ...metadata } = old.metadata;
  const wasMarked = old.metadata.deletionTimestamp !== undefined;
  const soonest = wasMarked ? Math.min(grace, old.metadata.deletionGracePeriodSeconds ?? 0) : grace;
  const isShortened = wasMarked && soonest < (old.metadata.deletionGracePeriodSeconds ?? 0);
  const start = wasMarked
    ? Date.parse(old.metadata.deletionTimestamp ?? "") - (old.metadata.deletionGracePeriodSeconds ?? 0) * 1000
    : now;
  return {
    ...old,
    metadata: {
      ...metadata,
      ...(finalizers.length === 0 ? {} : { finalizers: [...finalizers] }),
      deletionTimestamp: timestamp(start + soonest * 1000),
      deletionGracePeriodSeconds: soonest,
      ...(old.metadata.generation !== undefined && (!wasMarked || isShortened)
        ? { generation: old.metadata.generation + 1 }
        : {}),
    },
  };
}
