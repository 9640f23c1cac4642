// Speed, cost and memory of the planner, beside the Go planner's: npm run bench
import { writeFileSync } from "node:fs";
import { cpus, platform, release, totalmem } from "node:os";
import { buildPeer, type PeerBuild } from "./build-peer.ts";
import { runCommand, showProgress } from "./command-line.ts";
import type { Line, MachineLine, Result, SummaryLine } from "./lines.ts";
import { Measures } from "./measures.ts";
import { type BenchOptions, readOptions, usage } from "./options.ts";
import { Planners } from "./planners.ts";
import { resultsPage } from "./results.ts";
import { printTable, tablesOf } from "./tables.ts";

const growthSizes = { small: 1_000, large: 20_000 };
const memorySize = 20_000;
const unconstrainedKinds = ["uniform", "fleet"] as const;

async function* measureAll(options: BenchOptions, measures: Measures): AsyncGenerator<Line> {
  const hasFast = options.efforts.includes("fast");
  const hasFull = options.efforts.includes("full");
  for (const seed of options.seeds) {
    for (const kind of options.kinds) {
      for (const pods of options.sizes) {
        const subject = { kind, seed, pool: "typical" as const };
        if (hasFast) yield await measures.fast(subject, pods);
        if (hasFull) yield await measures.cost(subject, pods);
      }
    }
    for (const kind of unconstrainedKinds.filter((one) => hasFull && options.kinds.includes(one))) {
      for (const pods of options.sizes) yield await measures.cost({ kind, seed, pool: "any" }, pods);
    }
    for (const kind of options.kinds) {
      if (hasFast) yield await measures.growth({ kind, seed, pool: "typical" }, growthSizes);
      if (hasFull) yield await measures.memory({ kind, seed, pool: "any" }, memorySize);
    }
  }
}

function describeMachine(peer: PeerBuild): MachineLine {
  return {
    measure: "machine",
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model.trim() ?? "an unknown processor",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release().split("-")[0]}`,
    node: process.versions.node,
    go: peer.kind === "built" ? peer.goVersion : null,
    ...(peer.kind === "skipped" ? { peerSkipped: peer.reason } : {}),
  };
}

function summarize(lines: readonly Line[], seconds: number): SummaryLine {
  const verdicts = lines.flatMap((line) => ("met" in line && line.measure !== "summary" ? [line.met] : []));
  const results = lines.flatMap((line): Result[] => {
    if (line.measure === "fast" || line.measure === "cost") return [line.ours];
    return line.measure === "growth" ? [line.small.result, line.large.result] : [];
  });
  return {
    measure: "summary",
    met: verdicts.filter((met) => met === true).length,
    missed: verdicts.filter((met) => met === false).length,
    unjudged: verdicts.filter((met) => met === null).length,
    violations: results.reduce((sum, result) => sum + (result.outcome === "done" ? result.violations : 0), 0),
    failures: results.filter(({ outcome }) => outcome !== "done").length,
    seconds: Math.round(seconds),
  };
}

async function main(options: BenchOptions): Promise<void> {
  const started = performance.now();
  const lines: Line[] = [];
  const emit = (line: Line) => {
    lines.push(line);
    showProgress("");
    process.stdout.write(`${JSON.stringify(line)}\n`);
  };

  const peer = options.hasPeer ? await buildPeer(showProgress) : { kind: "skipped" as const, reason: "--no-peer" };
  if (peer.kind === "skipped") process.stderr.write(`Measuring without the Go planner: ${peer.reason}\n`);
  emit(describeMachine(peer));
  const { karpenter, timeoutSeconds, rounds } = options;
  using planners = new Planners({ karpenter, timeoutSeconds, peer: peer.kind === "built" ? peer.path : undefined });
  for await (const line of measureAll(options, new Measures(planners, { rounds, say: showProgress }))) emit(line);
  const summary = summarize(lines, (performance.now() - started) / 1000);
  emit(summary);

  for (const table of tablesOf(lines)) process.stderr.write(`\n${printTable(table)}\n`);
  process.stderr.write(`\nGoals: ${summary.met} met, ${summary.missed} missed, ${summary.unjudged} not judged\n`);
  const command = ["npm run bench", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(" ");
  if (options.results !== undefined) writeFileSync(options.results, resultsPage(lines, command));
  if (summary.violations + summary.failures > 0) process.exitCode = 1;
}

await runCommand(readOptions, usage, main);
