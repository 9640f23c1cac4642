import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.js";
import { areEqual, copyJson, type JsonObject } from "../../core/api/schema/json.ts";
import type { ObjectApi } from "../api/object-api.ts";
import { ControlLoop } from "../control-loop.ts";
import { statusOfDefinition } from "../custom-resources/definition-status.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import { keyOf } from "../storage/collection.ts";
import { timestamp } from "../timestamp.ts";
import { type DefinitionSource, servedDefinitions } from "./served-definition.ts";

const cleanup = "customresourcecleanup.apiextensions.k8s.io";

/** What one definition has brought. */
interface Served {
  readonly source: DefinitionSource;
  readonly resources: readonly ResourceDefinition[];
}

/** Serves what the CustomResourceDefinitions in the store define, as long as they are there. */
export class CustomResourceServer {
  readonly #api: ObjectApi;
  readonly #loop: ControlLoop;
  readonly #definitions: ResourceDefinition;
  /** By the name of the definition. */
  readonly #served = new Map<string, Served>();
  #unsubscribe: () => void = () => {};

  constructor(api: ObjectApi, onError: (key: string, error: unknown) => void) {
    this.#api = api;
    this.#definitions = api.registry.builtIn("apiextensions.k8s.io", "customresourcedefinitions");
    this.#loop = new ControlLoop({ clock: api.clock, reconcile: (name) => this.#reconcile(name), onError });
  }

  start(): void {
    const collection = this.#api.collection(this.#definitions);
    for (const { metadata } of collection.list()) this.#loop.enqueue(metadata.name);
    this.#unsubscribe = collection.subscribe(({ object }) => this.#loop.enqueue(object.metadata.name));
  }

  stop(): void {
    this.#unsubscribe();
    this.#loop.stop();
  }

  /** Serves what was loaded without waiting for time to pass. */
  settle(): void {
    for (const { metadata } of this.#api.collection(this.#definitions).list()) this.#reconcile(metadata.name);
  }

  #reconcile(name: string): void {
    const object = this.#api.find({ definition: this.#definitions, name });
    if (object === undefined) {
      this.#withdraw(name);
      return;
    }
    const definition = object as unknown as CustomResourceDefinition;
    if (object.metadata.deletionTimestamp !== undefined) {
      this.#end(object, definition);
      return;
    }
    const others = [...this.#api.collection(this.#definitions).list()] as unknown as CustomResourceDefinition[];
    const status = statusOfDefinition(definition, others, timestamp(this.#api.clock.now()));
    if (!areEqual(status, definition.status)) this.#writeStatus(name, status as unknown as JsonObject);
    const isEstablished = (status.conditions ?? []).some(
      ({ type, status: value }) => type === "Established" && value === "True",
    );
    if (isEstablished) this.#serve(name, { ...definition, status });
    else this.#withdraw(name);
  }

  #writeStatus(name: string, status: JsonObject): void {
    this.#api.patch({ definition: this.#definitions, name }, (current) => ({ ...current, status }), {
      subresource: "status",
    });
  }

  /** Does nothing while the definition says what it said before: to read a large schema takes long. */
  #serve(name: string, definition: CustomResourceDefinition): void {
    const source = { name, spec: definition.spec, acceptedNames: definition.status?.acceptedNames };
    if (areEqual(this.#served.get(name)?.source, source)) return;
    this.#withdraw(name);
    const resources = servedDefinitions(source);
    for (const resource of resources) this.#api.registry.add(resource);
    this.#served.set(name, { source, resources });
    const [resource] = resources;
    if (resource !== undefined) this.#fillIn(resource);
  }

  /** Objects from before a default was there are read with it. */
  #fillIn(resource: ResourceDefinition): void {
    const collection = this.#api.collection(resource);
    for (const object of [...collection.list()]) {
      const copy = copyJson(object) as Draft;
      resource.setDefaults?.(copy);
      if (!areEqual(copy, object)) collection.refresh(keyOf(object), copy as unknown as KubeObject);
    }
  }

  #withdraw(name: string): void {
    for (const resource of this.#served.get(name)?.resources ?? []) this.#api.registry.remove(resource);
    this.#served.delete(name);
  }

  /** Objects go with their definition, each in its own time; then the definition goes. */
  #end(object: KubeObject, definition: CustomResourceDefinition): void {
    const { name } = object.metadata;
    this.#serve(name, definition);
    const [resource] = this.#served.get(name)?.resources ?? [];
    if (resource !== undefined) {
      const collection = this.#api.collection(resource);
      for (const { metadata } of [...collection.list()]) {
        const namespace = metadata.namespace === undefined ? {} : { namespace: metadata.namespace };
        if (metadata.deletionTimestamp === undefined)
          this.#api.delete({ definition: resource, name: metadata.name, ...namespace });
      }
      if (collection.size > 0) {
        this.#loop.enqueue(name, 1000);
        return;
      }
    }
    this.#withdraw(name);
    this.#api.patch({ definition: this.#definitions, name }, (current) => ({
      ...current,
      metadata: {
        ...current.metadata,
        finalizers: (current.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanup),
      },
    }));
  }
}

/** A definition that is being deleted waits for its objects. */
export function holdForCleanup(metadata: { finalizers?: string[] }): void {
  metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), cleanup])];
}
