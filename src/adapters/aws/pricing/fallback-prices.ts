import { readFileSync } from "node:fs";

/** When the tables were made, for people. */
export const pricedOn = "July 2026";

/** The other regions of a partition cost about the same, which is enough to choose until AWS has answered. */
const tables = ["us-gov-east-1", "us-gov-west-1", "cn-north-1", "us-east-1"] as const;

/** The table that a region starts with. */
export function fallbackRegionOf(region: string): (typeof tables)[number] {
  const own = tables.find((name) => name === region);
  if (own !== undefined) return own;
  if (region.startsWith("us-gov-")) return "us-gov-west-1";
  return region.startsWith("cn-") ? "cn-north-1" : "us-east-1";
}

/** What machines cost on demand as far as is known without asking AWS. */
export function loadFallbackPrices(region: string): ReadonlyMap<string, number> {
  const file = new URL(`on-demand-${fallbackRegionOf(region)}.json`, import.meta.url);
  return new Map(Object.entries(JSON.parse(readFileSync(file, "utf8")) as Record<string, number>));
}
