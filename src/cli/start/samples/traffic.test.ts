import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { EmbeddedCluster } from "../../../embedded/cluster.ts";
import { loadManifests } from "../../../embedded/manifests.ts";
import { VirtualClock } from "../../../embedded/time/virtual-clock.ts";
import { Traffic } from "./traffic.ts";
import { sampleObjects } from "./workloads.ts";

const minute = 60_000;
const path = "/apis/apps/v1/namespaces/shop/deployments/storefront/scale";

describe("traffic", () => {
  let clock: VirtualClock;
  let cluster: EmbeddedCluster;
  let traffic: Traffic;
  let told: string[];
  beforeEach(() => {
    clock = new VirtualClock(0);
    cluster = new EmbeddedCluster({ clock, seed: 1 });
    loadManifests(cluster, sampleObjects.map((object) => JSON.stringify(object)).join("\n---\n"));
    told = [];
    // Every step is about the storefront, and there is nothing uncertain about how many come.
    let draws = 0;
    const random = (): number => (draws++ % 2 === 0 ? 0 : 0.5);
    traffic = new Traffic({ transport: cluster.transport, clock, random, tell: ({ text }) => told.push(text) });
    traffic.start();
  });
  afterEach(() => {
    traffic.stop();
    cluster.stop();
  });

  const storefronts = async (): Promise<number> => {
    const { body } = await cluster.transport.send({ method: "GET", path });
    return (body as { spec: { replicas?: number } }).spec.replicas ?? 0;
  };
  const scaleByHand = (replicas: number): Promise<unknown> =>
    cluster.transport.send({
      method: "PATCH",
      path,
      contentType: "application/merge-patch+json",
      body: { spec: { replicas } },
    });

  it("is little at night and much at noon", async () => {
    const counts = [await storefronts()];
    for (let i = 0; i < 2; i++) {
      await clock.advance(3 * minute);
      counts.push(await storefronts());
    }
    assert.deepEqual(counts, [6, 48, 6]);
  });

  it("leaves alone for a day what somebody has scaled by hand", async () => {
    await clock.advance(minute);
    await scaleByHand(90);
    const counts: number[] = [];
    for (let i = 0; i < 2; i++) {
      await clock.advance(3 * minute);
      counts.push(await storefronts());
    }
    await clock.advance(minute);
    counts.push(await storefronts());
    assert.deepEqual(counts, [90, 90, 38]);
    assert.ok(told.includes("somebody has scaled storefront to 90 pods: it stays so for 6 minutes"));
  });

  it("comes on top of what the keys have added, which stays", async () => {
    await Promise.all([traffic.addStorefronts(10), traffic.addStorefronts(10)]);
    const counts = [await storefronts()];
    for (let i = 0; i < 2; i++) {
      await clock.advance(3 * minute);
      counts.push(await storefronts());
    }
    assert.deepEqual(counts, [26, 68, 26]);
  });

  it("counts only pods that were there to be taken away", async () => {
    await traffic.addStorefronts(-10);
    const none = await storefronts();
    await clock.advance(3 * minute);
    assert.deepEqual([none, await storefronts()], [0, 42]);
  });
});
