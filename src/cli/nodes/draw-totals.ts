import { describeCores, describeGib, describePrice, drawBar, shareOf } from "../terminal/describe.ts";
import type { Line, Piece } from "../terminal/line.ts";
import { widthOf } from "../terminal/text-width.ts";
import type { NodesView } from "./draw-nodes.ts";
import { addUpNodes, counted, type FleetTotals, hoursPerMonth } from "./fleet.ts";
import { pipeWidth, wide } from "./node-columns.ts";
import { arrange } from "./view-state.ts";

/** Of the nodes that are shown, in two lines where one is too narrow; then of all, where some are not shown. */
export function drawTotals({ nodes, totals, state }: NodesView, width: number): readonly Line[] {
  if (state.filter === "") return drawSums(totals, sumUp(totals, counted(totals.nodes, "node")), width);
  const shown = addUpNodes(arrange(nodes, state));
  const all = sumUp(totals, `all ${totals.nodes}`);
  return [...drawSums(shown, sumUp(shown, `${shown.nodes} of ${counted(totals.nodes, "node")} shown`), width), all];
}

type Totals = Omit<FleetTotals, "waiting"> & Partial<Pick<FleetTotals, "waiting">>;

function sumUp({ nodes, ready, pods, waiting = 0, price, unpriced }: Totals, title: string): readonly Piece[] {
  const isKnown = unpriced === 0 || nodes > unpriced;
  return [
    { text: title, paint: "bold" },
    { text: ready === nodes ? "" : ` (${ready} ready)`, paint: "yellow" },
    { text: `  ${counted(pods, "pod")}` },
    { text: waiting === 0 ? "" : `  ${waiting} waiting`, paint: "yellow" },
    { text: isKnown ? `  ${describePrice(price)}/h  ${describeMonth(price)}/month` : "  cost unknown", paint: "green" },
    { text: unpriced === 0 || !isKnown ? "" : `  + ${unpriced} unpriced`, paint: "yellow" },
  ];
}

function drawSums(totals: Totals, first: readonly Piece[], width: number): readonly Line[] {
  const { allocatable, requested, used } = totals;
  const part = (resource: string, unit: string, describe: (amount: number) => string): readonly string[] => {
    const share = shareOf(resource, requested, allocatable);
    const measured = used === undefined ? "" : `, ${describe(used.get(resource) ?? 0)} used`;
    const amounts = `${describe(requested.get(resource) ?? 0)} of ${describe(allocatable.get(resource) ?? 0)} ${unit}`;
    return [
      `${drawBar(share, width >= wide ? 10 : 4)} ${amounts}${measured}`,
      `${Math.round(100 * share)}% ${amounts}${measured}`,
    ];
  };
  const [cpu, memory] = [part("cpu", "cores", describeCores), part("memory", "Gi", describeGib)];
  const [second = [], withoutBars = []] = [0, 1].map((i): Piece[] => [
    { text: "cpu ", paint: "dim" },
    { text: cpu[i] ?? "", paint: "cyan" },
    { text: "  memory ", paint: "dim" },
    { text: memory[i] ?? "", paint: "cyan" },
  ]);
  const together: Piece[] = [...first, { text: "   " }, ...second];
  // Programs read what is in a pipe.
  if (width === pipeWidth) return [[...first, { text: "   " }, ...withoutBars]];
  if (sizeOf(together) <= width) return [together];
  return [first, sizeOf(second) <= width ? second : withoutBars];
}

function sizeOf(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0);
}

function describeMonth(price: number): string {
  return `$${Math.round(price * hoursPerMonth).toLocaleString("en-US")}`;
}
