import type { Offering } from "../../../core/model/instance-type.ts";
import type { Requirements } from "../../../core/model/requirements.ts";
import type { PlacementGroup, Prices, ReservationCounts, ShiftedZones, UnavailableOfferings } from "../aws-parts.ts";
import { isCompatible } from "../instance-types/is-compatible.ts";
import type { MachineType } from "../instance-types/machine-type.ts";
import { partitionsOf } from "../instance-types/node-requirements.ts";
import type { Ec2NodeClass, StatusReservation } from "../node-class/ec2-node-class.ts";
import type { OfferingLabels, OfferingPlace } from "./offering-labels.ts";

/** What decides whether an offering can be had, and for how much. */
export interface Market {
  readonly prices: Prices;
  readonly unavailable: UnavailableOfferings;
  readonly reservations: ReservationCounts;
  readonly shiftedZones: ShiftedZones;
}

export interface OfferingContext {
  readonly market: Market;
  readonly labels: OfferingLabels;
  readonly group: PlacementGroup | undefined;
  /** All that machines are sold in. */
  readonly zones: readonly string[];
  /** By instance type. */
  readonly reservations: ReadonlyMap<string, readonly StatusReservation[]>;
}

/** A reservation is paid for already, but of two the one that would cost more is worth more. */
const reservedShare = 1 / 10_000_000;

/** A zone as the node class sees it. */
interface ZoneView {
  readonly zone: string;
  readonly zoneId: string | undefined;
  readonly subnetIds: readonly string[];
  /** The node class has a subnet there, and it is not shifted away from. */
  readonly isUsable: boolean;
}

/** Requirements of one offering, or of one for each partition of a placement group. */
type Spread = (place: Omit<OfferingPlace, "partition">) => readonly Requirements[];

/** All ways to buy machines for a node class; those that cannot be had now are among them. */
export function offeringMaker(nodeClass: Ec2NodeClass, context: OfferingContext): (machine: MachineType) => Offering[] {
  const { labels, group } = context;
  const partitions = partitionsOf(group);
  const views = viewZones(nodeClass, context);
  const spread: Spread = (place) =>
    (partitions.length > 0 ? partitions : [undefined]).map((partition) => labels.of({ ...place, partition }));
  const makeBought = boughtMaker(views, context, spread);
  const makeReserved = reservedMaker(views, context, spread);
  return (machine) => {
    const isFitting = isCompatible(machine, nodeClass.spec, group);
    return [...makeBought(machine, isFitting), ...makeReserved(machine, isFitting)];
  };
}

type Maker = (machine: MachineType, isFitting: boolean) => Iterable<Offering>;

function boughtMaker(views: readonly ZoneView[], { market, group }: OfferingContext, spread: Spread): Maker {
  const { prices, unavailable } = market;
  const nothingReserved = { reservationCapacity: undefined, reservationId: undefined, allocatable: undefined };
  const places = views.map((view) => ({
    view,
    onDemand: spread({ ...view, capacityType: "on-demand", reservation: undefined }),
    spot: spread({ ...view, capacityType: "spot", reservation: undefined }),
  }));
  return function* ({ name, zones, capacityTypes }, isFitting) {
    for (const { view, spot, onDemand } of places) {
      const { zone, subnetIds } = view;
      const isSold = isFitting && view.isUsable && zones.includes(zone);
      for (const capacityType of capacityTypes) {
        const isSpot = capacityType === "spot";
        const price = isSpot ? prices.spot(name, zone) : prices.onDemand(name);
        const key = { capacityType, instanceType: name, zone, placementGroup: group?.id ?? "" };
        const isAvailable = isSold && price !== undefined && !unavailable.has(key, subnetIds);
        for (const requirements of isSpot ? spot : onDemand) {
          yield { requirements, price: price ?? 0, isAvailable, ...nothingReserved };
        }
      }
    }
  };
}

function reservedMaker(views: readonly ZoneView[], { market, reservations }: OfferingContext, spread: Spread): Maker {
  return function* ({ name, zones }, isFitting) {
    for (const reservation of reservations.get(name) ?? []) {
      const { id, availabilityZone: zone, state } = reservation;
      const view = views.find((one) => one.zone === zone);
      const left = market.reservations.available(id);
      const isSold = isFitting && (view?.isUsable ?? false) && zones.includes(zone);
      const isAvailable = isSold && left > 0 && state !== "expiring";
      const price = (market.prices.onDemand(name) ?? 0) * reservedShare;
      const reserved = { reservationCapacity: left, reservationId: id, allocatable: undefined };
      for (const requirements of spread({ zone, zoneId: view?.zoneId, capacityType: "reserved", reservation })) {
        yield { requirements, price, isAvailable, ...reserved };
      }
    }
  };
}

function viewZones({ status }: Ec2NodeClass, { zones, market }: OfferingContext): ZoneView[] {
  return zones.map((zone) => {
    const subnets = status.subnets.filter((subnet) => subnet.zone === zone);
    const zoneId = subnets.find(({ zoneID }) => zoneID !== undefined)?.zoneID;
    const isShifted = zoneId !== undefined && market.shiftedZones.has(zoneId);
    return { zone, zoneId, subnetIds: subnets.map(({ id }) => id), isUsable: subnets.length > 0 && !isShifted };
  });
}
