import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/telemetry.ts";
import type { AwsApi } from "../api/aws-api.ts";
import { explainRefusal } from "../api/explain-refusal.ts";
import type { Prices } from "../aws-parts.ts";
import { loadFallbackPrices } from "./fallback-prices.ts";
import { fetchOnDemandPrices } from "./price-list.ts";
import { foldSpotHistory, SpotTable } from "./spot-table.ts";

export interface PriceBookOptions {
  readonly api: Pick<AwsApi, "region" | "pricing"> & {
    readonly ec2: Pick<AwsApi["ec2"], "describeSpotPriceHistory">;
  };
  readonly settings: { readonly isolatedVpc: boolean };
  readonly clock: Clock;
  readonly log: Log;
}

export type Market = "on-demand" | "spot";

/**
 * What machines cost, from memory: built-in prices until AWS has told its own, and what it told last for as long as it
 * tells nothing else. Until there are prices of the spot market, its machines count as dear as any.
 */
export class PriceBook implements Prices {
  readonly #options: PriceBookOptions;
  readonly #refreshedAt = new Map<Market, number>();
  #onDemand: ReadonlyMap<string, number>;
  #spot: SpotTable | undefined;
  #version = 0;

  constructor(options: PriceBookOptions) {
    this.#options = options;
    this.#onDemand = loadFallbackPrices(options.api.region);
  }

  get version(): number {
    return this.#version;
  }

  onDemand(instanceType: string): number | undefined {
    return this.#onDemand.get(instanceType);
  }

  spot(instanceType: string, zone: string): number | undefined {
    return this.#spot === undefined ? this.onDemand(instanceType) : this.#spot.get(instanceType, zone);
  }

  /** When AWS last told them, in milliseconds since 1970. */
  refreshedAt(market: Market): number | undefined {
    return this.#refreshedAt.get(market);
  }

  /** Asks AWS, which takes seconds and many calls. Rejects when there are no prices; then those from before stay. */
  async refresh(market: Market): Promise<void> {
    const now = this.#options.clock.now();
    if (market === "spot") await this.#refreshSpot(now);
    else if (this.#hasPriceList()) await this.#refreshOnDemand();
    this.#refreshedAt.set(market, now);
  }

  /** There is none within reach of an isolated network, and none for the regions of the government. */
  #hasPriceList(): boolean {
    const { api, settings } = this.#options;
    return !settings.isolatedVpc && !api.region.startsWith("us-gov");
  }

  async #refreshOnDemand(): Promise<void> {
    const { api, log } = this.#options;
    const { prices, skipped } = await fetchOnDemandPrices(api.pricing, api.region).catch((error) => {
      throw explainRefusal(error, "pricing:GetProducts");
    });
    if ([...prices].some(([instanceType, price]) => this.#onDemand.get(instanceType) !== price)) {
      this.#onDemand = new Map([...this.#onDemand, ...prices]);
      this.#version++;
    }
    log.debug("updated on-demand pricing", { "instance-type-count": prices.size, skipped });
  }

  async #refreshSpot(now: number): Promise<void> {
    const { api, log } = this.#options;
    const told = new SpotTable();
    let skipped = 0;
    const input = {
      ProductDescriptions: ["Linux/UNIX", "Linux/UNIX (Amazon VPC)"],
      // Only those that hold now: each is told with the moment since when it does.
      StartTime: new Date(now),
    };
    try {
      for await (const page of api.ec2.describeSpotPriceHistory(input)) skipped += foldSpotHistory(told, page);
    } catch (error) {
      throw explainRefusal(error, "ec2:DescribeSpotPriceHistory");
    }
    if (told.size === 0) throw new Error(`EC2 tells no spot prices in ${api.region} (${skipped} could not be read)`);
    this.#learnSpot(told);
    log.debug("updated spot pricing", { "offering-count": told.size, skipped });
  }

  /** A price that is no longer told stays. */
  #learnSpot(told: SpotTable): void {
    let hasNews = this.#spot === undefined;
    this.#spot ??= new SpotTable();
    for (const [instanceType, zone, price] of told.entries())
      if (this.#spot.set(instanceType, zone, price)) hasNews = true;
    if (hasNews) this.#version++;
  }
}
