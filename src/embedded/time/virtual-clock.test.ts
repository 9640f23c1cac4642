import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { VirtualClock } from "./virtual-clock.ts";

describe("VirtualClock", () => {
  it("runs what falls due in the order of time, and what is due together in the order it was set", async () => {
    const clock = new VirtualClock(1000);
    const seen: string[] = [];
    const note = (name: string) => () => seen.push(`${name}@${clock.now()}`);
    clock.after(20, note("c"));
    clock.after(10, note("a"));
    clock.after(10, note("b"));
    clock.after(31, note("late"));
    await clock.advance(30);
    assert.deepEqual([seen, clock.now()], [["a@1010", "b@1010", "c@1020"], 1030]);
  });

  it("waits for promises before it goes on", async () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    clock.after(1, () => {
      void (async () => {
        for (let i = 0; i < 50; i++) await null;
        seen.push(`settled@${clock.now()}`);
      })();
    });
    clock.after(2, () => seen.push(`next@${clock.now()}`));
    await clock.advance(5);
    assert.deepEqual(seen, ["settled@1", "next@2"]);
  });

  it("runs what callbacks set, at once when it is due at once", async () => {
    const clock = new VirtualClock(0);
    const seen: number[] = [];
    const again = (left: number): void => {
      seen.push(clock.now());
      if (left > 0) clock.after(left === 2 ? 0 : 5, () => again(left - 1));
    };
    clock.after(1, () => again(2));
    await clock.advance(100);
    assert.deepEqual(seen, [1, 1, 6]);
  });

  it("forgets what is cancelled, even by a callback that is due with it", async () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    clock.after(1, () => second.cancel());
    const second = clock.after(1, () => seen.push("cancelled"));
    clock.after(2, () => seen.push("kept"));
    await clock.advance(10);
    assert.deepEqual(seen, ["kept"]);
  });

  it("says so when time stands still", async () => {
    const clock = new VirtualClock(0);
    const again = (): void => void clock.after(0, again);
    again();
    await assert.rejects(clock.advance(1), /Time stands still at 1970-01-01T00:00:00.000Z/);
  });

  it("stops as soon as a condition holds, or says that it did not come to hold", async () => {
    const clock = new VirtualClock(0);
    let isDone = false;
    clock.after(70, () => {
      isDone = true;
    });
    assert.deepEqual([await clock.advanceUntil(() => isDone, 50), isDone], [false, false]);
    assert.deepEqual([await clock.advanceUntil(() => isDone, 50), clock.now()], [true, 70]);
  });
});
