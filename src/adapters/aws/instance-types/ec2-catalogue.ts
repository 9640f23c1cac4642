import { isDeepStrictEqual } from "node:util";
import type { InstanceType, Offering } from "../../../core/model/instance-type.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/telemetry.ts";
import type { Catalogue, MachineFacts, PlacementGroup, PlacementGroups } from "../aws-parts.ts";
import type { AwsSettings } from "../aws-settings.ts";
import type { Ec2NodeClass, StatusReservation } from "../node-class/ec2-node-class.ts";
import { OfferingLabels } from "../offerings/offering-labels.ts";
import { type Market, offeringMaker } from "../offerings/offering-maker.ts";
import { DiscoveredMemory } from "./discovered-memory.ts";
import { Listings } from "./listings.ts";
import { machineResourcesOf, type ResourceSettings, reckonedMemory } from "./machine-resources.ts";
import type { MachineType } from "./machine-type.ts";
import { requirementMaker } from "./node-requirements.ts";
import { type MachineTypeApi, readMachineTypes } from "./read-machine-types.ts";
import { RequirementPool } from "./requirement-pool.ts";

export interface CatalogueOptions {
  readonly ec2: MachineTypeApi;
  readonly region: string;
  readonly settings: ResourceSettings & Pick<AwsSettings, "isReservedCapacityEnabled">;
  readonly clock: Clock;
  readonly log: Log;
  readonly market: Market;
  readonly placementGroups: PlacementGroups;
}

const noTypes: readonly InstanceType[] = [];

/** What EC2 sells in one region. Lists are made in memory; those of node classes share whatever they have in common. */
export class Ec2Catalogue implements Catalogue {
  readonly #options: CatalogueOptions;
  readonly #pool = new RequirementPool();
  readonly #offeringLabels = new OfferingLabels();
  readonly #memory: DiscoveredMemory;
  readonly #listings = new Listings();
  #machines: ReadonlyMap<string, MachineType> = new Map();
  #zones: readonly string[] = [];
  #refreshes = 0;
  #refreshing: Promise<void> | undefined;
  #refreshedAt: number | undefined;

  constructor(options: CatalogueOptions) {
    this.#options = options;
    this.#memory = new DiscoveredMemory(options.clock);
  }

