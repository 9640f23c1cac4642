// Small batches, beside the Go planner: npm run bench:small
import { buildPeer } from "../build-peer.ts";
import { openCatalogue } from "../catalogue.ts";
import { runCommand, showProgress } from "../command-line.ts";
import { catalogueFile } from "../scenarios.ts";
import type { Scenario } from "../wire.ts";
import { randomBatch } from "./batch.ts";
import { describeCase } from "./describe.ts";
import type { CaseLine } from "./lines.ts";
import { cheapestPlan } from "./optimum.ts";
import { readOptions, type SmallOptions, usage } from "./options.ts";
import { OurPlanner } from "./our-planner.ts";
import { PeerPlanner } from "./peer-planner.ts";
import { scoreOf } from "./score.ts";
import { summarize, textOf } from "./summary.ts";

const catalogue = openCatalogue(catalogueFile);
/** Planned before anything is measured, by both; none of the seeds that are asked for. Go compiles nothing meanwhile. */
const rehearsed = Array.from({ length: 40 }, (_, index) => randomBatch(-1 - index, catalogue));
const rehearsedByPeer = rehearsed.slice(0, 5);
/** Ours and the peer take turns after so many batches, so that a busy moment of the machine hits both. */
const turn = 25;

async function* measure(
  { seeds, runs, placement }: SmallOptions,
  peer: PeerPlanner | undefined,
): AsyncGenerator<MeasuredCase> {
  const ourPlanner = new OurPlanner(placement);
  for (const scenario of rehearsed) ourPlanner.plan(scenario, runs);
  for (let start = 0; start < seeds.length; start += turn) {
    showProgress(`${start} of ${seeds.length} batches`);
    const batch = seeds.slice(start, start + turn);
    const scenarios = batch.map((seed) => randomBatch(seed, catalogue));
    const peerBests = await peer?.plan([...rehearsedByPeer, ...scenarios], runs);
    for (const [index, scenario] of scenarios.entries()) {
      const [ourBest, peerBest] = [ourPlanner.plan(scenario, runs), peerBests?.[rehearsedByPeer.length + index]];
      const file = { scenario, catalogue };
      const line: CaseLine = {
        measure: "case",
        seed: batch[index] ?? 0,
        pods: scenario.pods.length,
        nodes: (scenario.objects ?? []).filter(({ kind }) => kind === "Node").length,
        ours: scoreOf(file, ourBest),
        peer: peerBest === undefined ? null : scoreOf(file, peerBest),
        optimum: cheapestPlan(file) ?? null,
      };
      yield { scenario, line, plans: { ours: ourBest.plan, peer: peerBest?.plan } };
    }
  }
}

interface MeasuredCase {
  readonly scenario: Scenario;
  readonly line: CaseLine;
  readonly plans: Parameters<typeof describeCase>[2];
}

async function main(options: SmallOptions): Promise<void> {
  const build = options.hasPeer ? await buildPeer(showProgress) : { kind: "skipped" as const, reason: "--no-peer" };
  if (build.kind === "skipped") process.stderr.write(`Measuring without the Go planner: ${build.reason}\n`);
  using peer = build.kind === "built" ? new PeerPlanner(build.path) : undefined;
  const lines: CaseLine[] = [];
  for await (const { scenario, line, plans } of measure(options, peer)) {
    lines.push(line);
    showProgress("");
    process.stdout.write(`${JSON.stringify(line)}\n`);
    if (options.isDetailed) process.stderr.write(`${describeCase(scenario, line, plans)}\n`);
  }
  const summary = summarize(lines);
  process.stdout.write(`${JSON.stringify(summary)}\n`);
  if (!options.isDetailed) process.stderr.write(`${textOf(summary)}\n`);
  if (summary.invalid.length > 0) process.exitCode = 1;
}

await runCommand(readOptions, usage, main);
