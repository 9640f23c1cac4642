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
import type { KubeClient } from "../../runtime/kube-client.ts";
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
import { isGoing, type Machine } from "./instances/machine.ts";
import { MachineTagger } from "./instances/machine-tagger.ts";
import { repairPolicies } from "./instances/repair-policies.ts";
import { openFleets } from "./launch/fleets.ts";
import { judgeReadiness } from "./launch/judge-readiness.ts";
import { MachineBuyer } from "./launch/machine-buyer.ts";
import { Orders } from "./launch/orders.ts";
import { pause } from "./launch/pause.ts";
import type { TemplateStore } from "./launch-templates/template-store.ts";
import { awsGroup, nodeClassTag } from "./names.ts";
import { ec2NodeClasses } from "./node-class/ec2-node-class.ts";
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

/** A machine that was launched so long ago and cannot be found any more is gone. */
const settlingTime = 60_000;
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
  /** Launches under way, by the name of their claim. */
  readonly #launches = new Map<string, Promise<LaunchOutcome>>();

  constructor(options: AwsProviderOptions) {
    this.#options = options;
    const { api, clock, telemetry, settings, cluster } = options;
    const { ec2, region } = api;
    const { clusterName, isReservedCapacityEnabled } = settings;
    const zoneIdOf = (zone: string): string => this.#zoneIdOf(zone);
    const instances = new Instances({ ...options, ec2, clusterName, isReservedCapacityEnabled, zoneIdOf });
    const orders = new Orders({ claims: cluster.claims, clock, list: () => instances.list() });
    const fleets = openFleets({ ...options, ec2, orders, onLaunched: (machine) => instances.add(machine) });
    this.#instances = instances;
    this.#orders = orders;
    this.#buyer = new MachineBuyer({ ...options, fleets, region, log: telemetry.log });
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

  async stop(): Promise<void> {
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
    if (found !== undefined) return { kind: "launched", instance: this.#describe(found, claim.name) };
    const { name } = claim.nodeClassRef;
    const nodeClass = this.#options.nodeClasses.get(name);
    if (nodeClass === undefined) {
      return { kind: "insufficient-capacity", message: `there is no EC2NodeClass "${name}" that can be read` };
    }
    const placementGroup = this.#options.placementGroups.known(nodeClass);
    const refusal = judgeReadiness(nodeClass, placementGroup);
    if (refusal !== undefined) return refusal;
    const purchase = await this.#buyer.buy(claim, nodeClass);
    if (purchase.kind !== "bought") return purchase;
    const hasPartitions = typeof placementGroup === "object" && placementGroup.strategy === "partition";
    const machine = hasPartitions ? await this.#findPartition(purchase.machine) : purchase.machine;
    return { kind: "launched", instance: this.#describe(machine, claim.name) };
  }

  /** AWS chooses a partition where the claim does not, and tells only who asks for the machine. */
  async #findPartition(machine: Machine): Promise<Machine> {
    let found = machine;
    for (let tries = 0; found.partition === undefined && tries < partitionTries; tries++) {
      if (tries > 0) await pause(this.#options.clock, partitionPause);
      // The machine is there, whether or not it can be described.
      found = (await this.#instances.find(machine.providerId).catch(() => undefined)) ?? machine;
    }
    return found;
  }

  /** The machine that the claim has already, or that was bought for it. */
  async #findOrdered(claim: NodeClaim): Promise<Machine | undefined> {
    if (claim.providerId !== "") {
      const recorded = await this.#instances.find(claim.providerId);
      if (recorded !== undefined && !isGoing(recorded)) return recorded;
    }
    const ordered = await this.#orders.seek(claim);
    if (ordered === undefined || this.#options.clock.now() - ordered.createdAt < settlingTime) return ordered;
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
