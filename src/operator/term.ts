import { Accountant } from "../controllers/accountant/accountant.ts";
import { StaticPools } from "../controllers/accountant/static-pools.ts";
import { UnsupportedKinds } from "../controllers/accountant/unsupported-kinds.ts";
import { Collector } from "../controllers/collector/collector.ts";
import { Disruptor } from "../controllers/disruptor/disruptor.ts";
import type { Journal } from "../controllers/disruptor/journal.ts";
import { PastMoves } from "../controllers/disruptor/past-moves.ts";
import { Inspector } from "../controllers/inspector/inspector.ts";
import { Repairer } from "../controllers/inspector/repairer.ts";
import { Launcher } from "../controllers/launcher/launcher.ts";
import { Placer } from "../controllers/placer/placer.ts";
import { ClaimMaker } from "../controllers/provisioner/claim-maker.ts";
import { Provisioner } from "../controllers/provisioner/provisioner.ts";
import { Registrar } from "../controllers/registrar/registrar.ts";
import { Reporter } from "../controllers/reporter/reporter.ts";
import { Terminator } from "../controllers/terminator/terminator.ts";
import { Translator } from "../controllers/translator/translator.ts";
import type { ClusterState } from "../core/cluster/cluster-state.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { KubeTransport } from "../ports/kube-transport.ts";
import type { Planner } from "../ports/planner.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import type { KubeClient } from "../runtime/kube-client.ts";
import type { ControllerSettings, RunningCloud } from "./controller.ts";
import { measureCloud } from "./measure-cloud.ts";

export interface TermParts {
  readonly cluster: ClusterState;
  readonly transport: KubeTransport;
  readonly kube: KubeClient;
  readonly cloud: RunningCloud;
  readonly planner: Planner;
  readonly clock: Clock;
  readonly random: () => number;
  readonly telemetry: Telemetry;
  readonly settings: ControllerSettings;
  /** Outlives the term. */
  readonly journal: Journal;
  readonly isSynced: () => boolean;
}

interface Acting {
  start(): void;
  stop(): Promise<void>;
}

const lookForSync = 100;
const retryResume = 1_000;

/** One time of leading: everything that acts, from the moment the cluster is known until the lease is lost. */
export class Term {
  readonly #parts: TermParts;
  #timer: Timer | undefined;
  #isStopped = false;
  #acting: readonly Acting[] = [];
  #claims: ClaimMaker | undefined;

  constructor(parts: TermParts) {
    this.#parts = parts;
  }

  /** Waits until everything that is there has been seen: half a view would buy too much, and collect too much. */
  start(): void {
    const { clock, isSynced, cloud, telemetry } = this.#parts;
    if (this.#isStopped) return;
    if (!isSynced()) {
      this.#timer = clock.after(lookForSync, () => this.start());
      return;
    }
    cloud.resume().then(
      () => this.#begin(),
      (error: unknown) => {
        telemetry.log.error("the cloud provider cannot start, trying again", { error });
        if (!this.#isStopped) this.#timer = clock.after(retryResume, () => this.start());
      },
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    const cloud = this.#parts.cloud.stop();
    this.#claims?.stop();
    await Promise.all([cloud, ...this.#acting.map((one) => one.stop())]);
  }

  #begin(): void {
    if (this.#isStopped) return;
    this.#acting = this.#create();
    for (const one of this.#acting) one.start();
    this.#parts.telemetry.log.info("leading", {
      nodes: this.#parts.cluster.nodes.size,
      pods: this.#parts.cluster.pods.size,
    });
  }

  #createRepairer(): readonly Acting[] {
    const { isNodeRepairEnabled, nodeRepairMaxUnhealthyPercent, nodeRepairAfter } = this.#parts.settings;
    const repair = { maxUnhealthyPercent: nodeRepairMaxUnhealthyPercent, after: nodeRepairAfter };
    return isNodeRepairEnabled ? [new Repairer({ ...this.#parts, repair })] : [];
  }

  #createTranslator(): readonly Acting[] {
    const { cloud } = this.#parts;
    const describeCluster = cloud.describeCluster?.bind(cloud);
    return describeCluster === undefined ? [] : [new Translator({ ...this.#parts, describeCluster })];
  }

  #create(): readonly Acting[] {
    const parts = this.#parts;
    const { cloud, clock, telemetry } = parts;
    /** What a controller needs, with a cloud that tells who asked it. */
    const of = (controller: string) => ({
      ...parts,
      cloud: measureCloud(cloud, { controller, clock, metrics: telemetry.metrics }),
    });
    const claims = new ClaimMaker(of("provisioner"));
    this.#claims = claims;
    return [
      // First, because it tells of plans when pods are bound, and the provisioner forgets them then.
      new Reporter({ ...parts, isObservable: parts.settings.isObservable }),
      new Accountant(parts),
      new StaticPools({ ...parts, isStaticCapacityEnabled: parts.settings.isStaticCapacityEnabled }),
      new UnsupportedKinds(parts),
      ...this.#createTranslator(),
      new Launcher(of("nodeclaim.lifecycle")),
      new Registrar(parts),
      new Terminator({ ...of("node.termination"), claimCloud: of("nodeclaim.lifecycle").cloud }),
      new Collector(of("nodeclaim.garbagecollection")),
      new Inspector(of("nodeclaim.disruption")),
      ...this.#createRepairer(),
      new Provisioner({ ...of("provisioner"), claims }),
      ...(parts.settings.placementPolicy === "Bind" ? [new Placer(parts)] : []),
      new Disruptor({ ...of("disruption"), claims, pastMoves: new PastMoves(parts) }),
    ];
  }
}
