import type { InstanceType } from "../../../core/model/instance-type.ts";
import type { Prices } from "../aws-parts.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { OfferingLabels } from "../offerings/offering-labels.ts";
import { type Market, offeringMaker } from "../offerings/offering-maker.ts";
import { machineResourcesOf, type ResourceSettings, reckonedMemory } from "./machine-resources.ts";
import { readMachineType } from "./machine-type.ts";
import { requirementMaker } from "./node-requirements.ts";
import { recordedTypes } from "./recorded-types.ts";
import { RequirementPool } from "./requirement-pool.ts";

export interface RecordedMarket {
  readonly region: string;
  readonly prices: Pick<Prices, "onDemand" | "spot">;
  readonly isSoldIn: (instanceType: string, zone: string) => boolean;
  readonly settings: ResourceSettings;
}

/** What the provider would make of a node class if EC2 told what is recorded. How much is left in reservations, it does not. */
export function listRecordedTypes(nodeClass: Ec2NodeClass, market: RecordedMarket): readonly InstanceType[] {
  const { region, prices, isSoldIn, settings } = market;
  const pool = new RequirementPool();
  const zones = [...new Set(nodeClass.status.subnets.map(({ zone }) => zone))].sort();
  const reservations = Map.groupBy(nodeClass.status.capacityReservations, ({ instanceType }) => instanceType);
  const shared = { group: undefined, reservations };
  const requirementsOf = requirementMaker(nodeClass, { ...shared, region, pool });
  const labels = new OfferingLabels();
  const offeringsOf = offeringMaker(nodeClass, { ...shared, market: untroubled(prices), labels, zones });
  return recordedTypes().flatMap((info) => {
    const machine = readMachineType(info, pool, (name) => zones.filter((zone) => isSoldIn(name, zone)));
    if (machine === undefined) return [];
    const memory = reckonedMemory(machine, settings);
    const resources = machineResourcesOf(machine, nodeClass, { settings, memory });
    return [
      { name: machine.name, requirements: requirementsOf(machine), ...resources, offerings: offeringsOf(machine) },
    ];
  });
}

/** Where nothing was refused of late. */
function untroubled({ onDemand, spot }: RecordedMarket["prices"]): Market {
  const nothing = { version: 0, has: () => false, mark: ignore, markCapacityType: ignore, markSubnet: ignore };
  return {
    prices: { version: 0, onDemand, spot },
    unavailable: nothing,
    shiftedZones: nothing,
    reservations: {
      version: 0,
      available: () => 1,
      markLaunched: ignore,
      markTerminated: ignore,
      markUnavailable: ignore,
    },
  };
}

function ignore(): void {}
