import type { Subnet } from "@aws-sdk/client-ec2";
import type { Clock } from "../../../ports/clock.ts";
import type { AwsApi } from "../api/aws-api.ts";
import type { Subnets } from "../aws-parts.ts";
import type { AwsSettings } from "../aws-settings.ts";
import { ExpiringMap } from "../expiring-map.ts";
import type { Ec2NodeClass, StatusSubnet } from "../node-class/ec2-node-class.ts";
import { revisionOf } from "./revision-of.ts";
import { subnetFilters } from "./selector-filters.ts";

export interface SubnetBookOptions {
  readonly api: { readonly ec2: Pick<AwsApi["ec2"], "describeSubnets"> };
  readonly clock: Clock;
  readonly settings: Pick<AwsSettings, "subnetRefreshMilliseconds">;
}

/** How many addresses a subnet has left since it was last read; whoever reads it again begins another count. */
interface Count {
  free: number;
}

interface Withdrawal {
  readonly subnetId: string;
  readonly count: Count;
  readonly addresses: number;
}

const leastCountMilliseconds = 5 * 60_000;
const countOutlastsRefreshBy = 4 * 60_000;
const mostSubnets = 10_000;

/** Which subnets there are, and how many addresses each has left as far as we know. */
export class SubnetBook implements Subnets {
  readonly #api: SubnetBookOptions["api"];
  readonly #found: ExpiringMap<readonly StatusSubnet[]>;
  readonly #counts: ExpiringMap<Count>;
  readonly #withdrawals = new WeakMap<ReadonlyMap<string, string>, readonly Withdrawal[]>();

  constructor({ api, clock, settings }: SubnetBookOptions) {
    const { subnetRefreshMilliseconds } = settings;
    this.#api = api;
    this.#found = new ExpiringMap({ clock, milliseconds: subnetRefreshMilliseconds });
    const milliseconds = Math.max(leastCountMilliseconds, subnetRefreshMilliseconds + countOutlastsRefreshBy);
    this.#counts = new ExpiringMap({ clock, milliseconds, most: mostSubnets });
  }

  async find(nodeClass: Ec2NodeClass): Promise<readonly StatusSubnet[]> {
    const key = revisionOf(nodeClass);
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const requests = subnetFilters(nodeClass.spec.subnetSelectorTerms);
    const answers = await Promise.all(
      requests.map((Filters) => this.#api.ec2.describeSubnets({ Filters: [...Filters] })),
    );
    const subnets = answers.flat();
    for (const { SubnetId = "", AvailableIpAddressCount: free = 0 } of subnets) this.#counts.set(SubnetId, { free });
    const found = toStatus(subnets);
    this.#found.set(key, found);
    return found;
  }

  take(nodeClass: Ec2NodeClass, addressesByZone: ReadonlyMap<string, number>): ReadonlyMap<string, string> {
    const taken = new Map<string, string>();
    const withdrawals: Withdrawal[] = [];
    for (const [zone, addresses] of addressesByZone) {
      const subnetId = this.#roomiest(nodeClass.status.subnets.filter((subnet) => subnet.zone === zone));
      if (subnetId === undefined) continue;
      taken.set(zone, subnetId);
      const count = this.#counts.get(subnetId);
      if (count === undefined) continue;
      count.free -= addresses;
      withdrawals.push({ subnetId, count, addresses });
    }
    this.#withdrawals.set(taken, withdrawals);
    return taken;
  }

  giveBack(taken: ReadonlyMap<string, string>, used: ReadonlySet<string>): void {
    for (const { subnetId, count, addresses } of this.#withdrawals.get(taken) ?? []) {
      // Changes nothing when the subnet was read meanwhile: that count knows of nothing that was taken before.
      if (!used.has(subnetId)) count.free += addresses;
    }
    this.#withdrawals.delete(taken);
  }

  markFull(subnetId: string): void {
    this.#counts.set(subnetId, { free: 0 });
  }

  /** The first of those that have equally many. */
  #roomiest(subnets: readonly StatusSubnet[]): string | undefined {
    let best: { readonly id: string; readonly free: number } | undefined;
    for (const { id } of subnets) {
      const free = this.#counts.get(id)?.free ?? 0;
      if (best === undefined || free > best.free) best = { id, free };
    }
    return best?.id;
  }
}

/** Each once, the one with the most free addresses first. */
function toStatus(subnets: readonly Subnet[]): readonly StatusSubnet[] {
  const byId = new Map(subnets.map((subnet) => [subnet.SubnetId ?? "", subnet]));
  return [...byId]
    .sort(
      ([leftId, left], [rightId, right]) =>
        (right.AvailableIpAddressCount ?? 0) - (left.AvailableIpAddressCount ?? 0) || (leftId < rightId ? -1 : 1),
    )
    .map(([id, { AvailabilityZone: zone = "", AvailabilityZoneId: zoneID }]) => ({ id, zone, zoneID }));
}
