import type { Event } from "kubernetes-types/core/v1.js";
import { createLog, type OpenLog } from "../../adapters/telemetry/create-log.ts";
import { createMetrics } from "../../adapters/telemetry/create-metrics.ts";
import { simulationDefinitions } from "../../core/api/definitions/custom-resource-definitions.ts";
import { seededRandom } from "../../core/model/seeded-random.ts";
import { EmbeddedCluster } from "../../embedded/cluster.ts";
import type { LogBuffer } from "../../embedded/logs/log-buffer.ts";
import { loadManifests } from "../../embedded/manifests.ts";
import { openKwok } from "../../operator/clouds.ts";
import { Controller } from "../../operator/controller.ts";
import { readSettings } from "../../operator/settings/read-settings.ts";
import type { Settings } from "../../operator/settings/settings-table.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Planner } from "../../ports/planner.ts";
import { EventRecorder } from "../../runtime/event-recorder.ts";
import { addUp, lookAtNodes, lookAtPools } from "../nodes/look-at-cluster.ts";
import type { View } from "./draw-frame.ts";
import { lookAtStaying } from "./look-at-staying.ts";
import { lookAtWaiting } from "./look-at-waiting.ts";
import { isOwnPod, ownObjects } from "./own-objects.ts";
import { readEvent } from "./read-event.ts";
import { readLogLine } from "./read-log-line.ts";
import type { Telling } from "./telling.ts";
import { Tellings } from "./tellings.ts";

export interface EmbeddedKarpenterOptions {
  readonly clock: Clock;
  readonly seed: number;
  readonly planner: Planner;
  /** The name of a catalogue that is built in, or the path of one's own. */
  readonly instanceTypes: string;
  /** Tells the lease who leads. */
  readonly identity: string;
  /** Told every happening as it comes. */
  readonly onTelling?: (telling: Telling) => void;
}

/** Milliseconds until the kubelet of a node is up. */
const startupDelay = 3_000;

/** A cluster in this process, the controller on it, and what people should know of both. */
export class EmbeddedKarpenter {
  readonly cluster: EmbeddedCluster;
  readonly controller: Controller;
  readonly #clock: Clock;
  readonly #tellings: Tellings;
  /** The planner's last words on pods that got no node, by `namespace/name`. */
  readonly #refusals = new Map<string, string>();
  readonly #buffer: LogBuffer;
  readonly #log: OpenLog;
  readonly #events: EventRecorder;

  constructor(options: EmbeddedKarpenterOptions) {
    const { clock, seed, planner } = options;
    this.#clock = clock;
    this.#tellings = new Tellings(options.onTelling);
    this.cluster = new EmbeddedCluster({
      clock,
      seed,
      kubelets: { startupDelay },
      onError: (error) => this.tell({ at: clock.now(), tone: "bad", text: `error in the cluster: ${String(error)}` }),
    });
    this.load([...simulationDefinitions, ...ownObjects]);
    this.#buffer = this.cluster.logs.attach(isOwnPod);
    this.#log = createLog({
      level: "info",
      outputPaths: [],
      errorOutputPaths: [],
      now: () => clock.now(),
      onLine: (line) => this.#takeLogLine(line),
    });
    const log = this.#log;
    const random = seededRandom(seed ^ 0xc0de);
    const settings = settingsWith(options.instanceTypes);
    const cloud = openKwok(settings, { clock, random, log });
    const metrics = createMetrics({ provider: cloud, includesProcess: false });
    const { transport } = this.cluster;
    this.#events = new EventRecorder({
      transport,
      clock,
      random,
      metrics,
      component: "karpenter",
      onError: (error) => log.debug("an event was lost", { error }),
    });
    this.controller = new Controller({
      transport,
      leaderTransport: transport,
      clock,
      random,
      telemetry: { log, metrics, events: this.#events },
      planner,
      cloud,
      settings: {
        ...settings,
        isStaticCapacityEnabled: settings.featureGates.StaticCapacity,
        isNodeRepairEnabled: settings.featureGates.NodeRepair,
        isObservable: !settings.disableClusterStateObservability,
        isSpotToSpotEnabled: settings.featureGates.SpotToSpotConsolidation,
      },
      lease: { namespace: "kube-system", name: settings.leaderElectionName, identity: options.identity },
    });
  }

  /** Brings objects into the cluster that must be right. */
  load(objects: readonly object[]): void {
    const { problems } = loadManifests(this.cluster, objects.map((object) => JSON.stringify(object)).join("\n---\n"));
    if (problems.length > 0) throw new Error(problems.join("\n"));
  }

  start(): void {
    const { api } = this.cluster;
    api.collection(api.registry.builtIn("", "events")).subscribe(({ type, object }) => {
      const telling = type === "ADDED" ? readEvent(object as unknown as Event, this.#clock.now()) : undefined;
      if (telling !== undefined) this.tell(telling);
    });
    this.controller.cluster.pods.onChange(({ key, after }) => {
      if (after === undefined || after.nodeName !== "") this.#refusals.delete(key);
    });
    this.controller.start();
  }

  async stop(): Promise<void> {
    await this.controller.stop();
    this.#events.stop();
    this.cluster.stop();
    this.#log.close();
  }

  tell(telling: Telling): void {
    this.#tellings.add(telling);
  }

  /** What there is to see now. */
  look(): Omit<View, "speed" | "kubeconfig" | "help"> {
    const now = this.#clock.now();
    const { cluster } = this.controller;
    const nodes = lookAtNodes(cluster, now);
    return {
      now,
      nodes,
      pools: lookAtPools(cluster, nodes),
      waiting: lookAtWaiting(cluster, this.#refusals),
      staying: lookAtStaying(this.controller.decisions),
      totals: addUp(cluster, nodes),
      tellings: this.#tellings.lines,
    };
  }

  #takeLogLine(line: string): void {
    this.#buffer.write(line);
    const { message, Pod: pod, reason } = JSON.parse(line) as LoggedRefusal;
    if (message === "could not schedule pod") this.#refusals.set(`${pod.namespace}/${pod.name}`, reason);
    const telling = readLogLine(line);
    if (telling !== undefined) this.tell(telling);
  }
}

interface LoggedRefusal {
  readonly message: string;
  readonly Pod: { readonly namespace: string; readonly name: string };
  readonly reason: string;
}

export const builtInCatalogues: ReadonlySet<string> = new Set(["aws", "generic"]);

/** The defaults of the controller, whatever the environment says: what is to be seen should not depend on it. */
function settingsWith(instanceTypes: string): Settings {
  const flag = builtInCatalogues.has(instanceTypes) ? "--instance-types" : "--instance-types-file-path";
  const read = readSettings([`${flag}=${instanceTypes}`, "--feature-gates=StaticCapacity=true"], {});
  if (read.problems !== undefined) throw new Error(read.problems.join("\n"));
  return read.settings;
}
