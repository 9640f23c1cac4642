import { InProcessPlanner } from "../../src/adapters/planner/in-process-planner.ts";
import { customResourceDefinitions } from "../../src/core/api/definitions/custom-resource-definitions.ts";
import type { JsonObject } from "../../src/core/api/schema/json.ts";
import { seededRandom } from "../../src/core/model/seeded-random.ts";
import { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import type { KubeObject } from "../../src/embedded/kube-object.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { Controller, type ControllerSettings } from "../../src/operator/controller.ts";
import type { KubeRequest } from "../../src/ports/kube-transport.ts";
import { loadObjects } from "./load-objects.ts";
import { Market } from "./market.ts";
import { MortalProcess, type Sent } from "./mortal-process.ts";
import { RecordingTelemetry } from "./recording-telemetry.ts";

export interface WholeControllerOptions {
  readonly seed?: number;
  readonly settings?: Partial<ControllerSettings>;
  /** How fast the cluster creates the pods of ReplicaSets; all at once, where absent. */
  readonly podsPerSecond?: number;
  /** Another one, on whose cluster this one runs too. */
  readonly beside?: WholeController;
}

export const lease = { namespace: "kube-system", name: "karpenter-leader-election" };

const defaults: ControllerSettings = {
  batchIdleMilliseconds: 1_000,
  batchMaxMilliseconds: 10_000,
  preferencePolicy: "Respect",
  minValuesPolicy: "Strict",
  defaultSpread: [],
  placementPolicy: "Suggest",
  lookAhead: "Workloads",
  lookAheadMaxPods: 5_000,
  isStaticCapacityEnabled: true,
  isNodeRepairEnabled: true,
  nodeRepairMaxUnhealthyPercent: 20,
  nodeRepairAfter: new Map(),
  isObservable: true,
  isSpotToSpotEnabled: false,
  mostPodMovesPercentPerHour: 100,
};

/** All of the controller on an embedded cluster under virtual time, in a process that can be killed. */
export class WholeController {
  readonly clock: VirtualClock;
  readonly cluster: EmbeddedCluster;
  readonly market: Market;
  /** Of all processes, one after the other. */
  readonly telemetry = new RecordingTelemetry();
  /** Everything that was asked of the API, without watches. */
  readonly sent: Sent[] = [];
  readonly #options: WholeControllerOptions;
  readonly #random: () => number;
  #process: MortalProcess | undefined;
  #controller: Controller | undefined;
  /** Uids of what was deleted through {@link delete}. */
  readonly deletedByHand = new Set<string>();
  /** Uids of what {@link release} let go. */
  readonly released = new Set<string>();
  /** Stands between every process and the API, see {@link MortalProcess.tamper}. */
  tamper: MortalProcess["tamper"] = (request) => request;
  /** How many processes there have been. */
  starts = 0;

  constructor(options: WholeControllerOptions = {}) {
    const { seed = 1, beside, podsPerSecond } = options;
    this.#options = options;
    this.#random = seededRandom(seed ^ 0xc0de);
    this.clock = beside?.clock ?? new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
    this.market = beside?.market ?? new Market();
    this.cluster = beside?.cluster ?? new EmbeddedCluster({ clock: this.clock, seed, podsPerSecond });
    if (beside === undefined) this.load(...(customResourceDefinitions as object[]));
  }

  get controller(): Controller {
    if (this.#controller === undefined) throw new Error("The controller does not run");
    return this.#controller;
  }

  get isRunning(): boolean {
    return this.#process?.isAlive === true;
  }

  /** Requests of the process that are under way. */
  get unanswered(): readonly KubeRequest[] {
    return [...(this.#process?.unanswered ?? [])];
  }

  /** Brings objects into the cluster with the statuses that they have, as `loadManifests` does, without the text. */
  load(...objects: readonly object[]): void {
    loadObjects(this.cluster, objects);
  }

  start(): void {
    this.starts++;
    const { settings, beside } = this.#options;
    const { cluster, telemetry } = this;
    const process = new MortalProcess(this.clock, cluster.transport);
    const { clock, transport } = process;
    process.onSent = (sent) => this.sent.push(sent);
    process.tamper = (request) => this.tamper(request);
    this.#process = process;
    const random = this.#random;
    const cloud = this.market.open({ clock, random, log: telemetry.log });
    this.#controller = new Controller({
      transport,
      leaderTransport: transport,
      clock,
      random,
      telemetry,
      planner: new InProcessPlanner(),
      cloud,
      settings: { ...defaults, ...settings },
      lease: { ...lease, identity: `process-${beside === undefined ? "a" : "b"}${this.starts}` },
    });
    this.#controller.start();
  }

  /** The process is gone at this very moment. */
  crash(): void {
    this.#process?.kill();
    this.#controller = undefined;
  }

  /** The process is gone as soon as the API has carried out its n-th write from now on, and before it learns of it. */
  crashAfterWrites(count: number): void {
    this.#process?.killAfterWrites(count);
  }

  /** The streams that the process follows end at once. */
  breakWatches(): void {
    this.#process?.breakWatches();
  }

  /** The next process starts where there is none. */
  restart(): void {
    this.crash();
    this.start();
  }

  async stop(): Promise<void> {
    if (this.isRunning && this.#controller !== undefined) {
      this.cluster.faults.stop();
      let isStopped = false;
      const stopping = this.#controller.stop().then(() => {
        isStopped = true;
      });
      if (!(await this.clock.advanceUntil(() => isStopped, 120_000))) throw new Error("The controller does not stop");
      await stopping;
      this.#process?.kill();
    }
    if (this.#options.beside === undefined) this.cluster.stop();
  }

  /** As the API server holds them, whatever faults there are. */
  list(apiVersion: string, kind: string): readonly KubeObject[] {
    const { api } = this.cluster;
    const definition = api.registry.ofKind(apiVersion, kind);
    if (definition === undefined) throw new Error(`Nothing serves ${kind}`);
    return [...api.collection(definition).list()];
  }

  /** Changes an object as somebody with kubectl would, past all faults. */
  change(object: Reference, change: (current: JsonObject) => JsonObject): void {
    this.cluster.api.patch(this.#address(object), (current) => change(current as JsonObject) as never);
  }

  changeStatus(object: Reference, status: object): void {
    const change = (current: KubeObject): JsonObject => ({ ...current, status }) as unknown as JsonObject;
    this.cluster.api.patch(this.#address(object), change, { subresource: "status" });
  }

  /** Deletes an object as somebody with kubectl would; one that is gone already is fine. */
  delete(object: Reference): void {
    const address = this.#address(object);
    const found = this.cluster.api.find(address);
    if (found === undefined) return;
    this.deletedByHand.add(found.metadata.uid);
    this.cluster.api.delete(address);
  }

  /** Takes all finalizers off an object, so that nothing holds it any more. */
  release(object: Reference): void {
    const found = this.cluster.api.find(this.#address(object));
    if (found === undefined) return;
    this.released.add(found.metadata.uid);
    this.change(object, (current) => ({
      ...current,
      metadata: { ...(current.metadata as JsonObject), finalizers: [] },
    }));
  }

  #address({ apiVersion, kind, metadata: { name, namespace } }: Reference) {
    const definition = this.cluster.api.registry.ofKind(apiVersion, kind);
    if (definition === undefined) throw new Error(`Nothing serves ${kind}`);
    return { definition, name, ...(definition.isNamespaced ? { namespace: namespace ?? "default" } : {}) };
  }
}

export interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}