  get version(): number {
    const { market, placementGroups } = this.#options;
    const { prices, unavailable, reservations, shiftedZones } = market;
    const versioned = [prices, unavailable, reservations, shiftedZones, placementGroups, this.#memory];
    return versioned.reduce((sum, { version }) => sum + version, this.#refreshes);
  }

  /** Milliseconds since 1970; undefined before the first time. */
  get refreshedAt(): number | undefined {
    return this.#refreshedAt;
  }

  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  facts(instanceType: string): MachineFacts | undefined {
    return this.#machines.get(instanceType);
  }

  learnMemory(nodeClass: Ec2NodeClass, instanceType: string, bytes: number): void {
    if (!this.#memory.learn(nodeClass.status.amis, instanceType, bytes)) return;
    const fields = { "instance-type": instanceType, "memory-capacity": bytes, EC2NodeClass: nodeClass.name };
    this.#options.log.debug("updating discovered capacity cache", fields);
  }

  list(nodeClass: Ec2NodeClass): readonly InstanceType[] {
    const { version } = this;
    const known = this.#listings.get(nodeClass.uid);
    if (known?.version === version && known.nodeClass === nodeClass) return known.types;
    if (nodeClass.status.subnets.length === 0) return noTypes;
    return this.#build(nodeClass, version);
  }

  async #refresh(): Promise<void> {
    const { ec2, region, clock, log } = this.#options;
    const read = await readMachineTypes(ec2, this.#pool);
    if (read.length === 0) throw new Error(`Cannot read instance types: EC2 names none in ${region}`);
    const before = this.#machines;
    let isChanged = read.length !== before.size;
    const machines = new Map<string, MachineType>();
    for (const machine of read) {
      const known = before.get(machine.name);
      const isSame = isDeepStrictEqual(known, machine);
      machines.set(machine.name, isSame && known !== undefined ? known : machine);
      isChanged ||= !isSame;
    }
    this.#refreshedAt = clock.now();
    if (!isChanged) return;
    this.#machines = machines;
    this.#zones = [...new Set(read.flatMap(({ zones }) => zones))].sort();
    this.#refreshes++;
    log.debug("discovered instance types", { count: read.length, zones: this.#zones });
  }

  #build(nodeClass: Ec2NodeClass, version: number): readonly InstanceType[] {
    const { region, settings, market, placementGroups } = this.#options;
    const known = placementGroups.known(nodeClass);
    const group = typeof known === "string" ? undefined : known;
    const reservations = settings.isReservedCapacityEnabled ? reservationsByType(nodeClass) : new Map();
    const requirementsKey = requirementsKeyOf(nodeClass, group, reservations.size > 0);
    const resourcesKey = resourcesKeyOf(nodeClass);
    const lenders = this.#listings.lenders(nodeClass.uid, { requirementsKey, resourcesKey });
    const makeRequirements = requirementMaker(nodeClass, { region, pool: this.#pool, group, reservations });
    const offeringContext = { market, group, reservations, labels: this.#offeringLabels, zones: this.#zones };
    const makeOfferings = offeringMaker(nodeClass, offeringContext);
    const types: InstanceType[] = [];
    for (const machine of this.#machines.values()) {
      const memory = this.#memory.get(nodeClass.status.amis, machine.name) ?? reckonedMemory(machine, settings);
      const requirements = lenders.ofRequirements(machine)?.requirements ?? makeRequirements(machine);
      const alike = lenders.ofResources(machine);
      const { capacity, allocatable } =
        alike?.capacity.get("memory") === memory ? alike : machineResourcesOf(machine, nodeClass, { settings, memory });
      const type = { name: machine.name, requirements, capacity, allocatable, offerings: makeOfferings(machine) };
      types.push(reuse(type, [lenders.own(machine), lenders.ofRequirements(machine)]));
    }
    const machines = [...this.#machines.values()];
    return this.#listings.put({ nodeClass, version, requirementsKey, resourcesKey, machines, types });
  }
}

/** One that says the same already, or at least its offerings. */
function reuse(type: InstanceType, others: readonly (InstanceType | undefined)[]): InstanceType {
  for (const other of others) {
    if (other === undefined || !areSame(other.offerings, type.offerings)) continue;
    const { requirements, capacity, allocatable, offerings } = other;
    if (requirements !== type.requirements || capacity !== type.capacity || allocatable !== type.allocatable) {
      return { ...type, offerings };
    }
    return other;
  }
  return type;
}

function areSame(a: readonly Offering[], b: readonly Offering[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((one, index) => {
    const other = b[index];
    return (
      one.requirements === other?.requirements &&
      one.price === other.price &&
      one.isAvailable === other.isAvailable &&
      one.reservationCapacity === other.reservationCapacity
    );
  });
}

function reservationsByType({ status }: Ec2NodeClass): ReadonlyMap<string, readonly StatusReservation[]> {
  return Map.groupBy(status.capacityReservations, ({ instanceType }) => instanceType);
}

/** The same for node classes whose machines have the same labels. */
function requirementsKeyOf(
  { spec, status }: Ec2NodeClass,
  group: PlacementGroup | undefined,
  isReserved: boolean,
): string {
  const places = new Set(status.subnets.map(({ zone, zoneID }) => JSON.stringify([zone, zoneID])));
  const reservations = isReserved ? status.capacityReservations : [];
  const system = spec.amiFamily.startsWith("Windows") ? spec.amiFamily : "linux";
  const reserved = reservations.map((one) => [one.id, one.instanceType, one.reservationType, one.interruptible]);
  return JSON.stringify([system, [...places].sort(), reserved, group]);
}

/** The same for node classes whose nodes have the same resources, but for memory that was discovered. */
function resourcesKeyOf({ spec }: Ec2NodeClass): string {
  const { amiFamily, kubelet, blockDeviceMappings, instanceStorePolicy, networkInterfaces } = spec;
  const sizes = blockDeviceMappings.map(({ deviceName, rootVolume, ebs }) => [deviceName, rootVolume, ebs?.volumeSize]);
  return JSON.stringify([amiFamily, kubelet, sizes, instanceStorePolicy, networkInterfaces]);
}
