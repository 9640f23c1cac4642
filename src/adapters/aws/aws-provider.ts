import { ec2NodeClasses } from "../../core/api/karpenter-resources.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import { instanceTypeLabel, nodePoolLabel } from "../../core/model/labels.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeClassRef } from "../../core/model/node-pool.ts";
import type { Clock } from "../../ports/clock.ts";
import type {
  CloudProvider,
  Instance,
  InstanceIdentity,
  LaunchOutcome,
  RepairPolicy,
} from "../../ports/cloud-provider.ts";
import type { ClusterView } from "../../ports/cluster-view.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { type KubeClient, NotLeadingError } from "../../runtime/kube-client.ts";
import { pause } from "../../runtime/pause.ts";
import type { AwsApi } from "./api/aws-api.ts";
import { awsWellKnownLabels } from "./aws-labels.ts";
import type {
  Catalogue,
  PlacementGroups,
  ReservationCounts,
  ShiftedZones,
  Subnets,
  UnavailableOfferings,
} from "./aws-parts.ts";
import type { AwsSettings, ClusterFacts } from "./aws-settings.ts";
import { judgeDrift } from "./drift/judge-drift.ts";
import { describeMachine } from "./instances/describe-machine.ts";
import { Instances } from "./instances/instances.ts";
import { listLag } from "./instances/list-lag.ts";
import { isGoing, type Machine } from "./instances/machine.ts";
import { MachineTagger } from "./instances/machine-tagger.ts";
import { repairPolicies } from "./instances/repair-policies.ts";
import { openFleets } from "./launch/fleets.ts";
import { judgeReadiness } from "./launch/judge-readiness.ts";
import { MachineBuyer } from "./launch/machine-buyer.ts";
import { Orders } from "./launch/orders.ts";
import type { TemplateStore } from "./launch-templates/template-store.ts";
import { awsGroup, nodeClassTag } from "./names.ts";
import type { NodeClasses } from "./node-class/node-classes.ts";
import type { UserDataSizes } from "./user-data/user-data-sizes.ts";

export interface AwsProviderOptions {
  readonly api: AwsApi;
  readonly kube: KubeClient;
  readonly cluster: ClusterView;
  readonly clock: Clock;
  readonly random: () => number;
  readonly telemetry: Telemetry;
  readonly settings: AwsSettings;
  readonly facts: () => ClusterFacts;
  readonly nodeClasses: NodeClasses;
  readonly catalogue: Catalogue;
  readonly subnets: Subnets;
  readonly reservations: ReservationCounts;
  readonly placementGroups: PlacementGroups;
  readonly unavailable: UnavailableOfferings;
  readonly shiftedZones: ShiftedZones;
  readonly templates: TemplateStore;
  readonly userDataSizes: Pick<UserDataSizes, "note">;
}

const partitionTries = 3;
const partitionPause = 1_000;

/** Machines of EC2. */
export class AwsProvider implements CloudProvider {
  readonly name = "aws";
  readonly nodeClassKinds = [ec2NodeClasses];
  readonly wellKnownLabels = awsWellKnownLabels;
  readonly restrictedLabelDomains: ReadonlySet<string> = new Set([awsGroup]);
  readonly repairPolicies: readonly RepairPolicy[] = repairPolicies;
  readonly #options: AwsProviderOptions;
  readonly #instances: Instances;
  readonly #orders: Orders;
  readonly #buyer: MachineBuyer;
  readonly #tagger: MachineTagger;
  /** Aborted when this process ends to lead. */
  readonly #ended = new AbortController();
  /** Launches under way, by the name of their claim. */
  readonly #launches = new Map<string, Promise<LaunchOutcome>>();

