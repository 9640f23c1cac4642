import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { Batch } from "../../src/controllers/provisioner/batch.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";

describe("a batch of nodes", () => {
  let clock: VirtualClock;
  let past: string[];
  let batch: Batch;

  const say = (what: string): void => void past.push(`${clock.now() / 1000} s: ${what}`);
  const ready = (name: string): void => void batch.ready(name).then(() => say(`open ${name}`));

  beforeEach(() => {
    clock = new VirtualClock(0);
    past = [];
    batch = new Batch(["a", "b", "c"], {
      clock,
      patience: 10_000,
      onJoined: (names) => say(`joined ${names}`),
      prepare: async (names) => say(`prepare ${names}`),
      order: (names) => [...names].sort().reverse(),
    });
  });

  it("has joined when all have, each of them once", async () => {
    for (const name of ["b", "a", "b"]) batch.join(name);
    await clock.advance(3_000);
    assert.deepEqual(past, []);
    batch.join("c");
    await clock.advance(60_000);
    assert.deepEqual(past, ["3 s: joined b,a,c"]);
  });

  it("is prepared and opened when all are ready, in its order", async () => {
    ready("a");
    ready("b");
    await clock.advance(4_000);
    assert.deepEqual(past, []);
    ready("c");
    await clock.advance(0);
    assert.deepEqual(past, ["4 s: prepare a,b,c", "4 s: open c", "4 s: open b", "4 s: open a"]);
  });

  it("waits ten seconds from the first that comes, and no longer", async () => {
    await clock.advance(60_000);
    batch.join("a");
    ready("a");
    await clock.advance(4_000);
    batch.join("b");
    await clock.advance(60_000);
    assert.deepEqual(past, ["70 s: joined a,b", "70 s: prepare a", "70 s: open a"]);
  });

  it("lets those that come later wait for each other anew", async () => {
    ready("a");
    await clock.advance(20_000);
    ready("b");
    await clock.advance(5_000);
    ready("c");
    await clock.advance(0);
    assert.deepEqual(past.slice(2), ["25 s: prepare b,c", "25 s: open c", "25 s: open b"]);
  });

  it("does not wait for one that leaves, and lets it go at once", async () => {
    ready("a");
    ready("b");
    batch.join("a");
    batch.join("b");
    batch.leave("c");
    await clock.advance(0);
    assert.deepEqual(past, ["0 s: joined a,b", "0 s: prepare a,b", "0 s: open b", "0 s: open a"]);
    ready("c");
    batch.leave("c");
    await clock.advance(0);
    assert.equal(past.at(-1), "0 s: open c");
  });

  it("opens one that leaves while others wait, and prepares it no more", async () => {
    ready("a");
    ready("b");
    batch.leave("a");
    await clock.advance(0);
    assert.deepEqual(past, ["0 s: open a"]);
    ready("c");
    await clock.advance(0);
    assert.deepEqual(past.slice(1), ["0 s: prepare b,c", "0 s: open c", "0 s: open b"]);
  });

  it("lets go of everybody when it stops, and leaves no timer", async () => {
    batch.join("a");
    ready("a");
    batch.stop();
    await clock.advance(60_000);
    assert.deepEqual(past, ["0 s: open a"]);
  });
});
