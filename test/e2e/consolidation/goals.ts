import type { Sample } from "./follow.ts";

/** What became of a fleet after half of its pods went away. */
export interface Consolidation {
  /** The first before anything was done, the last after four minutes. */
  readonly samples: readonly Sample[];
  /** All pods that are left run at the end. */
  readonly isWhole: boolean;
  readonly boundPerHour: number;
  /** So many pods at least have to move until the price is what is asked for, whoever decides. */
  readonly leastMoves: number;
  readonly cpuSeconds: number;
  readonly peakResidentMegabytes: number;
}

export interface Consolidations {
  /** Each on the fleet that it bought itself. */
  readonly ours?: Consolidation;
  readonly peer?: Consolidation;
  /** Ours on the fleet that the Go controller bought. */
  readonly takeover?: Consolidation;
  /** The same under the policy Balanced. */
  readonly balanced?: Consolidation;
}

export const most = { timeOfPeer: 0.5, priceOfBound: 1.25, movesPerDollarOfPeer: 1 / 3 };
/** A price that stays for so long at the end has settled. */
const settledSeconds = 40;
const secondsBetweenLines = 15;

/** Only for those that were tried. */
export function goalsMissed({ ours, peer, takeover, balanced }: Consolidations): string[] {
  const goals: (readonly [isMet: boolean, text: string])[] = [];
  for (const [name, one] of Object.entries({ ours, takeover, balanced })) {
    if (one === undefined) continue;
    const ratio = priceAtEnd(one) / one.boundPerHour;
    goals.push(
      [one.isWhole, `${name}: all pods that are left run`],
      [ratio <= most.priceOfBound, `${name}: at most ${most.priceOfBound} times the bound, found ${ratio.toFixed(2)}`],
      [hasSettled(one), `${name}: the price has settled`],
    );
  }
  if (peer !== undefined && takeover !== undefined) {
    const time = secondsUntil(takeover, priceAtEnd(peer));
    const atMost = most.timeOfPeer * secondsUntilEnd(peer);
    const [moves, peerMoves] = [movesPerDollar(takeover), movesPerDollar(peer)];
    goals.push(
      [(time ?? Infinity) <= atMost, `takeover: what the Go controller costs in the end after ${atMost.toFixed(0)} s`],
      [moves <= peerMoves * most.movesPerDollarOfPeer, "takeover: a third of the Go controller's moves for a dollar"],
    );
  }
  return goals.filter(([isMet]) => !isMet).map(([, text]) => `The consolidation misses a goal: ${text}`);
}

function last({ samples }: Consolidation): Sample {
  return samples.at(-1) ?? { seconds: 0, pricePerHour: Number.NaN, nodes: 0, moves: 0 };
}

function priceAtEnd(one: Consolidation): number {
  return last(one).pricePerHour;
}

function secondsUntilEnd(one: Consolidation): number {
  return last(one).seconds;
}

function saved(one: Consolidation): number {
  return (one.samples[0]?.pricePerHour ?? Number.NaN) - priceAtEnd(one);
}

function movesPerDollar(one: Consolidation): number {
  return saved(one) > 0 ? last(one).moves / saved(one) : Number.POSITIVE_INFINITY;
}

/** For the price that is asked for, when nothing is moved twice or in vain. */
function leastMovesPerDollar({ samples, leastMoves, boundPerHour }: Consolidation): number {
  return leastMoves / ((samples[0]?.pricePerHour ?? Number.NaN) - most.priceOfBound * boundPerHour);
}

function hasSettled(one: Consolidation): boolean {
  const end = last(one);
  return one.samples
    .filter(({ seconds }) => seconds >= end.seconds - settledSeconds)
    .every(({ pricePerHour }) => pricePerHour === end.pricePerHour);
}

/** Until it costs no more than that, for good. */
function secondsUntil({ samples }: Consolidation, pricePerHour: number): number | undefined {
  const lastAbove = samples.findLastIndex((sample) => sample.pricePerHour > pricePerHour);
  return samples[lastAbove + 1]?.seconds;
}

type Print = (line: string) => void;
type Row = readonly [title: string, cell: (one: Consolidation) => string];

function rowsFor(peer: Consolidation | undefined): readonly Row[] {
  const peerPrice = peer === undefined ? undefined : priceAtEnd(peer);
  return [
    ["price at first", ({ samples }) => `$${samples[0]?.pricePerHour.toFixed(2)}`],
    ["price at the end", (one) => `$${priceAtEnd(one).toFixed(2)}`],
    ["lower bound", ({ boundPerHour }) => `$${boundPerHour.toFixed(2)}`],
    ["price at the end / bound", (one) => (priceAtEnd(one) / one.boundPerHour).toFixed(2)],
    ["settled", (one) => (hasSettled(one) ? "yes" : "no")],
    [
      "down to the peer's price",
      (one) => {
        const seconds = peerPrice === undefined ? undefined : secondsUntil(one, peerPrice);
        return seconds === undefined ? "–" : `${seconds.toFixed(0)} s`;
      },
    ],
    ["nodes at the end", (one) => String(last(one).nodes)],
    ["pod moves", (one) => String(last(one).moves)],
    ["least moves to the goal", ({ leastMoves }) => leastMoves.toFixed(0)],
    ["least moves per dollar", (one) => leastMovesPerDollar(one).toFixed(1)],
    ["moves per dollar saved", (one) => movesPerDollar(one).toFixed(1)],
    ["all pods run", ({ isWhole }) => (isWhole ? "yes" : "no")],
    ["CPU", ({ cpuSeconds }) => `${cpuSeconds.toFixed(1)} s`],
    ["resident at most", ({ peakResidentMegabytes }) => `${peakResidentMegabytes.toFixed(0)} MB`],
  ];
}

export function printConsolidations(consolidations: Consolidations, print: Print): void {
  const columns: readonly (readonly [title: string, one: Consolidation])[] = Object.entries(consolidations);
  const line = (title: string, cells: readonly string[]) =>
    print([title.padEnd(26), ...cells.map((cell) => cell.padStart(26))].join(""));
  line(
    "",
    columns.map(([name]) => name),
  );
  const longest = Math.max(...columns.map(([, one]) => secondsUntilEnd(one)));
  for (let seconds = 0; seconds <= longest; seconds += secondsBetweenLines) {
    line(
      `${seconds} s`,
      columns.map(([, one]) => describeSample(one.samples.find((sample) => sample.seconds >= seconds))),
    );
  }
  for (const [title, cell] of rowsFor(consolidations.peer)) {
    line(
      title,
      columns.map(([, one]) => cell(one)),
    );
  }
}

function describeSample(sample: Sample | undefined): string {
  if (sample === undefined) return "–";
  const { pricePerHour, nodes, moves } = sample;
  return `$${pricePerHour.toFixed(2)} ${`${nodes}`.padStart(3)} nodes ${`${moves}`.padStart(4)} moves`;
}
