// Prices, asked for over the wire.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { PriceBook } from "../../../src/adapters/aws/pricing/price-book.ts";
import { systemClock } from "../../../src/embedded/time/system-clock.ts";
import { RecordingTelemetry } from "../../support/recording-telemetry.ts";
import { control, openApi, region, reset } from "../stage.ts";

let api: AwsApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());
beforeEach(reset);

const zone = `${region}a`;
const book = (isolatedVpc = false): PriceBook =>
  new PriceBook({ api, settings: { isolatedVpc }, clock: systemClock, log: new RecordingTelemetry().log });

describe("prices over the wire", () => {
  it("are those of the price list, of machines and of whole ones, page by page", async () => {
    await control.setPrices({ onDemand: { "m5.large": 0.123, "m5.metal": 7.5 } });
    const prices = book();
    await prices.refresh("on-demand");
    assert.equal(prices.onDemand("m5.large"), 0.123);
    assert.equal(prices.onDemand("m5.metal"), 7.5);
    assert.ok((await control.calls("GetProducts")).length > 2);
  });

  it("are those of the spot market", async () => {
    await control.setPrices({ spot: [{ instanceType: "m5.large", zone, price: 0.0123 }], without: ["c5.large"] });
    const prices = book();
    await prices.refresh("spot");
    assert.equal(prices.spot("m5.large", zone), 0.0123);
    assert.equal(prices.spot("c5.large", zone), undefined);
    assert.equal(prices.onDemand("m5.large"), 0.096);
  });

  it("are asked for by no answer from memory", async () => {
    const prices = book();
    await prices.refresh("spot");
    await control.clearCalls();
    for (let times = 0; times < 100; times++) prices.spot("m5.large", zone);
    assert.deepEqual(await control.calls(), []);
  });

  it("stay as they are where AWS refuses to tell", async () => {
    const prices = book();
    await control.deny("GetProducts");
    await control.deny("DescribeSpotPriceHistory");
    await assert.rejects(prices.refresh("on-demand"), /AWS refuses pricing:GetProducts/);
    await assert.rejects(prices.refresh("spot"), /AWS refuses ec2:DescribeSpotPriceHistory/);
    assert.equal(prices.onDemand("m5.large"), 0.096);
    assert.equal(prices.spot("m5.large", zone), 0.096);
  });

  it("stay as they are when the answer breaks off in the middle", async () => {
    const prices = book();
    await control.fail("GetProducts", { code: "InternalErrorException", status: 400 }, { skip: 3 });
    await assert.rejects(prices.refresh("on-demand"));
    assert.equal(prices.version, 0);
  });

  it("on demand are not asked for in an isolated network", async () => {
    await book(true).refresh("on-demand");
    assert.deepEqual(await control.calls("GetProducts"), []);
  });
});
