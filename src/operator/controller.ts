import { Journal } from "../controllers/disruptor/journal.ts";
import { Observer } from "../controllers/observer/observer.ts";
import type { ProvisionerSettings } from "../controllers/provisioner/provisioner.ts";
import { ClusterState } from "../core/cluster/cluster-state.ts";
import type { Decision } from "../core/disruption/decision.ts";
import type { Clock } from "../ports/clock.ts";
import type { CloudProvider, NodeClassKind } from "../ports/cloud-provider.ts";
import type { ClusterView } from "../ports/cluster-view.ts";
import type { KubeTransport } from "../ports/kube-transport.ts";
import type { Planner } from "../ports/planner.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import { endsWithin } from "../runtime/ends-within.ts";
import { KubeClient } from "../runtime/kube-client.ts";
import { LeaderElector } from "../runtime/leader-elector.ts";
import { reportSync } from "./report-sync.ts";
import { Term } from "./term.ts";

/** A cloud that has to be told when its process begins and ends to lead. */
export interface RunningCloud extends CloudProvider {
  resume(): Promise<void>;
  stop(): void | Promise<void>;
  /** What stands in for what Provisioners do not say. Only a cloud that had Provisioners has it. */
  describeCluster?(): { readonly clusterName: string; readonly kubernetesVersion: string };
}

export interface Cloud {
  readonly nodeClassKinds: readonly NodeClassKind[];
  readonly wellKnownLabels: ReadonlySet<string>;
  /** For one term of leadership. */
  create(parts: CloudTerm): RunningCloud;
}

/** What a cloud works with while its process leads. */
export interface CloudTerm {
  readonly kube: KubeClient;
  readonly transport: KubeTransport;
  readonly cluster: ClusterView;
  readonly telemetry: Telemetry;
}

export interface ControllerSettings extends ProvisionerSettings {
  readonly isStaticCapacityEnabled: boolean;
  readonly isObservable: boolean;
  readonly isSpotToSpotEnabled: boolean;
  readonly mostPodMovesPercentPerHour: number;
  readonly isNodeRepairEnabled: boolean;
  readonly nodeRepairMaxUnhealthyPercent: number;
  /** Milliseconds by condition type, in place of what the cloud says. */
  readonly nodeRepairAfter: ReadonlyMap<string, number>;
}

export interface ControllerOptions {
  readonly transport: KubeTransport;
  /** For the lease, which must not wait behind anything. */
  readonly leaderTransport: KubeTransport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly telemetry: Telemetry;
  readonly planner: Planner;
  readonly cloud: Cloud;
  readonly settings: ControllerSettings;
  /** Undefined to lead without asking. */
  readonly lease: { readonly namespace: string; readonly name: string; readonly identity: string } | undefined;
}

/** As long as a leader may go without renewing its lease: what is under way then is no safer than after that. */
const longestEnding = 10_000;

/** All of Karpenter on one cluster: it always watches, and acts while it leads. */
export class Controller {
  readonly cluster = new ClusterState();
  readonly #options: ControllerOptions;
  readonly #journal = new Journal();
  readonly #observer: Observer;
  readonly #elector: LeaderElector | undefined;
  #term: Term | undefined;
  #endReport: (() => void) | undefined;
  #ending: Promise<void> = Promise.resolve();

  constructor(options: ControllerOptions) {
    this.#options = options;
    const { transport, leaderTransport, clock, random, telemetry, cloud, settings, lease } = options;
    this.#observer = new Observer(this.cluster, {
      transport,
      clock,
      random,
      log: telemetry.log.with({ controller: "state" }),
      nodeClassKinds: cloud.nodeClassKinds,
      needsSelectors: settings.defaultSpread.length > 0,
      followsWorkloads: settings.lookAhead === "Workloads",
    });
    if (lease === undefined) return;
    this.#elector = new LeaderElector({
      transport: leaderTransport,
      clock,
      random,
      log: telemetry.log,
      lease: { namespace: lease.namespace, name: lease.name },
      identity: lease.identity,
      onElected: () => this.#lead(),
      onLost: () => this.#stepDown(),
    });
  }

  /** What has not been seen of the cluster yet; empty when everything has. */
  get unsynced(): readonly string[] {
    return this.#observer.unsynced;
  }

  /** What was decided lately about which nodes go, the newest first. */
  get decisions(): readonly Decision[] {
    return this.#journal.decisions;
  }

  get isLeader(): boolean {
    return this.#term !== undefined;
  }

  start(): void {
    const { clock, telemetry } = this.#options;
    this.#endReport = reportSync(() => this.#observer.isSynced, { clock, metrics: telemetry.metrics });
    this.#observer.start();
    if (this.#elector === undefined) this.#lead();
    else this.#elector.start();
  }

  /** Finishes the writes that are under way, as far as they are answered soon, and gives the lease back. */
  async stop(): Promise<void> {
    this.#stepDown();
    await this.#ending;
    await this.#elector?.stop();
    this.#observer.stop();
    this.#endReport?.();
    await this.#options.planner.stop();
  }

  #lead(): void {
    const { transport, telemetry, cloud, clock, random, planner, settings } = this.#options;
    telemetry.metrics.set("leader_election_master_status", { name: this.#options.lease?.name ?? "" }, 1);
    const before = this.#ending;
    let isOver = false;
    const kube = new KubeClient({
      transport,
      onWritten: (resource, object) => this.#observer.apply(resource, object),
      mayWrite: () => !isOver,
    });
    const term = new Term({
      cluster: this.cluster,
      transport,
      kube,
      cloud: cloud.create({ kube, transport, cluster: this.cluster, telemetry }),
      planner,
      clock,
      random,
      telemetry,
      settings,
      journal: this.#journal,
      isSynced: () => this.#observer.isSynced,
    });
    this.#term = term;
    this.#endTerm = () => {
      isOver = true;
    };
    // The term before may still be finishing a write.
    void before.then(() => term.start());
  }

  #endTerm: () => void = () => {};

  #stepDown(): void {
    const term = this.#term;
    if (term === undefined) return;
    this.#options.telemetry.metrics.set("leader_election_master_status", { name: this.#options.lease?.name ?? "" }, 0);
    this.#term = undefined;
    this.#endTerm();
    const before = this.#ending;
    const ending = this.#end(term);
    this.#ending = before.then(() => ending);
  }

  async #end(term: Term): Promise<void> {
    const { planner, clock, telemetry } = this.#options;
    const ended = term.stop();
    // Nobody may carry out the plan that is being made, so nobody waits for it.
    const isOver = await endsWithin(longestEnding, clock, Promise.all([ended, planner.stop()]));
    if (!isOver) telemetry.log.error(`some requests got no answer for ${longestEnding / 1000} s, going on without`);
  }
}
