import { printTable, type Table } from "../tables.ts";
import type { CaseLine, Score, SummaryLine, Times } from "./lines.ts";

const goals = { p50: 20, p95: 100, slower: 20, meanDistance: 0.03 };
/** Prices have five digits. */
const smallestPrice = 1e-6;

export function summarize(lines: readonly CaseLine[]): SummaryLine {
  const compared = lines.flatMap(({ seed, ours, peer }) => (peer === null ? [] : [{ seed, ours, peer }]));
  const hasPeer = compared.length > 0;
  const seedsOf = (found: readonly { readonly seed: number }[]): number[] => found.map(({ seed }) => seed);
  const ours = timesOf(lines.map((line) => line.ours));
  const dearer = seedsOf(compared.filter((one) => isDearer(one.ours, one.peer)));
  const slower = seedsOf(compared.filter((one) => one.ours.milliseconds > one.peer.milliseconds + goals.slower));
  const alike = compared.filter((one) => one.ours.leftOver === one.peer.leftOver);
  const cost = (scores: readonly Score[]): number => scores.reduce((sum, { costPerHour }) => sum + costPerHour, 0);
  const distances = lines.flatMap(distanceOf);
  const meanDistance = distances.length === 0 ? null : distances.reduce((sum, one) => sum + one, 0) / distances.length;
  const invalid = seedsOf(lines.filter((line) => line.ours.violations > 0));
  const fragile = seedsOf(lines.filter((line) => line.ours.fewAlternatives > 0));
  return {
    measure: "summary",
    cases: lines.length,
    ours,
    peer: hasPeer ? timesOf(compared.map(({ peer }) => peer)) : null,
    dearer,
    slower,
    costRatio: hasPeer ? cost(alike.map((one) => one.ours)) / cost(alike.map(({ peer }) => peer)) : null,
    proved: distances.length,
    meanDistance,
    invalid,
    fragile,
    goals: [
      { goal: `half of the plans take at most ${goals.p50} ms`, met: ours.p50 <= goals.p50 },
      { goal: `95 % of the plans take at most ${goals.p95} ms`, met: ours.p95 <= goals.p95 },
      { goal: `no plan takes ${goals.slower} ms longer than the peer's`, met: hasPeer ? slower.length === 0 : null },
      { goal: "no plan costs more than the peer's", met: hasPeer ? dearer.length === 0 : null },
      {
        goal: `plans cost at most ${goals.meanDistance * 100} % more than the optimum, on average`,
        met: meanDistance === null ? null : meanDistance <= goals.meanDistance,
      },
      { goal: "every plan is valid", met: invalid.length === 0 },
    ],
  };
}

function isDearer(ours: Score, peer: Score): boolean {
  if (ours.leftOver !== peer.leftOver) return ours.leftOver > peer.leftOver;
  return ours.costPerHour > peer.costPerHour + smallestPrice;
}

/** The optimum honours all preferences. */
function distanceOf({ ours, optimum }: CaseLine): number[] {
  const isLikeIt = ours.leftOver === 0 && (ours.preferencesHonoured ?? 1) === 1;
  return optimum === null || !isLikeIt ? [] : [ours.costPerHour / optimum - 1];
}

function timesOf(scores: readonly Score[]): Times {
  const sorted = scores.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  const percentile = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  return { p50: percentile(0.5), p95: percentile(0.95), max: percentile(1) };
}

function tableOf({ cases, ours, peer }: SummaryLine): Table {
  const row = (name: string, key: keyof Times): string[] => [
    name,
    ours[key].toFixed(1),
    peer?.[key].toFixed(1) ?? "–",
    peer === null ? "–" : (ours[key] / peer[key]).toFixed(2),
  ];
  return {
    title: `${cases} batches, time to plan`,
    note: "",
    header: ["", "ours, ms", "peer, ms", "ratio"],
    rows: [row("p50", "p50"), row("p95", "p95"), row("max", "max")],
  };
}

export function textOf(summary: SummaryLine): string {
  const { dearer, slower, invalid, fragile, costRatio, proved, meanDistance } = summary;
  const seeds = (found: readonly number[]): string =>
    found.length === 0 ? "none" : `${found.length} (seeds ${found.join(", ")})`;
  return [
    printTable(tableOf(summary)),
    "",
    `dearer than the peer: ${seeds(dearer)}`,
    `${goals.slower} ms slower than the peer: ${seeds(slower)}`,
    `invalid: ${seeds(invalid)}`,
    `with few alternatives on spot: ${seeds(fragile)}`,
    `cost by the peer's: ${costRatio?.toFixed(3) ?? "–"}`,
    `above the optimum: ${meanDistance === null ? "–" : `${(meanDistance * 100).toFixed(2)} %`} on average, proved in ${proved}`,
    "",
    ...summary.goals.map(({ goal, met }) => `${met === null ? "not judged" : met ? "met" : "missed"}: ${goal}`),
  ].join("\n");
}
