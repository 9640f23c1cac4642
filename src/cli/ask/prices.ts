import type { AwsApi } from "../../adapters/aws/api/aws-api.ts";
import { fallbackRegionOf, loadFallbackPrices } from "../../adapters/aws/pricing/fallback-prices.ts";
import type { Market } from "../../adapters/aws/pricing/price-book.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import { instanceTypeLabel, type Labels, zoneLabel } from "../../core/model/labels.ts";
import { nodePrice } from "../../core/model/node-price.ts";
import type { Clock } from "../../ports/clock.ts";
import { capacityTypeOf, labelledPrice, machinesIn } from "../nodes/look-at-cluster.ts";
import { askAws, type RegionPrices } from "./aws-prices.ts";
import { type Offers, type OffersOrWhy, offerKey } from "./controller-prices.ts";

export interface PricesOptions {
  readonly catalogue: readonly InstanceType[];
  readonly cluster: ClusterState;
  readonly clock: Clock;
  readonly askController: () => Promise<OffersOrWhy>;
  readonly openAws: (region: string) => Promise<AwsApi>;
}

interface Offer {
  readonly instanceType: string;
  readonly zone: string;
  readonly region: string;
  readonly capacityType: string;
}

const renewAfter = 10 * 60_000;
/** Somebody may log in meanwhile. */
const retryAfter = 60_000;

/**
 * What nodes cost: what they say themselves, what the catalogue asks, what the controller of the cluster reckons with,
 * what AWS says, or the list price that is built in, in this order. The last three for machines of AWS only.
 */
export class Prices {
  readonly #options: PricesOptions;
  readonly #tables = new Map<string, ReadonlyMap<string, number>>();
  readonly #regions = new Map<string, RegionPrices>();
  readonly #asked = new Set<string>();
  #offers: Offers = new Map();
  #controllerSays = "";
  #askAgainAt = Number.NEGATIVE_INFINITY;
  #isAsking = false;

  constructor(options: PricesOptions) {
    this.#options = options;
  }

  readonly find = (labels: Labels, providerId: string): number | undefined => {
    const known = labelledPrice(labels) ?? nodePrice(labels, this.#options.catalogue);
    if (known !== undefined) return known;
    const offer = isOfAws(providerId) ? readOffer(labels) : undefined;
    return offer === undefined || whyNever(offer) !== undefined ? undefined : this.#findOffer(offer);
  };

  /** Asks where there is something to ask for, and not too often. Never rejects. */
  async renew(): Promise<void> {
    const { clock, askController } = this.#options;
    const offers = this.#wanted().filter((offer) => whyNever(offer) === undefined);
    const hasNews = offers.some((offer) => !this.#asked.has(marketOf(offer)));
    if (this.#isAsking || offers.length === 0 || (!hasNews && clock.now() < this.#askAgainAt)) return;
    this.#isAsking = true;
    const told = await askController().catch((error: Error) => ({ why: error.message }));
    if ("offers" in told) this.#offers = told.offers;
    const rest = offers.filter((offer) => !this.#offers.has(offerKey(offer)));
    await this.#askAws(rest);
    this.#controllerSays = "why" in told ? told.why : "the controller does not buy such machines";
    for (const offer of offers) this.#asked.add(marketOf(offer));
    const hasFailed = rest.length > 0 && [...this.#regions.values()].some(({ why }) => why.length > 0);
    this.#askAgainAt = clock.now() + (hasFailed ? retryAfter : renewAfter);
    this.#isAsking = false;
  }

  /** Why machines of AWS have no price, and what to do about it, for people. */
  get notes(): readonly string[] {
    const unknown = this.#wanted().filter((offer) => whyNever(offer) ?? this.#findOffer(offer) === undefined);
    const never = new Set(unknown.flatMap((offer) => whyNever(offer) ?? []));
    const asked = unknown.filter((offer) => whyNever(offer) === undefined);
    const isAnswered = asked.length > 0 && this.#controllerSays !== "";
    const reasons = new Set(asked.flatMap(({ region }) => this.#regions.get(region)?.why ?? []));
    const aws = reasons.size === 0 ? "AWS tells none for them" : [...reasons].join("; ");
    return [
      ...(isAnswered ? [`no price for ${asked.length} of the nodes: ${this.#controllerSays}; ${aws}`] : []),
      ...Array.from(never, (why) => `no price: ${why}`),
    ];
  }

  async #askAws(offers: readonly Offer[]): Promise<void> {
    const { openAws, clock } = this.#options;
    const byRegion = Map.groupBy(offers, ({ region }) => region);
    await Promise.all(
      Array.from(byRegion, async ([region, there]) => {
        const markets = new Set(there.map(({ capacityType }) => capacityType as Market));
        const api = await openAws(region);
        try {
          const before = this.#regions.get(region);
          const prices = await askAws(api, markets, clock);
          // What AWS told before is better than nothing.
          if (prices.why.length === 0 || before === undefined || before.why.length > 0)
            this.#regions.set(region, prices);
        } finally {
          api.close();
        }
      }),
    );
  }

  /** Machines of AWS that tell no price themselves. */
  #wanted(): readonly Offer[] {
    const { cluster, catalogue } = this.#options;
    return machinesIn(cluster).flatMap(({ labels, providerId }) =>
      isOfAws(providerId) && (labelledPrice(labels) ?? nodePrice(labels, catalogue)) === undefined
        ? [readOffer(labels)]
        : [],
    );
  }

  #findOffer(offer: Offer): number | undefined {
    const { region, instanceType, zone, capacityType } = offer;
    const told = this.#offers.get(offerKey(offer));
    if (told !== undefined) return told;
    const prices = this.#regions.get(region);
    if (capacityType === "spot") return prices?.spot(instanceType, zone);
    return prices?.onDemand(instanceType) ?? this.#listPrice(offer);
  }

  /** The table of another region would be a guess. */
  #listPrice({ region, instanceType }: Offer): number | undefined {
    if (fallbackRegionOf(region) !== region) return undefined;
    const table = this.#tables.get(region) ?? loadFallbackPrices(region);
    this.#tables.set(region, table);
    return table.get(instanceType);
  }
}

function marketOf({ region, capacityType }: Offer): string {
  return `${region} ${capacityType}`;
}

function isOfAws(providerId: string): boolean {
  return providerId.startsWith("aws://");
}

function readOffer(labels: Labels): Offer {
  const zone = labels.get(zoneLabel) ?? "";
  return {
    instanceType: labels.get(instanceTypeLabel) ?? "",
    zone,
    region: labels.get("topology.kubernetes.io/region") ?? zone.replace(/[a-z]$/, ""),
    capacityType: capacityTypeOf(labels),
  };
}

/** Why nobody need be asked. */
function whyNever({ instanceType, region, capacityType }: Offer): string | undefined {
  if (region.startsWith("cn-")) return "in China machines are paid for in yuan";
  if (capacityType === "reserved") return "reserved machines are paid for with their reservation";
  // It becomes part of an address, and whoever may label a node has written it.
  if (instanceType === "" || !/^[a-z]{2}(-[a-z]+){1,3}-\d+$/.test(region)) {
    return "some nodes have no labels that tell their type and region";
  }
  if (capacityType !== "spot" && capacityType !== "on-demand") {
    return "some nodes have no label karpenter.sh/capacity-type that tells whether they are spot or on demand";
  }
  return undefined;
}
