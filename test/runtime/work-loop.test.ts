import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { BatchingWindow } from "../../src/runtime/batching-window.ts";
import { WorkLoop } from "../../src/runtime/work-loop.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";

function stage(reconcile: (key: string) => Promise<number | undefined>, concurrency = 10) {
  const clock = new VirtualClock(0);
  const telemetry = new RecordingTelemetry();
  const loop = new WorkLoop({ name: "test", reconcile, clock, telemetry, concurrency });
  return { clock, loop, telemetry };
}

describe("WorkLoop", () => {
  it("shows how much waits, how much is worked on, and how long both take", async () => {
    const { clock, loop, telemetry } = stage(() => new Promise((done) => clock.after(2_000, () => done(undefined))), 1);
    for (const key of ["a", "b", "b"]) loop.enqueue(key);
    await clock.advance(1_000);
    const queue = 'name="test",controller="test"';
    const shown = () => {
      const scraped = telemetry.scrape();
      return {
        depth: scraped.get(`workqueue_depth{${queue},priority="0"}`),
        workers: scraped.get('controller_runtime_active_workers{controller="test"}'),
        most: scraped.get('controller_runtime_max_concurrent_reconciles{controller="test"}'),
        unfinished: scraped.get(`workqueue_unfinished_work_seconds{${queue}}`),
        longest: scraped.get(`workqueue_longest_running_processor_seconds{${queue}}`),
      };
    };
    assert.deepEqual(shown(), { depth: 1, workers: 1, most: 1, unfinished: 1, longest: 1 });
    await clock.advance(10_000);
    assert.deepEqual(shown(), { depth: 0, workers: 0, most: 1, unfinished: 0, longest: 0 });
    assert.equal(telemetry.numbers.get(`workqueue_adds_total{${queue}}`), 2);
    assert.deepEqual(telemetry.observations.get(`workqueue_queue_duration_seconds{${queue}}`), [0, 2]);
    assert.deepEqual(telemetry.observations.get(`workqueue_work_duration_seconds{${queue}}`), [2, 2]);
    await loop.stop();
  });

  it("is shown together with the others of its name, until it stops", async () => {
    const clock = new VirtualClock(0);
    const telemetry = new RecordingTelemetry();
    const reconcile = () => new Promise<undefined>((done) => clock.after(9_000, () => done(undefined)));
    const [first, second] = [3, 1].map(
      (concurrency) => new WorkLoop({ name: "test", reconcile, clock, telemetry, concurrency }),
    ) as [WorkLoop, WorkLoop];
    first.enqueue("a");
    await clock.advance(2_000);
    for (const key of ["a", "b"]) second.enqueue(key);
    await clock.advance(1_000);
    const shown = () => [...telemetry.scrape()].map(([series, value]) => `${series.replace(/\{.*/, "")} ${value}`);
    assert.deepEqual(shown(), [
      "controller_runtime_max_concurrent_reconciles 4",
      "controller_runtime_active_workers 2",
      "workqueue_depth 1",
      "workqueue_unfinished_work_seconds 4",
      "workqueue_longest_running_processor_seconds 3",
    ]);
    const stopping = Promise.all([first.stop(), second.stop()]);
    await clock.advance(20_000);
    await stopping;
    assert.deepEqual(shown(), []);
  });

  it("works on a key once however often it was asked for", async () => {
    const worked: string[] = [];
    const { clock, loop } = stage(async (key) => {
      worked.push(key);
      return undefined;
    });
    for (const key of ["a", "b", "a", "a"]) loop.enqueue(key);
    await clock.advance(0);
    assert.deepEqual(worked, ["a", "b"]);
    await loop.stop();
  });

  it("does not begin a key anew that asks for itself at once, but works on it once more afterwards", async () => {
    const said: string[] = [];
    let count = 0;
    const { clock, loop } = stage(async (key) => {
      const turn = ++count;
      said.push(`begin ${turn}`);
      if (turn === 1) for (const asked of [key, key]) loop.enqueue(asked);
      await new Promise<void>((done) => clock.after(1_000, done));
      said.push(`end ${turn}`);
      return undefined;
    });
    loop.enqueue("a");
    await clock.advance(10_000);
    assert.deepEqual(said, ["begin 1", "end 1", "begin 2", "end 2"]);
    await loop.stop();
  });

  it("never works on a key twice at a time, and again when it was asked for meanwhile", async () => {
    let running = 0;
    let most = 0;
    let count = 0;
    const { clock, loop } = stage(async () => {
      running++;
      count++;
      most = Math.max(most, running);
      await new Promise<void>((done) => clock.after(1_000, done));
      running--;
      return undefined;
    });
    loop.enqueue("a");
    await clock.advance(500);
    loop.enqueue("a");
    loop.enqueue("a");
    await clock.advance(5_000);
    assert.deepEqual({ most, count }, { most: 1, count: 2 });
    await loop.stop();
  });

  it("works on so many keys at a time", async () => {
    let running = 0;
    let most = 0;
    const { clock, loop } = stage(async () => {
      running++;
      most = Math.max(most, running);
      await new Promise<void>((done) => clock.after(1_000, done));
      running--;
      return undefined;
    }, 3);
    for (let i = 0; i < 10; i++) loop.enqueue(String(i));
    await clock.advance(10_000);
    assert.deepEqual({ most, running }, { most: 3, running: 0 });
    await loop.stop();
  });

  it("tries again what failed, later each time, and looks again when it was asked to", async () => {
    const times: number[] = [];
    const { clock, loop } = stage(async () => {
      times.push(clock.now());
      if (times.length <= 3) throw new Error("not yet");
      return times.length === 4 ? 5_000 : undefined;
    });
    loop.enqueue("a");
    await clock.advance(60_000);
    assert.deepEqual(times, [0, 200, 600, 1_400, 6_400]);
    await loop.stop();
  });

  it("waits at its end for what is under way, and takes on nothing more", async () => {
    const worked: string[] = [];
    const { clock, loop } = stage(async (key) => {
      await new Promise<void>((done) => clock.after(1_000, done));
      worked.push(key);
      return 10;
    });
    loop.enqueue("a");
    loop.enqueue("later", 5_000);
    await clock.advance(100);
    const stopped = loop.stop();
    loop.enqueue("b");
    await clock.advance(10_000);
    await stopped;
    assert.deepEqual(worked, ["a"]);
  });
});

