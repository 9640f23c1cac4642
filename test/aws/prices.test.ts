import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PriceBook } from "../../src/adapters/aws/pricing/price-book.ts";
import { PriceRefresher } from "../../src/adapters/aws/pricing/price-refresher.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";

const hour = 60 * 60_000;

describe("prices", () => {
  it("are built in at first, for the spot market too", () => {
    const { prices } = new Market();
    assert.equal(prices.onDemand("m5.large"), 0.096);
    assert.equal(prices.spot("m5.large", "us-west-2a"), 0.096);
    assert.equal(prices.onDemand("x.unheard-of"), undefined);
    assert.equal(prices.spot("x.unheard-of", "us-west-2a"), undefined);
  });

  it("are what AWS tells, and built in where it tells nothing", async () => {
    const { prices } = new Market();
    await prices.refresh("on-demand");
    await prices.refresh("spot");
    assert.equal(prices.onDemand("m5.large"), 0.2);
    assert.equal(prices.onDemand("c5.large"), 0.085);
    assert.equal(prices.spot("m5.large", "us-west-2a"), 0.03);
    assert.equal(prices.spot("m5.large", "us-west-2b"), undefined);
    assert.equal(prices.spot("c5.large", "us-west-2a"), undefined);
  });

  it("stay when AWS no longer tells them", async () => {
    const market = new Market();
    await market.prices.refresh("spot");
    market.spot = { zone: "us-west-2b", price: "0.05" };
    await market.prices.refresh("spot");
    assert.equal(market.prices.spot("m5.large", "us-west-2a"), 0.03);
    assert.equal(market.prices.spot("m5.large", "us-west-2b"), 0.05);
  });

  it("have a new version only when they differ", async () => {
    const market = new Market();
    const versions: number[] = [];
    for (const change of [() => {}, () => {}, () => (market.onDemand = "0.3"), () => (market.spot.price = "0.04")]) {
      change();
      await market.prices.refresh("on-demand");
      await market.prices.refresh("spot");
      versions.push(market.prices.version);
    }
    assert.deepEqual(versions, [2, 2, 3, 4]);
  });

  it("name the action that a role lacks", async () => {
    const market = new Market();
    market.failure = Object.assign(new Error("no"), { name: "AccessDenied", $metadata: { httpStatusCode: 403 } });
    await assert.rejects(market.prices.refresh("on-demand"), /AWS refuses pricing:GetProducts/);
    await assert.rejects(market.prices.refresh("spot"), /AWS refuses ec2:DescribeSpotPriceHistory/);
  });

  it("are not asked for on demand where there is no price list", async () => {
    for (const market of [new Market({ isolatedVpc: true }), new Market({ region: "us-gov-west-1" })]) {
      await market.prices.refresh("on-demand");
      await market.prices.refresh("spot");
      assert.deepEqual(market.calls, ["spot"]);
    }
  });
});

describe("the refresher of prices", () => {
  it("asks twice a day, however often it is started", async () => {
    const market = new Market();
    for (let term = 0; term < 3; term++) await market.run(hour);
    assert.deepEqual(market.calls, ["on-demand", "on-demand", "spot"]);
    await market.run(10 * hour);
    assert.deepEqual(market.calls.length, 6);
  });

  it("keeps the prices and tries again, ever later, while AWS does not answer", async () => {
    const market = new Market();
    await market.run(hour);
    market.failure = new Error("the network is down");
    market.calls.length = 0;
    await market.run(12 * hour);
    assert.equal(market.prices.onDemand("m5.large"), 0.2);
    assert.equal(market.prices.spot("m5.large", "us-west-2a"), 0.03);
    const tries = market.calls.filter((call) => call === "spot").length;
    assert.ok(tries > 10 && tries < 25, `${tries} tries in an hour`);
    assert.ok(market.telemetry.lines.some(({ message }) => message === "Reconciler error"));
  });

  it("renews one market while the other fails", async () => {
    const market = new Market();
    market.onDemand = "none";
    await market.run(hour);
    assert.equal(market.prices.onDemand("m5.large"), 0.096);
    assert.equal(market.prices.spot("m5.large", "us-west-2a"), 0.03);
    assert.equal(market.calls.filter((call) => call === "spot").length, 1);
    market.onDemand = "0.2";
    await market.run(hour);
    assert.equal(market.prices.onDemand("m5.large"), 0.2);
  });
});

class Market {
  readonly clock = new VirtualClock(0);
  readonly telemetry = new RecordingTelemetry();
  readonly calls: string[] = [];
  readonly prices: PriceBook;
  onDemand = "0.2";
  spot = { zone: "us-west-2a", price: "0.03" };
  failure: Error | undefined;

  constructor({ isolatedVpc = false, region = "us-west-2" } = {}) {
    const market = this;
    this.prices = new PriceBook({
      api: {
        region,
        pricing: {
          async *getProducts() {
            market.call("on-demand");
            yield [
              JSON.stringify({
                product: { attributes: { instanceType: "m5.large" } },
                terms: { OnDemand: { a: { priceDimensions: { b: { pricePerUnit: { USD: market.onDemand } } } } } },
              }),
            ];
          },
        },
        ec2: {
          async *describeSpotPriceHistory() {
            market.call("spot");
            const { zone, price } = market.spot;
            yield [{ InstanceType: "m5.large", AvailabilityZone: zone, SpotPrice: price, Timestamp: new Date(0) }];
          },
        },
      },
      settings: { isolatedVpc },
      clock: this.clock,
      log: this.telemetry.log,
    });
  }

  call(name: string): void {
    this.calls.push(name);
    if (this.failure !== undefined) throw this.failure;
  }

  /** Leads for so long. */
  async run(milliseconds: number): Promise<void> {
    const refresher = new PriceRefresher(this);
    refresher.start();
    await this.clock.advance(milliseconds);
    await refresher.stop();
  }
}