  constructor(options: AwsProviderOptions) {
    this.#options = options;
    const { api, clock, settings, cluster, kube } = options;
    const { ec2, region } = api;
    const { clusterName, isReservedCapacityEnabled } = settings;
    const ended = this.#ended.signal;
    const zoneIdOf = (zone: string): string => this.#zoneIdOf(zone);
    const instances = new Instances({ ...options, ec2, clusterName, isReservedCapacityEnabled, zoneIdOf });
    const orders = new Orders({ claims: cluster.claims, clock, list: () => instances.list(), ended });
    const fleets = openFleets({
      ...options,
      ec2,
      orders,
      onLaunched: (machine) => instances.add(machine),
      isLeading: () => !ended.aborted && kube.isLeading,
      ended,
    });
    this.#instances = instances;
    this.#orders = orders;
    this.#buyer = new MachineBuyer({ ...options, fleets, region });
    this.#tagger = new MachineTagger({ ...options, ec2, clusterName, instances });
  }

  /** Takes up what a process before this one has left. To be called before anything else, by whoever leads. */
  async resume(): Promise<void> {
    await Promise.all([this.#options.templates.hydrate(), this.#findPlacementGroups()]);
    this.#tagger.start();
  }

  /** No status remembers them. Whoever looks after node classes goes on asking for those that are not found. */
  async #findPlacementGroups(): Promise<void> {
    const { nodeClasses, placementGroups } = this.#options;
    await Promise.allSettled([...nodeClasses.values()].map((nodeClass) => placementGroups.find(nodeClass)));
  }

  /** Nothing is bought any more, whatever is waiting for it. */
  async stop(): Promise<void> {
    this.#ended.abort(new NotLeadingError("the launch of machines"));
    this.#orders.stop();
    this.#options.templates.stop();
    await this.#tagger.stop();
  }

  /** None for a node class that is not there, or that nobody can read. */
  instanceTypes({ name }: NodeClassRef): Promise<readonly InstanceType[]> {
    const { nodeClasses, catalogue } = this.#options;
    const nodeClass = nodeClasses.get(name);
    return Promise.resolve(nodeClass === undefined ? noTypes : catalogue.list(nodeClass));
  }

  launch(claim: NodeClaim): Promise<LaunchOutcome> {
    const launch =
      this.#launches.get(claim.name) ?? this.#launch(claim).finally(() => this.#launches.delete(claim.name));
    this.#launches.set(claim.name, launch);
    return launch;
  }

  async terminate({ providerId }: InstanceIdentity): Promise<"terminating" | "gone"> {
    return this.#instances.terminate(providerId);
  }

  async find(providerId: string): Promise<Instance | undefined> {
    const machine = await this.#instances.find(providerId);
    if (machine === undefined) return undefined;
    const [claim] = this.#options.cluster.claimsOf(machine);
    return this.#describe(machine, claim?.name ?? this.#orders.match(this.#instances.known).get(providerId) ?? "");
  }

  async list(): Promise<readonly Instance[]> {
    const machines = await this.#instances.list();
    const claimNames = this.#orders.match(machines);
    return machines.map((machine) => this.#describe(machine, claimNames.get(machine.providerId) ?? ""));
  }

  /** How machines are paid for, as AWS says now. */
  listCapacityTypes(): Promise<readonly Pick<Machine, "providerId" | "capacityType">[]> {
    return this.#instances.list();
  }

  async driftReason(claim: NodeClaim): Promise<string> {
    const { nodeClasses, cluster, placementGroups } = this.#options;
    const nodeClass = nodeClasses.get(claim.nodeClassRef.name);
    const pool = cluster.pools.get(claim.labels.get(nodePoolLabel) ?? "");
    if (nodeClass === undefined || pool === undefined) return "";
    const machine = await this.#instances.recall(claim.providerId);
    if (machine === undefined) return "";
    const type = this.#typeOf(nodeClass.name, claim.labels.get(instanceTypeLabel) ?? "");
    const placementGroup = placementGroups.known(nodeClass);
    const question = { claim, nodeClass, type, placementGroup };
    const reason = judgeDrift({ ...question, machine });
    if (reason !== "CapacityReservationDrift") return reason;
    // A machine leaves its reservation when that ends: what we remember of it may be old.
    const now = await this.#instances.find(claim.providerId);
    return now === undefined ? "" : judgeDrift({ ...question, machine: now });
  }

  async #launch(claim: NodeClaim): Promise<LaunchOutcome> {
    const found = await this.#findOrdered(claim);
    if (found !== undefined) return this.#launched(claim, found);
    const { name } = claim.nodeClassRef;
    const nodeClass = this.#options.nodeClasses.get(name);
    if (nodeClass === undefined) {
      return {
        kind: "insufficient-capacity",
        message: `there is no EC2NodeClass "${name}" that can be read`,
        isTold: true,
      };
    }
    const refusal = judgeReadiness(nodeClass, this.#options.placementGroups.known(nodeClass));
    if (refusal !== undefined) return refusal;
    const purchase = await this.#buyer.buy(claim, nodeClass);
    return purchase.kind === "bought" ? this.#launched(claim, purchase.machine) : purchase;
  }

  async #launched(claim: NodeClaim, machine: Machine): Promise<LaunchOutcome> {
    return { kind: "launched", instance: this.#describe(await this.#withPartition(machine), claim.name) };
  }

  /**
   * AWS chooses a partition where the claim does not, and tells only who asks for the machine. Rejects until it does:
   * the claim is not launched before, so that no node joins without the label that pods are spread by.
   */
  async #withPartition(machine: Machine): Promise<Machine> {
    if (machine.partition !== undefined || !this.#hasPartitions(machine)) return machine;
    for (let tries = 0; tries < partitionTries; tries++) {
      if (tries > 0) await pause(this.#options.clock, partitionPause, this.#ended.signal);
      const found = await this.#instances.find(machine.providerId);
      if (found?.partition !== undefined) return found;
    }
    throw new Error(`EC2 has not said yet in which partition of its placement group machine ${machine.id} is`);
  }

  #hasPartitions({ placementGroupId, tags }: Machine): boolean {
    const { nodeClasses, placementGroups } = this.#options;
    const nodeClass = nodeClasses.get(tags.get(nodeClassTag) ?? "");
    const group = nodeClass === undefined ? "none" : placementGroups.known(nodeClass);
    if (typeof group === "string") return group === "unknown" && placementGroupId !== "";
    return group.strategy === "partition" && group.id === placementGroupId;
  }

  /** The machine that the claim has already, or that was bought for it. */
  async #findOrdered(claim: NodeClaim): Promise<Machine | undefined> {
    if (claim.providerId !== "") {
      const recorded = await this.#instances.find(claim.providerId);
      if (recorded !== undefined && !isGoing(recorded)) return recorded;
    }
    const ordered = await this.#orders.seek(claim);
    if (ordered === undefined || this.#options.clock.now() - ordered.createdAt < listLag) return ordered;
    const found = await this.#instances.find(ordered.providerId);
    if (found !== undefined && !isGoing(found)) return found;
    this.#orders.release(claim.name);
    return undefined;
  }

  #describe(machine: Machine, claimName: string): Instance {
    const nodeClass = machine.tags.get(nodeClassTag) ?? "";
    return describeMachine(machine, {
      claimName,
      zoneId: this.#zoneIdOf(machine.zone),
      type: this.#typeOf(nodeClass, machine.typeName),
    });
  }

  #typeOf(nodeClassName: string, typeName: string): InstanceType | undefined {
    const { nodeClasses, catalogue } = this.#options;
    const nodeClass = nodeClasses.get(nodeClassName);
    return nodeClass === undefined ? undefined : catalogue.list(nodeClass).find(({ name }) => name === typeName);
  }

  #zoneIdOf(zone: string): string {
    for (const { status } of this.#options.nodeClasses.values()) {
      const subnet = status.subnets.find((candidate) => candidate.zone === zone);
      if (subnet?.zoneID !== undefined) return subnet.zoneID;
    }
    return "";
  }
}

const noTypes: readonly InstanceType[] = [];
