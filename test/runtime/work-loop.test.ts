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
  function open({ isComplete = () => false }: { isComplete?: () => boolean } = {}) {
    const clock = new VirtualClock(0);
    const closed: number[] = [];
    const window = new BatchingWindow({
      clock,
      idleMilliseconds: 1_000,
      maxMilliseconds: 10_000,
      isComplete,
      onClosed: () => closed.push(clock.now()),
    });
    return { clock, closed, window };
  }

  it("closes when nothing new has come for a while", async () => {
    const { clock, closed, window } = open();
    window.add("a");
    await clock.advance(800);
    window.add("b");
    await clock.advance(10_000);
    assert.deepEqual(closed, [1_800]);
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

  it("gathers for 100 ms and closes early where nothing more is expected", async () => {
    const { clock, closed, window } = open({ isComplete: () => true });
    window.add("a");
    await clock.advance(60);
    window.add("b");
    await clock.advance(10_000);
    window.add("c");
    await clock.advance(10_000);
    assert.deepEqual(closed, [100, 10_160]);
  });

  it("does not close early while more is expected, and asks again when the next one comes", async () => {
    const expected = new Set(["a", "b", "c"]);
    const { clock, closed, window } = open({ isComplete: () => expected.size === 0 });
    for (const member of [...expected]) {
      expected.delete(member);
      window.add(member);
      await clock.advance(700);
    }
    assert.deepEqual(closed, [1_400]);
  });

  it("does not close early before 250 ms have passed since the last announcement", async () => {
    const { clock, closed, window } = open({ isComplete: () => true });
    window.announce();
    await clock.advance(50);
    window.add("a");
    await clock.advance(150);
    window.announce();
    await clock.advance(200);
    window.announce();
    await clock.advance(10_000);
    assert.deepEqual(closed, [650]);
  });

  it("is not opened by an announcement, nor kept open by announcements beyond its idle time", async () => {
    const { clock, closed, window } = open({ isComplete: () => true });
    window.announce();
    await clock.advance(10_000);
    assert.deepEqual(closed, []);
    window.add("a");
    for (let i = 0; i < 20; i++) {
      window.announce();
      await clock.advance(100);
    }
    assert.deepEqual(closed, [11_000]);
  });

  it("does not close once it has been stopped", async () => {
    const { clock, closed, window } = open({ isComplete: () => true });
    window.add("a");
    window.stop();
    await clock.advance(20_000);
    assert.deepEqual(closed, []);
  });
});
