import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError } from "./api/api-error.ts";
import { ControlLoop } from "./control-loop.ts";
import { VirtualClock } from "./time/virtual-clock.ts";

describe("ControlLoop", () => {
  it("looks at a key once however often it was asked to in one moment", async () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    const loop = new ControlLoop({ clock, reconcile: (key) => seen.push(key), onError: assert.fail });
    for (const key of ["a", "b", "a", "a"]) loop.enqueue(key);
    await clock.advance(1);
    assert.deepEqual(seen, ["a", "b"]);
  });

  it("lets the earliest wish count", async () => {
    const clock = new VirtualClock(0);
    const seen: number[] = [];
    const loop = new ControlLoop({ clock, reconcile: () => seen.push(clock.now()), onError: assert.fail });
    loop.enqueue("a", 100);
    loop.enqueue("a", 10);
    loop.enqueue("a", 50);
    await clock.advance(1000);
    assert.deepEqual(seen, [10]);
  });

  it("tries again what failed, with pauses that grow, and reports what nobody foresaw", async () => {
    const clock = new VirtualClock(0);
    const tried: number[] = [];
    const reported: string[] = [];
    const failures = [new ApiError(409, "Conflict", "stale"), new Error("a bug")];
    const loop = new ControlLoop({
      clock,
      reconcile: () => {
        tried.push(clock.now());
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
      },
      onError: (key, error) => reported.push(`${key}: ${(error as Error).message}`),
    });
    loop.enqueue("a");
    await clock.advance(10_000);
    assert.deepEqual([tried, reported], [[0, 100, 300], ["a: a bug"]]);
  });

  it("does nothing more once it is stopped", async () => {
    const clock = new VirtualClock(0);
    const loop = new ControlLoop({ clock, reconcile: assert.fail, onError: assert.fail });
    loop.enqueue("a");
    loop.stop();
    loop.enqueue("b");
    await clock.advance(1000);
  });
});
