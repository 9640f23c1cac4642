import { Observer } from "../../src/controllers/observer/observer.ts";
import { customResourceDefinitions } from "../../src/core/api/definitions/custom-resource-definitions.ts";
import { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import { InProcessTransport } from "../../src/embedded/server/in-process-transport.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import type { CloudProvider, NodeClassKind } from "../../src/ports/cloud-provider.ts";
import { KubeClient } from "../../src/runtime/kube-client.ts";
import { loadObjects } from "./load-objects.ts";
import { RecordingTelemetry } from "./recording-telemetry.ts";

export const kwokNodeClass: NodeClassKind = {
  group: "karpenter.kwok.sh",
  version: "v1alpha1",
  kind: "KWOKNodeClass",
  plural: "kwoknodeclasses",
};

/** Sells nothing; a test overrides what it needs. */
export const noCloud: CloudProvider = {
  name: "test",
  nodeClassKinds: [kwokNodeClass],
  wellKnownLabels: new Set(),
  restrictedLabelDomains: new Set(),
  repairPolicies: [],
  instanceTypes: async () => [],
  launch: async () => ({ kind: "insufficient-capacity", message: "nothing is for sale" }),
  terminate: async () => "gone",
  find: async () => undefined,
  list: async () => [],
  driftReason: async () => "",
};

interface Controller {
  start(): void;
  stop(): Promise<void>;
}

/** An embedded cluster under virtual time with our CRDs, what an observer sees of it, and controllers to try on it. */
export class ControllerBench {
  readonly clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
  readonly embedded = new EmbeddedCluster({ clock: this.clock, seed: 1 });
  readonly transport = this.embedded.transport;
  readonly cluster = new ClusterState();
  readonly telemetry = new RecordingTelemetry();
  readonly random = this.embedded.random;
  readonly observer = new Observer(this.cluster, {
    transport: this.transport,
    clock: this.clock,
    random: this.random,
    log: this.telemetry.log,
    nodeClassKinds: [kwokNodeClass],
    needsSelectors: false,
  });
  readonly kube = new KubeClient({
    transport: this.transport,
    onWritten: (resource, object) => this.observer.apply(resource, object),
  });
  /** Somebody whose requests never suffer from faults. */
  readonly user = new KubeClient({
    transport: new InProcessTransport(async (request) => ({ answer: this.embedded.server.handle(request) })),
  });
  readonly #controllers: Controller[] = [];

  constructor() {
    this.load(...(customResourceDefinitions as object[]));
  }

  /** Brings objects into the cluster, with the statuses that they have. */
  load(...objects: object[]): void {
    loadObjects(this.embedded, objects);
  }

  /** Follows the cluster; controllers started later find in their view all that is there now. */
  async observe(): Promise<void> {
    this.observer.start();
    while (!this.observer.isSynced) await this.clock.advance(10);
  }

  run<T extends Controller>(controller: T): T {
    this.#controllers.push(controller);
    controller.start();
    return controller;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#controllers.map((controller) => controller.stop()));
    this.observer.stop();
    this.embedded.stop();
  }
}
