import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { Batch } from "../../src/controllers/provisioner/batch.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";

/** From a to t. */
const names = Array.from({ length: 20 }, (_, index) => String.fromCharCode(97 + index));

describe("a batch of nodes", () => {
  let clock: VirtualClock;
  let past: string[];
  let batch: Batch;

  const say = (what: string): void => void past.push(`${clock.now() / 1000} s: ${what}`);
  const ready = (name: string): void => void batch.ready(name).then(() => say(`open ${name}`));

  beforeEach(() => {
    clock = new VirtualClock(0);
    past = [];
    batch = batchOf("a", "b", "c");
  });

  function batchOf(...claimNames: string[]): Batch {
    return new Batch(claimNames, {
      clock,
      patience: 10_000,
      patienceWithFew: 1_000,
      onJoined: (joined) => say(`joined ${joined}`),
      prepare: async (prepared) => say(`prepare ${prepared}`),
      order: (opened) => [...opened].sort().reverse(),
    });
  }

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

  it("opens many a few at a time, the next when one is open or takes long, so that their order is kept", async () => {
    batch = batchOf(...names);
    for (const name of names) ready(name);
    await clock.advance(49);
    assert.deepEqual([past.length, past[1], past.at(-1)], [9, "0 s: open t", "0 s: open m"]);
    batch.leave("q");
    await clock.advance(0);
    assert.equal(past.at(-1), "0.049 s: open l");
    await clock.advance(1);
    assert.deepEqual([past.length, past.at(-1)], [17, "0.05 s: open e"]);
    await clock.advance(1_000);
    assert.deepEqual([past.length, past.at(-1)], [21, "0.1 s: open a"]);
  });

  it("keeps nobody waiting once it is stopped", async () => {
    batch.stop();
    ready("a");
    await clock.advance(0);
    assert.deepEqual(past, ["0 s: open a"]);
  });

  it("waits for none that has left meanwhile", async () => {
    batch = batchOf(...names);
    for (const name of names) ready(name);
    await clock.advance(0);
    for (const name of names.slice(4, 12)) batch.leave(name);
    await clock.advance(50);
    assert.deepEqual([past.length, past.at(-1)], [21, "0.05 s: open a"]);
  });

  it("lets one that could not be opened try again at once", async () => {
    for (const name of ["a", "b", "c"]) ready(name);
    await clock.advance(0);
    ready("a");
    await clock.advance(0);
    assert.deepEqual(past.slice(-2), ["0 s: open a", "0 s: open a"]);
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

  it("waits a second for the last tenth, and that waits no longer for its own", async () => {
    batch = batchOf(...names);
    for (const name of names.slice(0, 17)) batch.join(name);
    await clock.advance(4_000);
    batch.join("r");
    await clock.advance(900);
    assert.deepEqual(past, []);
    await clock.advance(100);
    assert.deepEqual(past, [`5 s: joined ${names.slice(0, 18)}`]);
    batch.join("s");
    await clock.advance(60_000);
    assert.deepEqual(past.slice(1), ["6 s: joined s"]);
  });

  it("does not wait for the last tenth longer than for any other", async () => {
    batch = batchOf(...names);
    batch.join("a");
    await clock.advance(9_900);
    for (const name of names.slice(1, 18)) batch.join(name);
    await clock.advance(100);
    assert.deepEqual(past, [`10 s: joined ${names.slice(0, 18)}`]);
  });

  it("lets others wait until the first node opens", async () => {
    for (const name of ["a", "b", "c"]) batch.join(name);
    void batch.opened.then(() => say("others may"));
    await clock.advance(2_000);
    for (const name of ["a", "b", "c"]) ready(name);
    await clock.advance(0);
    assert.deepEqual(
      past.filter((line) => /others|open a/.test(line)),
      ["2 s: open a", "2 s: others may"],
    );
  });

  it("lets others go when nobody is left", async () => {
    for (const name of ["a", "b", "c"]) batch.join(name);
    void batch.opened.then(() => say("others may"));
    for (const name of ["a", "b"]) batch.leave(name);
    await clock.advance(1_000);
    batch.leave("c");
    await clock.advance(0);
    assert.equal(past.at(-1), "1 s: others may");
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
