import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seededRandom } from "../../src/core/model/seeded-random.ts";
import { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import type { Fault } from "../../src/embedded/faults/fault.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { isNewerVersion, type KubeObject } from "../../src/runtime/kube-object.ts";
import { Reflector } from "../../src/runtime/reflector.ts";
import { nodes } from "../../src/runtime/resources.ts";

/** A cluster of nodes, followed by a reflector that notes all it tells. */
class Stage {
  readonly clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
  readonly cluster: EmbeddedCluster;
  readonly seen = new Map<string, KubeObject>();
  readonly told: { key: string; version: string }[] = [];
  readonly errors: Error[] = [];
  readonly reflector: Reflector;
  readonly definition;
  onPut: (key: string) => void = () => {};

  constructor(seed: number, keptEvents = 50) {
    this.cluster = new EmbeddedCluster({
      clock: this.clock,
      seed,
      keptEvents,
      without: ["workloads", "scheduler", "kubelet"],
    });
    this.definition = this.cluster.api.registry.builtIn("", "nodes");
    this.reflector = new Reflector({
      transport: this.cluster.transport,
      resource: nodes,
      clock: this.clock,
      random: seededRandom(seed),
      onError: (error) => this.errors.push(error),
      sink: {
        put: (key, object) => {
          this.told.push({ key, version: object.metadata.resourceVersion ?? "" });
          this.seen.set(key, object);
          this.onPut(key);
        },
        remove: (key) => {
          this.seen.delete(key);
        },
      },
    });
  }

  create(name: string): void {
    this.cluster.api.create(this.definition, { metadata: { name } });
  }

  label(name: string, value: string): void {
    this.cluster.api.patch({ definition: this.definition, name }, (current) => ({
      ...current,
      metadata: { ...(current.metadata as object), labels: { value } },
    }));
  }

  remove(name: string): void {
    this.cluster.api.delete({ definition: this.definition, name });
  }

  /** As the store has it: names with versions. */
  stored(): Map<string, string> {
    const items = [...this.cluster.api.collection(this.definition).list()];
    return new Map(items.map(({ metadata }) => [metadata.name ?? "", metadata.resourceVersion ?? ""]));
  }

  known(): Map<string, string> {
    return new Map(Array.from(this.seen, ([key, { metadata }]) => [key, metadata.resourceVersion ?? ""]));
  }

  stop(): void {
    this.reflector.stop();
    this.cluster.stop();
  }
}

describe("Reflector", () => {
  it("lists everything in pages, then follows every change", async () => {
    const stage = new Stage(1);
    for (let i = 0; i < 1_200; i++) stage.create(`n-${i}`);
    stage.reflector.start();
    await stage.clock.advance(100);
    assert.equal(stage.reflector.isSynced, true);
    assert.deepEqual(stage.known(), stage.stored());
    stage.create("later");
    stage.label("n-7", "x");
    stage.remove("n-8");
    await stage.clock.advance(100);
    assert.deepEqual(stage.known(), stage.stored());
    stage.stop();
  });

  it("goes on when what it tells throws, and says so", async () => {
    const stage = new Stage(1);
    stage.onPut = (key) => {
      if (key === "bad") throw new Error("cannot digest");
    };
    stage.reflector.start();
    await stage.clock.advance(100);
    stage.create("bad");
    stage.create("good");
    await stage.clock.advance(100);
    assert.equal(stage.seen.has("good"), true);
    assert.match(stage.errors.map(({ message }) => message).join(), /could not be taken in/);
    stage.stop();
  });

  it("misses nothing that happened while the server had forgotten where it was", async () => {
    const stage = new Stage(1, 5);
    stage.create("gone");
    stage.reflector.start();
    await stage.clock.advance(100);
    stage.cluster.faults.inject({ effect: "cut-watch", afterMs: 10, probability: 1, times: 1 });
    stage.cluster.faults.inject({ effect: "drop", at: "request", probability: 1, times: 3 });
    await stage.clock.advance(700_000);
    stage.remove("gone");
    for (let i = 0; i < 30; i++) stage.create(`n-${i}`);
    stage.cluster.faults.compact();
    await stage.clock.advance(60_000);
    assert.deepEqual(stage.known(), stage.stored());
    stage.stop();
  });

  it("takes in what a write left behind at once, and does not tell it again", async () => {
    const stage = new Stage(1);
    stage.reflector.start();
    await stage.clock.advance(100);
    const before = stage.told.length;
    const { body } = await stage.cluster.transport.send({
      method: "POST",
      path: "/api/v1/nodes",
      contentType: "application/json",
      body: { metadata: { name: "mine" } },
    });
    stage.reflector.apply(body as KubeObject);
    assert.equal(stage.seen.has("mine"), true);
    await stage.clock.advance(100);
    assert.deepEqual(
      stage.told.slice(before).map(({ key }) => key),
      ["mine"],
    );
    stage.stop();
  });

  it("does not bring back what is gone when the answer to a write comes late", async () => {
    const stage = new Stage(1);
    stage.create("brief");
    stage.reflector.start();
    await stage.clock.advance(100);
    const late = stage.seen.get("brief");
    stage.remove("brief");
    await stage.clock.advance(1_000);
    assert.equal(stage.seen.has("brief"), false);
    stage.reflector.apply(late as KubeObject);
    assert.equal(stage.seen.has("brief"), false);
    stage.stop();
  });

  const faults: readonly Fault[] = [
    { effect: "refuse", status: 500, probability: 0.2 },
    { effect: "refuse", status: 429, probability: 0.1 },
    { effect: "drop", at: "request", probability: 0.2 },
    { effect: "drop", at: "half-answer", probability: 0.1 },
    { effect: "cut-watch", afterMs: 3_000, probability: 0.5 },
    { effect: "delay-watch", byMs: 700, probability: 0.3 },
    { effect: "expire-watch", probability: 0.2 },
    { effect: "slow", byMs: 2_000, probability: 0.2 },
  ];

  for (let seed = 1; seed <= 8; seed++) {
    it(`ends up with what is stored, telling no state twice and none after a newer one (seed ${seed})`, async () => {
      const stage = new Stage(seed, 20);
      const random = seededRandom(seed * 77);
      for (const fault of faults) stage.cluster.faults.inject({ ...fault, times: 40 });
      stage.reflector.start();
      for (let step = 0; step < 150; step++) {
        const name = `n-${Math.floor(random() * 15)}`;
        const exists = stage.stored().has(name);
        if (!exists) stage.create(name);
        else if (random() < 0.6) stage.label(name, String(step));
        else stage.remove(name);
        if (random() < 0.05) stage.cluster.faults.compact();
        await stage.clock.advance(random() * 2_000);
      }
      // Whatever strikes has run out of strikes by then.
      await stage.clock.advance(1_200_000);
      assert.deepEqual(stage.known(), stage.stored());
      const last = new Map<string, string>();
      for (const { key, version } of stage.told) {
        const before = last.get(key);
        assert.ok(before === undefined || isNewerVersion(version, before), `${key} went from ${before} to ${version}`);
        last.set(key, version);
      }
      stage.stop();
    });
  }
});
