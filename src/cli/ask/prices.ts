import { fallbackRegionOf, loadFallbackPrices } from "../../adapters/aws/pricing/fallback-prices.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import { capacityTypeLabel, instanceTypeLabel, type Labels, zoneLabel } from "../../core/model/labels.ts";
import { nodePrice } from "../../core/model/node-price.ts";
import { labelledPrice, type PriceFinder } from "../nodes/look-at-cluster.ts";

/** What nodes cost: what they say themselves, what the catalogue asks, or the list price that is built in. */
export function createPriceFinder(catalogue: readonly InstanceType[]): PriceFinder {
  const tables = new Map<string, ReadonlyMap<string, number>>();
  return (labels, providerId) => {
    const known = labelledPrice(labels) ?? nodePrice(labels, catalogue);
    if (known !== undefined) return known;
    if (!providerId.startsWith("aws://") || !isOnDemand(labels)) return undefined;
    const region = regionOf(labels);
    // The table of another region would be a guess, and that of China is not in dollars.
    if (fallbackRegionOf(region) !== region || region.startsWith("cn-")) return undefined;
    const table = tables.get(region) ?? loadFallbackPrices(region);
    tables.set(region, table);
    return table.get(labels.get(instanceTypeLabel) ?? "");
  };
}

/** Karpenter says so, or the managed node group that the node is of. */
function isOnDemand(labels: Labels): boolean {
  const own = labels.get(capacityTypeLabel) ?? labels.get("eks.amazonaws.com/capacityType") ?? "";
  return own.toLowerCase().replace("_", "-") === "on-demand";
}

function regionOf(labels: Labels): string {
  return labels.get("topology.kubernetes.io/region") ?? labels.get(zoneLabel)?.replace(/[a-z]$/, "") ?? "";
}
