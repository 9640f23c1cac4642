import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EmbeddedCluster } from "../cluster.ts";
import { VirtualClock } from "../time/virtual-clock.ts";
import type { Affliction } from "./affliction.ts";

interface Listed {
  items: {
    metadata: { name: string; deletionTimestamp?: string };
    status: { conditions: { type: string; status: string }[] };
  }[];
}

async function start(affliction: Affliction, seed = 1) {
  const clock = new VirtualClock(0);
  const cluster = new EmbeddedCluster({ clock, seed });
  cluster.afflict(affliction);
  const resources = { cpu: "4", memory: "16Gi", pods: "110" };
  for (let i = 0; i < 40; i++) {
    const body = { metadata: { name: `node-${i}` }, status: { capacity: resources, allocatable: resources } };
    await cluster.transport.send({ method: "POST", path: "/api/v1/nodes", body });
  }
  const ready = async (): Promise<string[]> => {
    const { items } = (await cluster.transport.send({ method: "GET", path: "/api/v1/nodes" })).body as Listed;
    return items
      .filter(({ status }) => status.conditions.some(({ type, status: value }) => type === "Ready" && value === "True"))
      .map(({ metadata }) => metadata.name);
  };
  return { clock, cluster, ready };
}

describe("afflictions", () => {
  it("keep a share of the nodes from ever becoming ready: the same ones for the same seed", async () => {
    const after = async (seed: number): Promise<string[]> => {
      const { clock, ready } = await start({ effect: "never-ready", share: 0.5 }, seed);
      await clock.advance(600_000);
      return await ready();
    };
    const [first, again, other] = [await after(1), await after(1), await after(2)];
    assert.ok(first.length > 8 && first.length < 32, `about half of 40: ${first.length}`);
    assert.deepEqual(again, first);
    assert.notDeepEqual(other, first);
  });

  it("make nodes flap", async () => {
    const { clock, ready } = await start({ effect: "flap", periodSeconds: 60, share: 1 });
    const counts: number[] = [];
    for (let i = 0; i < 4; i++) {
      await clock.advance(60_000);
      counts.push((await ready()).length);
    }
    assert.deepEqual([Math.max(...counts), Math.min(...counts)], [40, 0]);
  });

  it("let nodes fall silent, which then are unknown", async () => {
    const { clock, ready } = await start({ effect: "fall-silent", afterMs: 100_000, share: 1 });
    await clock.advance(90_000);
    const before = (await ready()).length;
    await clock.advance(120_000);
    assert.deepEqual([before, (await ready()).length], [40, 0]);
  });

  it("let pods never end", async () => {
    const { clock, cluster } = await start({ effect: "endless-pods", share: 1 });
    const path = "/api/v1/namespaces/default/pods";
    const spec = { terminationGracePeriodSeconds: 5, containers: [{ name: "main", image: "example.com/main:1" }] };
    await cluster.transport.send({ method: "POST", path, body: { metadata: { name: "one" }, spec } });
    await clock.advance(30_000);
    await cluster.transport.send({ method: "DELETE", path: `${path}/one` });
    await clock.advance(3_600_000);
    const { status } = await cluster.transport.send({ method: "GET", path: `${path}/one` });
    assert.equal(status, 200);
  });
});
