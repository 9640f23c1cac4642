import { firstProvisioners, nodeTemplates, provisioners } from "../../core/api/karpenter-resources.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KubeTransport } from "../../ports/kube-transport.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { KubeAnswer, KubeClient } from "../../runtime/kube-client.ts";
import type { KubeObject, KubeResource } from "../../runtime/kube-object.ts";
import { outcomeOf, type StatusWrite } from "../../runtime/patch-status.ts";
import { ListRefused, Reflector } from "../../runtime/reflector.ts";

export interface LegacyObjectsOptions {
  readonly transport: KubeTransport;
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly telemetry: Telemetry;
  /** Told of every object that comes, changes or goes. */
  readonly onChange: (collection: LegacyCollection, key: string) => void;
}

/** Objects of one old kind. */
export interface LegacyCollection {
  readonly resource: KubeResource;
  readonly objects: ReadonlyMap<string, KubeObject>;
  /** Whether all that there are have been seen; none of a kind that the cluster does not know. */
  readonly isKnown: boolean;
  /** What is written is in `objects` at once. */
  writeStatus(object: KubeObject, status: object): Promise<StatusWrite>;
  /** Only of Provisioners in a namespace: others need none. */
  writeFinalizers(object: KubeObject, finalizers: readonly string[]): Promise<StatusWrite>;
}

/** Follows the old kinds, as far as the cluster has them. Nobody need have any of them. */
export class LegacyObjects {
  readonly provisioners: LegacyCollection;
  readonly firstProvisioners: LegacyCollection;
  readonly nodeTemplates: LegacyCollection;
  readonly #options: LegacyObjectsOptions;
  readonly #reflectors: Reflector[] = [];

  constructor(options: LegacyObjectsOptions) {
    this.#options = options;
    this.provisioners = this.#follow(provisioners);
    this.firstProvisioners = this.#follow(firstProvisioners);
    this.nodeTemplates = this.#follow(nodeTemplates);
  }

  start(): void {
    for (const reflector of this.#reflectors) reflector.start();
  }

  stop(): void {
    for (const reflector of this.#reflectors) reflector.stop();
  }

  #follow(resource: KubeResource): LegacyCollection {
    const { transport, kube, clock, random, telemetry, onChange } = this.#options;
    const objects = new Map<string, KubeObject>();
    let isAbsent = false;
    const reflector = new Reflector({
      transport,
      resource,
      clock,
      random,
      sink: {
        put: (key, object) => {
          objects.set(key, object);
          onChange(collection, key);
        },
        remove: (key) => {
          objects.delete(key);
          onChange(collection, key);
        },
      },
      // It asks again, ever more slowly: who has none of these objects is not to hear of it.
      onError: (error) => {
        isAbsent = error.cause instanceof ListRefused && error.cause.status === 404;
        if (!isAbsent) telemetry.log.error(error.message, { controller: "legacy.provisioner", error });
      },
      onSynced: () => {
        isAbsent = false;
      },
    });
    this.#reflectors.push(reflector);
    const take = (answer: KubeAnswer, act: string): StatusWrite => {
      if (answer.ok) reflector.apply(answer.object);
      return outcomeOf(answer, `${act} of ${resource.kind}`);
    };
    const collection: LegacyCollection = {
      resource,
      objects,
      get isKnown() {
        return isAbsent || reflector.isSynced;
      },
      writeStatus: async (object, status) => {
        const body = { metadata: { resourceVersion: object.metadata.resourceVersion }, status };
        return take(
          await kube.patch(resource, { ...placeOf(object), subresource: "status" }, { body }),
          "write the status",
        );
      },
      writeFinalizers: async (object, finalizers) => {
        const body = { metadata: { resourceVersion: object.metadata.resourceVersion, finalizers } };
        return take(await kube.patch(firstProvisioners, placeOf(object), { body }), "write the finalizers");
      },
    };
    return collection;
  }
}

function placeOf({ metadata: { name = "", namespace } }: KubeObject): { name: string; namespace?: string } {
  return namespace === undefined ? { name } : { name, namespace };
}
