import type { Clock } from "../../ports/clock.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { AwsApi } from "./api/aws-api.ts";
import { measureAwsApi } from "./api/measure-aws-api.ts";
import type { AwsSettings } from "./aws-settings.ts";
import { Ec2Catalogue } from "./instance-types/ec2-catalogue.ts";
import { RecentlyUnavailable } from "./offerings/unavailable-offerings.ts";
import { PlacementGroupBook } from "./placement-groups/placement-group-book.ts";
import { PriceBook } from "./pricing/price-book.ts";
import { Reservations } from "./reservations/reservations.ts";
import { noShiftedZones, type ZonalShifts } from "./zonal-shift/zonal-shifts.ts";

export interface AwsMarketOptions {
  readonly api: AwsApi;
  readonly settings: AwsSettings;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** Undefined where nobody asked to heed them. */
  readonly shifts: ZonalShifts | undefined;
}

/** What is sold in the region, and what is known of it. */
export interface AwsMarket {
  readonly api: AwsApi;
  readonly catalogue: Ec2Catalogue;
  readonly prices: PriceBook;
  readonly unavailable: RecentlyUnavailable;
  readonly reservations: Reservations;
  readonly placementGroups: PlacementGroupBook;
  readonly shifts: ZonalShifts | undefined;
}

export function openAwsMarket({ api: plain, settings, clock, telemetry, shifts }: AwsMarketOptions): AwsMarket {
  const { log, metrics } = telemetry;
  const api = measureAwsApi(plain, { clock, metrics });
  const prices = new PriceBook({ api, settings, clock, log: log.with({ controller: "providers.pricing" }) });
  const unavailable = new RecentlyUnavailable({ clock, log });
  const reservations = new Reservations({ api, clock, log });
  const placementGroups = new PlacementGroupBook({ api, clock });
  const catalogue = new Ec2Catalogue({
    ec2: api.ec2,
    region: api.region,
    settings,
    clock,
    log: log.with({ controller: "providers.instancetype" }),
    market: { prices, unavailable, reservations, shiftedZones: shifts ?? noShiftedZones },
    placementGroups,
  });
  return { api, catalogue, prices, unavailable, reservations, placementGroups, shifts };
}
