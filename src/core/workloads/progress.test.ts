import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextProgress, noProgress, type Progress } from "./progress.ts";

const second = 1_000;
const minute = 60_000;

interface Scene {
  /** In seconds. */
  readonly until: number;
  readonly isMissing?: (now: number) => boolean;
  /** Seconds at which it creates a pod. */
  readonly creations?: readonly number[];
  readonly queueMovedAt?: (now: number) => number | undefined;
}

/** Looks once a second, and returns the times at which expecting stopped and came back, in seconds. */
function play({ until, isMissing = () => true, creations = [], queueMovedAt = () => undefined }: Scene): {
  readonly stops: readonly number[];
  readonly pauses: readonly number[];
  readonly progress: Progress;
} {
  const [stops, pauses]: [number[], number[]] = [[], []];
  let progress = noProgress;
  for (let now = 0; now <= until; now++) {
    const createdAt = Math.max(0, ...creations.filter((at) => at <= now)) * second;
    const moved = queueMovedAt(now);
    const next = nextProgress(progress, {
      now: start + now * second,
      isMissingPods: isMissing(now),
      createdAt: createdAt === 0 ? 0 : start + createdAt,
      queueMovedAt: moved === undefined ? undefined : start + moved * second,
    });
    if (next.drops > progress.drops) {
      stops.push(now);
      pauses.push((next.droppedUntil - start) / second - now);
    }
    progress = next;
  }
  return { stops, pauses, progress };
}

const start = Date.parse("2026-11-19T12:00:00Z");

describe("a workload that creates no pod", () => {
  it("is dropped after 30 s, and again for 10, 20 and 30 minutes", () => {
    const { stops, pauses } = play({ until: 70 * 60 });
    assert.deepEqual(stops.slice(0, 3), [30, 30 + 300 + 30, 30 + 300 + 30 + 600 + 30]);
    assert.deepEqual(
      pauses,
      [5, 10, 20, 30, 30].map((minutes) => minutes * 60),
    );
  });

  it("stays dropped whatever else changes", () => {
    const flapping = (now: number): boolean => now < 31 || now % 15 < 7;
    const { stops } = play({ until: 329, isMissing: flapping, creations: [60, 100, 200] });
    assert.deepEqual(stops, [30]);
  });

  it("has failed in a row only until all its pods are created", () => {
    const { pauses } = play({ until: 700, isMissing: (now) => now < 335 || now >= 400, creations: [334] });
    assert.deepEqual(pauses, [300, 300]);
  });

  it("has still failed in a row when fewer pods are asked for", () => {
    const { pauses } = play({ until: 700, isMissing: (now) => now < 325 || now >= 400 });
    assert.deepEqual(pauses, [300, 600]);
  });
});

describe("a workload that creates its pods", () => {
  it("is never dropped while one comes every half minute", () => {
    const creations = Array.from({ length: 100 }, (_, index) => index * 29 + 29);
    assert.deepEqual(play({ until: 100 * 29, creations }).stops, []);
    assert.deepEqual(play({ until: 100, creations: [20] }).stops, [50]);
  });

  it("is forgotten once all are there", () => {
    assert.equal(play({ until: 100, isMissing: () => false }).progress, noProgress);
    assert.equal(play({ until: 100, isMissing: (now) => now < 10, creations: [9] }).progress, noProgress);
  });

  it("waits for its turn while kube-controller-manager creates pods of others", () => {
    assert.deepEqual(play({ until: 100, queueMovedAt: (now) => Math.min(now, 60) }).stops, [90]);
  });

  it("waits for its turn for two minutes at most, where pods of others are created all day", () => {
    const { stops, pauses } = play({ until: 20 * 60, queueMovedAt: (now) => now });
    assert.deepEqual(stops, [150, 150 + 300 + 150]);
    assert.deepEqual(pauses, [300, 600]);
  });
});

describe("an HPA that flaps every 15 s", () => {
  const flapping = (now: number): boolean => now % 30 < 15;

  it("does not keep pods expected that are never created", () => {
    const { stops, pauses } = play({ until: 20 * 60, isMissing: flapping });
    assert.deepEqual(stops, [60, 420, 1080]);
    assert.deepEqual(pauses, [300, 600, 1200]);
  });

  it("does no harm where pods are created each time", () => {
    const creations = Array.from({ length: 40 }, (_, index) => index * 30 + 1);
    assert.deepEqual(play({ until: 20 * 60, isMissing: flapping, creations }).stops, []);
  });

  it("is forgotten half an hour after it ended", () => {
    const isMissing = (now: number): boolean => now < 15;
    assert.notEqual(play({ until: 60, isMissing }).progress, noProgress);
    assert.equal(play({ until: 15 + 30 * 60, isMissing }).progress, noProgress);
    const dropped = play({ until: 65 * 60, isMissing: (now) => now < 40 });
    assert.equal(dropped.stops.length, 1);
    assert.equal(dropped.progress, noProgress);
  });
});

it("looking more often changes nothing", () => {
  let progress = noProgress;
  for (let now = start; now <= start + minute; now += 100) {
    progress = nextProgress(progress, { now, isMissingPods: true, createdAt: 0, queueMovedAt: undefined });
  }
  assert.equal(progress.droppedUntil, start + 30 * second + 5 * minute);
});