describe("BatchingWindow", () => {
  function open() {
    const clock = new VirtualClock(0);
    const closed: number[] = [];
    const quiet: number[] = [];
    const window = new BatchingWindow({
      clock,
      idleMilliseconds: 1_000,
      mostMilliseconds: 10_000,
      onClosed: () => closed.push(clock.now()),
      onQuiet: () => quiet.push(clock.now()),
    });
    return { clock, closed, quiet, window };
  }

  it("closes when nothing new has come for a while", async () => {
    const { clock, closed, window } = open();
    window.add("a");
    await clock.advance(800);
    window.add("b");
    await clock.advance(10_000);
    assert.deepEqual(closed, [1_800]);
  });

  it("says that it has become quiet, up to five times for each window", async () => {
    const { clock, closed, quiet, window } = open();
    for (const pause of [100, 200, 300, 400, 500, 600, 700]) {
      window.add(String(pause));
      await clock.advance(pause);
    }
    assert.deepEqual([quiet, closed], [[225, 425, 725, 1_125, 1_625], []]);
    window.add("last");
    await clock.advance(5_000);
    assert.deepEqual([quiet.length, closed], [5, [3_800]]);
    window.add("next");
    await clock.advance(5_000);
    assert.deepEqual([quiet.slice(5), closed], [[7_925], [3_800, 8_800]]);
  });

  it("closes after half the time when a dense burst is over, and only then", async () => {
    const closings = [];
    for (const [members, pause] of [
      [32, 15],
      [31, 15],
      [32, 17],
    ] as const) {
      const { clock, closed, window } = open();
      for (let i = 0; i < members; i++) {
        if (i > 0) await clock.advance(pause);
        window.add(String(i));
      }
      const last = clock.now();
      await clock.advance(5_000);
      closings.push(closed.map((at) => at - last));
    }
    assert.deepEqual(closings, [[500], [1_000], [1_000]]);
  });

  it("is not kept open by what is in it already", async () => {
    const { clock, closed, window } = open();
    window.add("a");
    await clock.advance(800);
    window.add("a");
    await clock.advance(10_000);
    assert.deepEqual(closed, [1_000]);
  });

  it("closes at the latest after its time, and opens anew", async () => {
    const { clock, closed, window } = open();
    for (let i = 0; i < 25; i++) {
      window.add(String(i));
      await clock.advance(500);
    }
    await clock.advance(5_000);
    assert.deepEqual(closed, [10_000, 13_000]);
  });
});
