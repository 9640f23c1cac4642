import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fallbackRegionOf, loadFallbackPrices } from "./fallback-prices.ts";
import { isTypeName } from "./read-price.ts";

describe("fallback prices", () => {
  it("are those of the region, or of another in its partition", () => {
    const regions = ["us-east-1", "eu-west-1", "us-gov-east-1", "us-gov-north-9", "cn-north-1", "cn-northwest-1", ""];
    assert.deepEqual(regions.map(fallbackRegionOf), [
      "us-east-1",
      "us-east-1",
      "us-gov-east-1",
      "us-gov-west-1",
      "cn-north-1",
      "cn-north-1",
      "us-east-1",
    ]);
  });

  it("are known for the common types of every partition", () => {
    for (const region of ["us-east-1", "us-gov-east-1", "us-gov-west-1", "cn-north-1"]) {
      const prices = loadFallbackPrices(region);
      assert.ok([...prices].every(([name, price]) => isTypeName(name) && price > 0 && price < 2_000));
      for (const name of ["m5.large", "c5.xlarge", "m6g.large", "m5.metal"]) assert.ok(prices.has(name), region + name);
    }
    assert.equal(loadFallbackPrices("ap-southeast-2").get("m5.large"), 0.096);
  });
});
