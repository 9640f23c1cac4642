import type { InstanceType } from "../../../core/model/instance-type.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import type { MachineType } from "./machine-type.ts";

/** What was made for a node class, and of what. */
export interface Listing extends ListingKeys {
  readonly nodeClass: Ec2NodeClass;
  readonly version: number;
  /** In the order of the types. */
  readonly machines: readonly MachineType[];
  readonly types: readonly InstanceType[];
}

/** Listings with the same key can take these from each other. */
export interface ListingKeys {
  readonly requirementsKey: string;
  readonly resourcesKey: string;
}

/** Types of which parts can be taken for a new listing. */
export interface Lenders {
  /** What the node class had until now. */
  own(machine: MachineType): InstanceType | undefined;
  ofRequirements(machine: MachineType): InstanceType | undefined;
  ofResources(machine: MachineType): InstanceType | undefined;
}

/** More node classes than that are listed anew each time they are asked for. */
const most = 100;

export class Listings {
  /** Those that were made last come last. */
  readonly #byUid = new Map<string, Listing>();

  get(uid: string): Listing | undefined {
    return this.#byUid.get(uid);
  }

  /** Returns the types that are listed from now on: the old array when they are all the same. */
  put(listing: Listing): readonly InstanceType[] {
    const { uid } = listing.nodeClass;
    const before = this.#byUid.get(uid)?.types ?? [];
    const isSame = before.length === listing.types.length && before.every((type, i) => type === listing.types[i]);
    const types = isSame ? before : listing.types;
    this.#byUid.delete(uid);
    this.#byUid.set(uid, { ...listing, types });
    const oldest = this.#byUid.keys().next().value;
    if (this.#byUid.size > most && oldest !== undefined) this.#byUid.delete(oldest);
    return types;
  }

  lenders(uid: string, { requirementsKey, resourcesKey }: ListingKeys): Lenders {
    const own = this.#byUid.get(uid);
    const candidates = [...(own === undefined ? [] : [own]), ...this.#byUid.values()];
    return {
      own: lender(own),
      ofRequirements: lender(candidates.find((listing) => listing.requirementsKey === requirementsKey)),
      ofResources: lender(candidates.find((listing) => listing.resourcesKey === resourcesKey)),
    };
  }
}

/** Only of machines that are still what they were. */
function lender(listing: Listing | undefined): (machine: MachineType) => InstanceType | undefined {
  const types = new Map(listing?.machines.map((machine, index) => [machine, listing.types[index]]));
  return (machine) => types.get(machine);
}
