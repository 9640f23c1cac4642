import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PricingApi } from "../api/aws-api.ts";
import { fetchOnDemandPrices, readProduct } from "./price-list.ts";

function product(instanceType: unknown, ...prices: readonly object[]): string {
  const dimensions = Object.fromEntries(prices.map((pricePerUnit, index) => [index, { pricePerUnit }]));
  return JSON.stringify({
    product: { attributes: { instanceType } },
    terms: { OnDemand: { term: { priceDimensions: dimensions } } },
  });
}

describe("readProduct", () => {
  it("reads the price of a type in the currency of the region", () => {
    const text = product("m5.large", { USD: "0.0960000000", CNY: "0.69" });
    assert.deepEqual(readProduct(text, "USD"), { instanceType: "m5.large", price: 0.096 });
    assert.deepEqual(readProduct(text, "CNY"), { instanceType: "m5.large", price: 0.69 });
  });

  it("takes the last price that is more than nothing", () => {
    const text = product("m5.large", { USD: "0.1" }, { USD: "0.2" }, { USD: "0.0000000000" });
    assert.equal(readProduct(text, "USD")?.price, 0.2);
  });

  it("reads nothing from anything else", () => {
    const hostile = [
      "",
      "{",
      "null",
      "1",
      "[]",
      '"m5.large"',
      "{}",
      "[".repeat(100_000),
      '{"product":{"attributes":{"instanceType":"m5.large"}},"terms":{"OnDemand":[1,null,{"priceDimensions":7}]}}',
      product("__proto__", { USD: "1" }),
      product("m5.large\n", { USD: "1" }),
      product(["m5.large"], { USD: "1" }),
      product("m5.large"),
      product("m5.large", { EUR: "1" }),
      ...["", "0", "-1", "NaN", "Infinity", "1e999", "0x10", " 1", "1 USD", `${"9".repeat(400)}`].map((USD) =>
        product("m5.large", { USD }),
      ),
      product("m5.large", { USD: 1 }),
      product("m5.large", { USD: { valueOf: 1 } }),
    ];
    for (const text of hostile) assert.equal(readProduct(text, "USD"), undefined, text.slice(0, 80));
  });
});

describe("fetchOnDemandPrices", () => {
  const listOf = (shared: readonly string[], metal: readonly string[]): PricingApi => ({
    async *getProducts({ Filters = [] }) {
      const family = Filters.find(({ Field }) => Field === "productFamily")?.Value;
      yield family === "Compute Instance" ? shared : metal;
    },
  });

  it("asks for shared machines and whole ones, and counts what it cannot read", async () => {
    const api = listOf([product("m5.large", { USD: "0.1" }), "?"], [product("m5.metal", { USD: "5" }), "null"]);
    assert.deepEqual(await fetchOnDemandPrices(api, "us-west-2"), {
      prices: new Map([
        ["m5.large", 0.1],
        ["m5.metal", 5],
      ]),
      skipped: 2,
    });
  });

  it("rejects when either has no prices", async () => {
    const api = listOf([product("m5.large", { USD: "0.1" })], []);
    await assert.rejects(fetchOnDemandPrices(api, "us-west-2"), {
      message: 'The price list of us-west-2 has no prices for "Compute Instance (bare metal)"',
    });
  });

  it("asks for Linux without extras, on demand, in the region", async () => {
    const asked: unknown[] = [];
    const api: PricingApi = {
      async *getProducts(input) {
        asked.push(input);
        yield [product("m5.large", { CNY: "0.1" })];
      },
    };
    await fetchOnDemandPrices(api, "cn-north-1");
    const filter = (Field: string, Value: string) => ({ Field, Value, Type: "TERM_MATCH" });
    const common = [
      filter("serviceCode", "AmazonEC2"),
      filter("preInstalledSw", "NA"),
      filter("operatingSystem", "Linux"),
      filter("capacitystatus", "Used"),
      filter("marketoption", "OnDemand"),
      filter("regionCode", "cn-north-1"),
    ];
    assert.deepEqual(asked, [
      {
        ServiceCode: "AmazonEC2",
        Filters: [...common, filter("tenancy", "Shared"), filter("productFamily", "Compute Instance")],
      },
      {
        ServiceCode: "AmazonEC2",
        Filters: [...common, filter("tenancy", "Dedicated"), filter("productFamily", "Compute Instance (bare metal)")],
      },
    ]);
  });
});
