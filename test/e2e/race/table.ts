import { styleText } from "node:util";
import { median } from "../../../bench/scores.ts";
import { type Comparison, goalsOf, secondsOver } from "./goals.ts";
import { type RaceResult, racers } from "./run-attempt.ts";

type Print = (line: string) => void;
type Row = readonly [title: string, number: (result: RaceResult) => number, format: (number: number) => string];

const whole = (number: number) => number.toFixed(0);
const tenths = (number: number) => number.toFixed(1);
const hundredths = (number: number) => number.toFixed(2);

function rowsOf({ scenario: { boundPerHour } }: Comparison): readonly Row[] {
  return [
    ["seconds until all pods are Running", ({ isDone, seconds }) => (isDone ? seconds : Number.NaN), tenths],
    ["floor, seconds", ({ floorSeconds }) => floorSeconds, tenths],
    ["  last pod created", ({ lastPodSeconds }) => lastPodSeconds, tenths],
    ["  last machine Ready if ordered at 0 s", ({ machineSeconds }) => machineSeconds, tenths],
    ["seconds over the floor", secondsOver, tenths],
    ["pending seconds, mean", ({ meanPendingSeconds }) => meanPendingSeconds, tenths],
    ["pending seconds, p95", ({ p95PendingSeconds }) => p95PendingSeconds, tenths],
    ["nodes", ({ nodes }) => nodes, whole],
    ["dollars an hour", ({ pricePerHour }) => pricePerHour, hundredths],
    ["  / bound", ({ pricePerHour }) => pricePerHour / boundPerHour, hundredths],
    ["dollars spent until rest", ({ dollars }) => dollars, (number) => number.toFixed(4)],
    // The cheapest nodes from the start until the floor.
    [
      "  / bound until the floor",
      ({ dollars, floorSeconds }) => dollars / ((boundPerHour * floorSeconds) / 3600),
      hundredths,
    ],
    ["second-wave pods", ({ secondWavePods }) => secondWavePods, whole],
    ["CPU seconds", ({ cpuSeconds }) => cpuSeconds, tenths],
    ["MB resident at the end", ({ residentMegabytes }) => residentMegabytes, whole],
    ["MB resident at most", ({ peakResidentMegabytes }) => peakResidentMegabytes, whole],
  ];
}

/** The median of each controller, and the single values in the order of their rounds. */
export function printComparison(comparison: Comparison, print: Print): void {
  const { scenario, column, results } = comparison;
  const shown = racers.filter((racer) => results[racer].length > 0);
  if (shown.length === 0) return;
  const bound = `bound $${scenario.boundPerHour.toFixed(2)}/h`;
  print(styleText("bold", `${scenario.name}, ${column.name}: ${column.description}; ${bound}`));
  const line = (title: string, cells: readonly string[]) =>
    print([title.padEnd(40), ...cells.map((cell) => cell.padEnd(34))].join("").trimEnd());
  line("", shown);
  for (const [title, number, format] of rowsOf(comparison)) {
    line(
      title,
      shown.map((racer) => cellOf(results[racer].map(number), format)),
    );
  }
  for (const { text, found, isMet } of goalsOf(comparison)) {
    print(`  ${styleText(isMet ? "green" : "red", isMet ? "met   " : "missed")} ${text}: ${found}`);
  }
}

function cellOf(numbers: readonly number[], format: (number: number) => string): string {
  const known = numbers.filter((number) => !Number.isNaN(number));
  const middle = known.length === 0 ? "–" : format(median(known));
  const all = numbers.map((number) => (Number.isNaN(number) ? "–" : format(number)));
  return numbers.length === 1 ? middle.padStart(7) : `${middle.padStart(7)}  (${all.join(" ")})`;
}

/** One line for one attempt. */
export function describeResult(result: RaceResult, { boundPerHour }: Comparison["scenario"]): string {
  const { isDone, seconds, floorSeconds, meanPendingSeconds, p95PendingSeconds, nodes, pricePerHour } = result;
  return [
    isDone ? `all pods Running after ${seconds.toFixed(1)} s` : `not all pods Running after ${seconds.toFixed(0)} s`,
    `floor ${floorSeconds.toFixed(1)} s`,
    `pending ${meanPendingSeconds.toFixed(1)} s, p95 ${p95PendingSeconds.toFixed(1)} s`,
    `${nodes} nodes at $${pricePerHour.toFixed(2)}/h (${(pricePerHour / boundPerHour).toFixed(2)} × bound)`,
    `second wave ${result.secondWavePods} pods`,
    `CPU ${result.cpuSeconds.toFixed(1)} s`,
    `${result.peakResidentMegabytes.toFixed(0)} MB`,
  ].join(", ");
}
