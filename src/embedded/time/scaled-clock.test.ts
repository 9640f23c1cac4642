import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Clock } from "../../ports/clock.ts";
import { ScaledClock } from "./scaled-clock.ts";
import { VirtualClock } from "./virtual-clock.ts";

describe("a scaled clock", () => {
  it("passes so many times faster", async () => {
    const real = new VirtualClock(1_000);
    const clock = new ScaledClock({ real, speed: 60 });
    const before = clock.now();
    await real.advance(2_000);
    assert.deepEqual([before, clock.now()], [1_000, 121_000]);
  });

  it("calls back at the time that was asked for, and not when cancelled", async () => {
    const real = new VirtualClock(0);
    const clock = new ScaledClock({ real, speed: 10 });
    const seen: number[] = [];
    clock.after(5_000, () => seen.push(clock.now()));
    clock.after(1_000, () => seen.push(clock.now()));
    clock.after(3_000, () => seen.push(clock.now())).cancel();
    await real.advance(499);
    assert.deepEqual(seen, [1_000]);
    await real.advance(1);
    assert.deepEqual(seen, [1_000, 5_000]);
  });

  it("runs what is late in order, at the time that it was set for", async () => {
    const real = new LateClock();
    const clock = new ScaledClock({ real, speed: 100 });
    const seen: [string, number][] = [];
    const renew = (): void => {
      seen.push(["renew", clock.now()]);
      if (seen.length < 4) clock.after(10_000, renew);
    };
    clock.after(10_000, renew);
    clock.after(25_000, () => seen.push(["other", clock.now()]));
    real.leap(400);
    assert.equal(clock.now(), 10_000, "time waits for what is due");
    await real.catchUp();
    assert.deepEqual(seen, [
      ["renew", 10_000],
      ["renew", 20_000],
      ["other", 25_000],
      ["renew", 30_000],
    ]);
    assert.equal(clock.now(), 40_000);
  });

  it("does not make up for what it missed while the process stood still", async () => {
    const real = new LateClock();
    const clock = new ScaledClock({ real, speed: 10 });
    clock.after(1_000, () => {});
    real.leap(60_000);
    await real.catchUp();
    assert.equal(clock.now(), 1_000);
    real.leap(100);
    assert.equal(clock.now(), 2_000);
  });
});

/** A clock whose timers come late, as those of a busy process do. */
class LateClock implements Clock {
  #now = 0;
  #due: (() => void)[] = [];

  now(): number {
    return this.#now;
  }

  after(_: number, callback: () => void): { cancel(): void } {
    this.#due.push(callback);
    return {
      cancel: () => {
        this.#due = this.#due.filter((one) => one !== callback);
      },
    };
  }

  leap(milliseconds: number): void {
    this.#now += milliseconds;
  }

  async catchUp(): Promise<void> {
    for (let i = 0; i < 20; i++) this.#due.shift()?.();
  }
}
