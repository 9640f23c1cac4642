import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RecordingTelemetry } from "../../../../test/support/recording-telemetry.ts";
import type { Clock, Timer } from "../../../ports/clock.ts";
import { Batcher } from "./batcher.ts";

describe("Batcher", () => {
  it("answers equal requests that come close together with one call", async () => {
    const { clock, calls, batcher } = open();
    const answers = Promise.all([batcher.ask("a1"), batcher.ask("a2"), batcher.ask("b1")]);
    await clock.advance(35);
    assert.deepEqual(await answers, ["a1!", "a2!", "b1!"]);
    assert.deepEqual(calls, [["a1", "a2"], ["b1"]]);
  });

  it("waits for stragglers while they keep coming, but not for ever", async () => {
    const { clock, calls, batcher } = open();
    const answers: Promise<string>[] = [];
    for (let i = 0; i < 60; i++) {
      answers.push(batcher.ask(`a${i}`));
      await clock.advance(20);
    }
    await clock.advance(1000);
    await Promise.all(answers);
    assert.deepEqual(
      calls.map((call) => call.length),
      [50, 10],
    );
  });

  it("sends a full batch at once", async () => {
    const { calls, batcher } = open();
    await Promise.all(Array.from({ length: 100 }, (_, i) => batcher.ask(`a${i}`)));
    assert.equal(calls.length, 1);
  });

  it("gives each its own error, and all of them one that is everybody's", async () => {
    const { clock, batcher } = open();
    const answers = Promise.allSettled([batcher.ask("a1"), batcher.ask("a-bad")]);
    const failed = Promise.allSettled([batcher.ask("x1"), batcher.ask("x2")]);
    await clock.advance(35);
    assert.deepEqual(
      (await answers).map(({ status }) => status),
      ["fulfilled", "rejected"],
    );
    assert.deepEqual(
      (await failed).map(({ status }) => status),
      ["rejected", "rejected"],
    );
  });

  it("measures how large batches are and how long they were open", async () => {
    const { clock, telemetry, batcher } = open();
    const answers = Promise.all([batcher.ask("a1"), batcher.ask("a2")]);
    await clock.advance(35);
    await answers;
    assert.deepEqual(
      [...telemetry.observations],
      [
        ['cloudprovider_batcher_batch_size{batcher="test"}', [2]],
        ['cloudprovider_batcher_batch_time_seconds{batcher="test"}', [0.035]],
      ],
    );
  });
});

function open() {
  const clock = new HandClock();
  const telemetry = new RecordingTelemetry();
  const calls: (readonly string[])[] = [];
  const batcher = new Batcher<string, string>({
    name: "test",
    clock,
    metrics: telemetry.metrics,
    idleMilliseconds: 35,
    mostMilliseconds: 1000,
    mostItems: 100,
    keyOf: (request) => request.slice(0, 1),
    execute: async (requests) => {
      if (requests[0]?.startsWith("x")) throw new Error("no answer");
      calls.push(requests);
      return requests.map((request) =>
        request.endsWith("bad") ? { ok: false, error: new Error("bad") } : { ok: true, answer: `${request}!` },
      );
    },
  });
  return { clock, telemetry, calls, batcher };
}

class HandClock implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): Timer {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.push(timer);
    return {
      cancel: () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
      },
    };
  }

  async advance(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { callback } of due) callback();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
