import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { VirtualClock } from "../time/virtual-clock.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";

function start() {
  const clock = new VirtualClock(0);
  const woken: number[] = [];
  const queue = new SchedulingQueue(clock, () => {
    woken.push(clock.now());
    for (const { key } of queue.ready()) queue.refused(key);
  });
  return { clock, queue, woken };
}

describe("SchedulingQueue", () => {
  it("hands out the most important first, then who waits longest", () => {
    const queue = new SchedulingQueue(new VirtualClock(0), () => {});
    queue.add({ key: "late", priority: 0, since: 2 });
    queue.add({ key: "early", priority: 0, since: 1 });
    queue.add({ key: "important", priority: 5, since: 3 });
    assert.deepEqual(
      queue.ready().map(({ key }) => key),
      ["important", "early", "late"],
    );
  });

  it("keeps a refused pod until something changes, and then for a pause that doubles up to ten seconds", async () => {
    const { clock, queue, woken } = start();
    queue.add({ key: "a", priority: 0, since: 0 });
    for (let i = 0; i < 7; i++) {
      await clock.advance(20_000);
      const before = woken.length;
      queue.retryAll();
      await clock.advance(0);
      assert.equal(woken.length, before + 1, "a pod that has waited long enough is tried at once");
      queue.retryAll();
      await clock.advance(20_000);
    }
    const pauses = woken.map((at, i) => at - (woken[i - 1] ?? 0)).filter((_, i) => i % 2 === 0 && i > 0);
    assert.deepEqual(pauses, [2000, 8000, 10_000, 10_000, 10_000, 10_000, 10_000]);
  });

  it("tries again after five minutes even if nothing changed", async () => {
    const { clock, queue, woken } = start();
    queue.add({ key: "a", priority: 0, since: 0 });
    await clock.advance(11 * 60_000);
    assert.deepEqual(woken, [0, 300_000, 600_000]);
  });

  it("forgets a pod that is removed", async () => {
    const { clock, queue } = start();
    queue.add({ key: "a", priority: 0, since: 0 });
    queue.remove("a");
    await clock.advance(1000);
    assert.deepEqual(queue.ready(), []);
  });
});
