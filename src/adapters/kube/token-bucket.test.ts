import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Clock } from "../../ports/clock.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Notes for how long it is asked to wait. */
function stoppedClock(): Clock & { time: number; readonly waits: number[] } {
  const waits: number[] = [];
  return {
    time: 0,
    waits,
    now() {
      return this.time;
    },
    after(milliseconds) {
      waits.push(milliseconds);
      return { cancel: () => {} };
    },
  };
}

describe("a token bucket", () => {
  it("lets a burst through, and then each in its turn", () => {
    const clock = stoppedClock();
    const bucket = new TokenBucket({ qps: 10, burst: 3 }, clock);
    const waits = Array.from({ length: 6 }, () => bucket.take() !== undefined);
    assert.deepEqual(waits, [false, false, false, true, true, true]);
    assert.deepEqual(clock.waits, [100, 200, 300]);
  });

  it("fills up while nothing happens, to the burst and no more", () => {
    const clock = stoppedClock();
    const bucket = new TokenBucket({ qps: 10, burst: 2 }, clock);
    bucket.take();
    bucket.take();
    clock.time = 60_000;
    const waits = Array.from({ length: 3 }, () => bucket.take() !== undefined);
    assert.deepEqual(waits, [false, false, true]);
  });

  it("does not wait for a clock that was set back", () => {
    const clock = stoppedClock();
    clock.time = 1_000_000;
    const bucket = new TokenBucket({ qps: 10, burst: 1 }, clock);
    bucket.take();
    clock.time = 0;
    bucket.take();
    assert.deepEqual(clock.waits, [100]);
  });

  it("refuses limits that let nothing through", () => {
    assert.throws(() => new TokenBucket({ qps: 0, burst: 1 }, stoppedClock()), /qps above 0/);
  });
});
