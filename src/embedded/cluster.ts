import type { Clock } from "../ports/clock.ts";
import type { KubeTransport } from "../ports/kube-transport.ts";
import { notFound } from "./api/api-error.ts";
import { ApiServer } from "./api/api-server.ts";
import { ObjectApi } from "./api/object-api.ts";
import { ResourceRegistry } from "./api/resource-registry.ts";
import type { Serve } from "./faults/exchange.ts";
import { builtInResources } from "./kinds/built-in-resources.ts";
import { type Random, seededRandom } from "./seeded-random.ts";
import { InProcessTransport } from "./server/in-process-transport.ts";
import { ObjectStore } from "./storage/object-store.ts";

export interface ClusterOptions {
  readonly clock: Clock;
  /** Decides names, uids, ties and faults: the same seed and the same requests give the same history. */
  readonly seed: number;
  /** How many past changes of each resource a watch can start from. */
  readonly keptEvents?: number;
}

const systemNamespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** A whole cluster in this process. */
export class EmbeddedCluster {
  readonly clock: Clock;
  readonly api: ObjectApi;
  readonly server: ApiServer;
  readonly random: Random;
  readonly transport: KubeTransport;

  constructor({ clock, seed, keptEvents = 4096 }: ClusterOptions) {
    this.clock = clock;
    this.random = seededRandom(seed);
    const store = new ObjectStore(keptEvents);
    const registry = new ResourceRegistry(builtInResources);
    this.api = new ObjectApi({ store, registry, clock, random: this.random, admit: () => {} });
    this.server = new ApiServer({
      api: this.api,
      clock,
      readLog: (pod) => {
        throw notFound({ group: "", plural: "pods" }, pod.name);
      },
      watchDelay: () => 0,
    });
    this.transport = new InProcessTransport(this.serve);
    this.#createNamespaces();
  }

  readonly serve: Serve = async (request) => ({ answer: this.server.handle(request) });

  #createNamespaces(): void {
    const definition = this.api.registry.find("", "v1", "namespaces");
    if (definition === undefined) throw new Error("The registry has no namespaces");
    for (const name of systemNamespaces)
      this.api.create(definition, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
}
