import type { Filter } from "@aws-sdk/client-pricing";
import type { PricingApi } from "../api/aws-api.ts";
import { isTypeName, readPrice } from "./read-price.ts";

export interface OnDemandPrices {
  readonly prices: ReadonlyMap<string, number>;
  /** How many products had no price that could be read. */
  readonly skipped: number;
}

/** Machines that are shared, and whole ones, which are listed apart. */
const families = [
  { tenancy: "Shared", productFamily: "Compute Instance" },
  { tenancy: "Dedicated", productFamily: "Compute Instance (bare metal)" },
];

/** Asks the price list for all machines with Linux of a region. Rejects unless both families have prices. */
export async function fetchOnDemandPrices(api: PricingApi, region: string): Promise<OnDemandPrices> {
  const currency = region.startsWith("cn-") ? "CNY" : "USD";
  const prices = new Map<string, number>();
  let skipped = 0;
  const fetchFamily = async (family: (typeof families)[number]): Promise<void> => {
    let count = 0;
    const input = { ServiceCode: "AmazonEC2", Filters: filtersOf({ regionCode: region, ...family }) };
    for await (const page of api.getProducts(input)) {
      for (const text of page) {
        const product = readProduct(text, currency);
        if (product === undefined) skipped++;
        else {
          prices.set(product.instanceType, product.price);
          count++;
        }
      }
    }
    if (count === 0) throw new Error(`The price list of ${region} has no prices for "${family.productFamily}"`);
  };
  await Promise.all(families.map(fetchFamily));
  return { prices, skipped };
}

function filtersOf(more: Readonly<Record<string, string>>): Filter[] {
  const fields = {
    serviceCode: "AmazonEC2",
    preInstalledSw: "NA",
    operatingSystem: "Linux",
    capacitystatus: "Used",
    marketoption: "OnDemand",
    ...more,
  };
  return Object.entries(fields).map(([Field, Value]) => ({ Field, Value, Type: "TERM_MATCH" }));
}

/** One product of the price list, a text in JSON; undefined when it tells no price. */
export function readProduct(
  text: string,
  currency: "USD" | "CNY",
): { readonly instanceType: string; readonly price: number } | undefined {
  let product: unknown;
  try {
    product = JSON.parse(text);
  } catch {
    return undefined;
  }
  const instanceType = fieldOf(fieldOf(fieldOf(product, "product"), "attributes"), "instanceType");
  if (!isTypeName(instanceType)) return undefined;
  const price = valuesOf(fieldOf(fieldOf(product, "terms"), "OnDemand"))
    .flatMap((term) => valuesOf(fieldOf(term, "priceDimensions")))
    .map((dimension) => readPrice(fieldOf(fieldOf(dimension, "pricePerUnit"), currency)))
    .findLast((found) => found !== undefined);
  return price === undefined ? undefined : { instanceType, price };
}

function fieldOf(json: unknown, name: string): unknown {
  return isObject(json) && Object.hasOwn(json, name) ? json[name] : undefined;
}

function valuesOf(json: unknown): readonly unknown[] {
  return isObject(json) ? Object.values(json) : [];
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null;
}
