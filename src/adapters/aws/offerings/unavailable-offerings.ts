import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/telemetry.ts";
import type { OfferingKey, UnavailableOfferings } from "../aws-parts.ts";

const lastsMilliseconds = 3 * 60_000;

/** Marks with the time when they end. A mark that is made again lasts anew, so those that end first come first. */
type Marks = Map<string, number>;

/** Remembers for three minutes what AWS said that it cannot sell. */
export class RecentlyUnavailable implements UnavailableOfferings {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #offerings: Marks = new Map();
  readonly #capacityTypes: Marks = new Map();
  readonly #subnets: Marks = new Map();
  #version = 0;

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Also counts what has come to an end by now. */
  get version(): number {
    const now = this.#clock.now();
    for (const marks of [this.#offerings, this.#capacityTypes, this.#subnets]) {
      for (const [key, until] of marks) {
        if (until > now) break;
        marks.delete(key);
        this.#version++;
      }
    }
    return this.#version;
  }

  mark(key: OfferingKey, why: string): void {
    const { capacityType, instanceType, zone, placementGroup } = key;
    this.#add(this.#offerings, textOf(key));
    const fields = { "capacity-type": capacityType, "instance-type": instanceType, zone, reason: why };
    const place = placementGroup ? { "placement-group-id": placementGroup } : {};
    this.#log.debug("removing offering from offerings", { ...fields, ...place });
  }

  markCapacityType(capacityType: string, why: string): void {
    this.#add(this.#capacityTypes, capacityType);
    this.#log.debug("removing capacity type from offerings", { "capacity-type": capacityType, reason: why });
  }

  markSubnet(subnetId: string, why: string): void {
    this.#add(this.#subnets, subnetId);
    this.#log.debug("removing subnet from offerings", { subnet: subnetId, reason: why });
  }

  has(key: OfferingKey, subnetIds: readonly string[]): boolean {
    const isMarked = (marks: Marks, mark: string) => (marks.get(mark) ?? 0) > this.#clock.now();
    // Most of the time nothing is marked, and this is asked for every offering of every machine.
    if (this.#offerings.size > 0) {
      if (isMarked(this.#offerings, textOf(key))) return true;
      if (key.placementGroup && isMarked(this.#offerings, textOf({ ...key, placementGroup: "" }))) return true;
    }
    if (isMarked(this.#capacityTypes, key.capacityType)) return true;
    return subnetIds.length > 0 && subnetIds.every((id) => isMarked(this.#subnets, id));
  }

  #add(marks: Marks, key: string): void {
    marks.delete(key);
    marks.set(key, this.#clock.now() + lastsMilliseconds);
    this.#version++;
  }
}

function textOf({ capacityType, instanceType, zone, placementGroup = "" }: OfferingKey): string {
  return `${capacityType}:${instanceType}:${zone}:${placementGroup}`;
}
