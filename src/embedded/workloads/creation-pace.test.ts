import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ReplicaSet } from "kubernetes-types/apps/v1.js";
import { EmbeddedCluster } from "../cluster.ts";
import { VirtualClock } from "../time/virtual-clock.ts";

describe("a cluster that creates ten pods a second", () => {
  it("creates them at even intervals, and no more than are asked for", async () => {
    const clock = new VirtualClock(0);
    const cluster = new EmbeddedCluster({ clock, seed: 1, podsPerSecond: 10 });
    const { api } = cluster;
    const times: number[] = [];
    api.collection(api.registry.builtIn("", "pods")).subscribe(({ type }) => {
      if (type === "ADDED") times.push(clock.now());
    });
    const labels = { app: "web" };
    const set: ReplicaSet = {
      metadata: { name: "web" },
      spec: {
        replicas: 4,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "example.com/main:1" }] } },
      },
    };
    api.create(api.registry.builtIn("apps", "replicasets"), set, { namespace: "default" });
    await clock.advance(2_000);
    cluster.stop();
    assert.deepEqual(times, [0, 100, 200, 300]);
  });
});
