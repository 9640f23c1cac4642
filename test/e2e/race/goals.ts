import { median } from "../../../bench/scores.ts";
import type { Column, ColumnName } from "./columns.ts";
import type { RaceKind } from "./race-options.ts";
import type { RaceScenario } from "./race-scenario.ts";
import type { RaceResult, Racer } from "./run-attempt.ts";

/** All rounds of one column on one scenario, by controller, in the order of their rounds. */
export interface Comparison {
  readonly scenario: Pick<RaceScenario, "name" | "kind" | "podCount" | "boundPerHour">;
  readonly column: Column;
  readonly results: Readonly<Record<Racer, readonly RaceResult[]>>;
}

/** A goal of our controller with `PLACEMENT_POLICY=Suggest`. */
export interface Goal {
  readonly text: string;
  readonly found: string;
  readonly isMet: boolean;
}

/** Seconds that all pods may be Running later than the floor. */
const secondsOverFloor: Partial<Record<ColumnName, number>> = { steady: 2, boot: 8, jitter: 12 };
/** Of the Go controller's time until all pods are Running. */
const timeOfPeer: Partial<Record<ColumnName, number>> = { burst: 1, busy: 1 };
/** Of the Go controller's mean pending seconds. On a busy machine all else takes longer than the controllers. */
const pendingOfPeer: Partial<Record<ColumnName, number>> = { burst: 0.3, steady: 0.3, boot: 0.7, jitter: 0.7 };
const priceOfBound: Partial<Record<RaceKind, number>> = { fleet: 1.2, lopsided: 1.12 };
/** Its pods that refuse each other's host make the bound too low to compare with. */
const priceOfPeer: Partial<Record<RaceKind, number>> = { diverse: 0.75 };
const cpuOfPeer = 1;
const secondWaveShare = 0.01;

/** Compares medians of all rounds. What needs results that are not there is left out. */
export function goalsOf({ scenario, column, results }: Comparison): Goal[] {
  const { ours, bind, peer } = results;
  const all = [...ours, ...bind, ...peer];
  const early = all.reduce((sum, { podsBeforeReady }) => sum + podsBeforeReady, 0);
  const goals: (Goal | undefined)[] = [
    ours.length + bind.length === 0 ? undefined : allRun([...ours, ...bind]),
    { text: "no pod is bound to a node before it is Ready", found: `${early} pods`, isMet: early === 0 },
  ];
  if (ours.length > 0) {
    goals.push(
      atMost("seconds over the floor", middle(ours, secondsOver), secondsOverFloor[column.name]),
      atMost("dollars an hour / bound", middle(ours, price) / scenario.boundPerHour, limitOf(priceOfBound, scenario)),
      atMost(
        "share of pods in a second wave",
        middle(ours, ({ secondWavePods }) => secondWavePods) / scenario.podCount,
        secondWaveShare,
      ),
    );
  }
  const done = peer.filter(({ isDone }) => isDone);
  if (ours.length > 0 && done.length > 0) {
    const ofPeer = (number: (result: RaceResult) => number) => middle(ours, number) / middle(done, number);
    goals.push(
      atMost(
        "seconds until all pods are Running / Go controller",
        ofPeer(({ seconds }) => seconds),
        timeOfPeer[column.name],
      ),
      atMost(
        "mean pending seconds / Go controller",
        ofPeer(({ meanPendingSeconds }) => meanPendingSeconds),
        pendingOfPeer[column.name],
      ),
      atMost("dollars an hour / Go controller", ofPeer(price), limitOf(priceOfPeer, scenario)),
      atMost(
        "CPU seconds / Go controller",
        ofPeer(({ cpuSeconds }) => cpuSeconds),
        cpuOfPeer,
      ),
    );
  }
  return goals.filter((goal) => goal !== undefined);
}

export function goalsMissed(comparison: Comparison): string[] {
  const { scenario, column } = comparison;
  return goalsOf(comparison)
    .filter(({ isMet }) => !isMet)
    .map(({ text, found }) => `${scenario.name} ${column.name} misses a goal: ${text}, found ${found}`);
}

function limitOf(limits: Partial<Record<RaceKind, number>>, { kind }: Pick<RaceScenario, "kind">): number | undefined {
  return kind === undefined ? undefined : limits[kind];
}

export function secondsOver({ seconds, floorSeconds }: RaceResult): number {
  return seconds - floorSeconds;
}

function price({ pricePerHour }: RaceResult): number {
  return pricePerHour;
}

function allRun(results: readonly RaceResult[]): Goal {
  const done = results.filter(({ isDone }) => isDone).length;
  return { text: "all pods run", found: `${done} of ${results.length} times`, isMet: done === results.length };
}

/** Undefined when there is no such goal. */
function atMost(text: string, found: number, limit: number | undefined): Goal | undefined {
  if (limit === undefined) return undefined;
  return { text: `${text}, at most ${limit}`, found: found.toFixed(3), isMet: found <= limit };
}

function middle(results: readonly RaceResult[], number: (result: RaceResult) => number): number {
  return median(results.map(number));
}
