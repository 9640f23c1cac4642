import type { CostLine, FastLine, GrowthLine, Line, MemoryLine, Result, Subject } from "./lines.ts";

export interface Table {
  readonly title: string;
  readonly note: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The measurements as people read them. */
export function tablesOf(lines: readonly Line[]): Table[] {
  const tables = [
    fastTable(lines.filter((line) => line.measure === "fast")),
    costTable(lines.filter((line) => line.measure === "cost")),
    growthTable(lines.filter((line) => line.measure === "growth")),
    memoryTable(lines.filter((line) => line.measure === "memory")),
  ];
  return tables.filter(({ rows }) => rows.length > 0);
}

function fastTable(lines: readonly FastLine[]): Table {
  return {
    title: "Fast effort",
    note: "Goal: no violations, at least 10 times the peer's pods per second, at no higher cost, with no fewer preferences honoured (by weight).",
    header: ["scenario", "pods/s", "peer", "ratio", "$/h", "peer", "ratio", "preferences", "peer", "violations", "met"],
    rows: lines.map(({ ours, peer, speedRatio, costRatio, ...line }) => [
      subjectText(line, line.pods),
      speedText(ours, line.pods),
      speedText(peer, line.pods),
      peer?.outcome === "timeout" && speedRatio !== null ? `> ${number(speedRatio, 0)}` : number(speedRatio, 1),
      costText(ours),
      costText(peer),
      number(costRatio, 3),
      preferencesText(ours),
      preferencesText(peer),
      ours.outcome === "done" ? String(ours.violations) : "–",
      metText(line.met),
    ]),
  };
}

function costTable(lines: readonly CostLine[]): Table {
  return {
    title: "Default effort",
    note: "Cost by the lower bounds. The goal is for the first; the second, which knows that pods are whole, shows how near to the truth the first is. The time allowed is the peer's, or 1 s if that is more.",
    header: [
      "scenario",
      "$/h",
      "÷ bound",
      "peer",
      "÷ fit bound",
      "peer",
      "seconds",
      "allowed",
      "violations",
      "goal",
      "met",
    ],
    rows: lines.map(({ ours, goal, isReachable, ...line }) => [
      subjectText(line, line.pods),
      costText(ours),
      number(line.costToBound, 3),
      number(line.peerCostToBound, 2),
      number(line.costToFitBound, 3),
      number(line.peerCostToFitBound, 2),
      ours.outcome === "done" ? number(ours.seconds, 2) : "–",
      number(line.allowedSeconds, 2),
      ours.outcome === "done" ? String(ours.violations) : "–",
      goal === null ? "–" : number(goal.costToBound, 2),
      isReachable ? metText(line.met) : "no (no plan can)",
    ]),
  };
}

function growthTable(lines: readonly GrowthLine[]): Table {
  return {
    title: "Growth",
    note: "Time per pod at fast effort. Goal: a growth of at most 1.5; below 1 the fixed cost of the catalogue outweighs the pods. The peer's is over the sizes that it was measured at.",
    header: ["scenario", "small: µs/pod", "large: µs/pod", "growth", "peer", "met"],
    rows: lines.map(({ small, large, growth, peer, ...line }) => [
      `${subjectText(line)}, ${count(small.pods)} to ${count(large.pods)}`,
      timePerPod(small.result, small.pods),
      timePerPod(large.result, large.pods),
      number(growth, 2),
      peer === null
        ? "–"
        : `${peer.isAtLeast ? "> " : ""}${number(peer.growth, 2)} (${count(peer.smallPods)} to ${count(peer.largePods)})`,
      metText(line.met),
    ]),
  };
}

function memoryTable(lines: readonly MemoryLine[]): Table {
  return {
    title: "Memory",
    note: "The largest resident set of the whole process, in one cold run at default effort against all instance types. Goal: below 300 MB.",
    header: ["scenario", "MB", "peer", "met"],
    rows: lines.map(({ peakMemoryMb, peer, ...line }) => [
      subjectText(line, line.pods),
      number(peakMemoryMb, 0),
      peer === null ? "–" : `${peer.peakMemoryMb} (${count(peer.pods)} pods)`,
      metText(line.met),
    ]),
  };
}

function subjectText({ kind, seed, pool }: Subject, pods?: number): string {
  const words = [kind, ...(pods === undefined ? [] : [count(pods)])].join(" ");
  return [words, ...(pool === "any" ? ["any type"] : []), ...(seed === 1 ? [] : [`seed ${seed}`])].join(", ");
}

function speedText(result: Result | null, pods: number): string {
  if (result?.outcome === "timeout") return `< ${count(Math.ceil(pods / result.seconds))} (timeout)`;
  return result?.outcome === "done" ? count(result.podsPerSecond) : (result?.outcome ?? "–");
}

function costText(result: Result | null): string {
  return result?.outcome === "done" ? number(result.costPerHour, 2) : "–";
}

function preferencesText(result: Result | null): string {
  return result?.outcome === "done" ? number(result.preferencesHonoured, 3) : "–";
}

function timePerPod(result: Result, pods: number): string {
  return result.outcome === "done" ? number((result.seconds / pods) * 1e6, 1) : result.outcome;
}

function metText(met: boolean | null): string {
  return met === null ? "–" : met ? "yes" : "no";
}

function count(amount: number): string {
  return amount.toLocaleString("en");
}

function number(amount: number | null, digits: number): string {
  if (amount === null) return "–";
  return amount.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** In columns, for a terminal. */
export function printTable({ title, header, rows }: Table): string {
  const widths = header.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ");
  return [title, line(header), ...rows.map(line)].join("\n");
}
