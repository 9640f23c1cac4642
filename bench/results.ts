// Writes what a run of the benchmark printed as a page: node bench/results.ts < LINES > bench/RESULTS.md
import { text } from "node:stream/consumers";
import type { Line } from "./lines.ts";
import { type Table, tablesOf } from "./tables.ts";

/** The page says where and when, and names no path of the machine. */
export function resultsPage(lines: readonly Line[], command: string): string {
  const machine = lines.find((line) => line.measure === "machine");
  const summary = lines.find((line) => line.measure === "summary");
  const where =
    machine === undefined
      ? []
      : [
          `Measured on ${machine.date} on ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}; ` +
            `Node ${machine.node}${machine.go === null ? "" : `, ${machine.go}`}.`,
          machine.peerSkipped === undefined
            ? "The peer is the scheduler of kubernetes-sigs/karpenter at the version in `bench/peer/go.mod`; ours and the peer took turns in one run."
            : `The peer was left out: ${machine.peerSkipped}.`,
        ];
  const count =
    summary === undefined
      ? []
      : [
          `Goals met: ${summary.met}; missed: ${summary.missed}; not judged: ${summary.unjudged}. ` +
            `Violations: ${summary.violations}. The run took ${Math.ceil(summary.seconds / 60)} min.`,
        ];
  return `${[
    "# Results of the benchmark",
    ...where,
    `Repeat it with \`${command}\`. Times differ from machine to machine and from run to run: compare ratios.`,
    ...count,
    ...tablesOf(lines).flatMap(({ title, note, ...table }) => [`## ${title}`, note, markdown(table)]),
    "## Notes",
    notes,
  ].join("\n\n")}\n`;
}

const notes = `- Every plan, ours and the peer's, is checked against its scenario by \`bench/verify.ts\`, which shares no code with the planner. Cost is what the nodes cost by the catalogue, whatever the plan says.
- \`bound\` is the cheapest purchase of fractions of machines for fractions of pods; \`fit bound\` knows besides that a machine runs whole pods. Both are lower bounds, \`bench/bound.ts\` says why. On a pool that takes any type the first buys slivers of machines that are too small for a pod, so that not even the best plan comes near it.
- A planner may take 2 minutes, or what \`--timeout\` says. Where the peer ran out of time its numbers are limits: it is slower than that.
- Times run from the parsed scenario with the catalogue loaded to the finished plan, in a warm process, the median of several runs. Memory is of a process that runs once.
- Prices on demand are real, spot prices are made up.`;

function markdown({ header, rows }: Pick<Table, "header" | "rows">): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map((_, column) => (column === 0 ? "---" : "--:"))), ...rows.map(line)].join("\n");
}

if (import.meta.main) {
  const lines = (await text(process.stdin))
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line);
  process.stdout.write(resultsPage(lines, "npm run bench"));
}
