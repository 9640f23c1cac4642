import type { Style } from "../style.ts";
import { type Column, drawColumns } from "../terminal/columns.ts";
import {
  describeAge,
  describeCores,
  describeGib,
  describePrice,
  describeTime,
  drawBar,
  shareOf,
} from "../terminal/describe.ts";
import { type Line, type Piece, paintLine } from "../terminal/line.ts";
import type { Size } from "../terminal/show-screen.ts";
import { widthOf } from "../terminal/text-width.ts";
import { addUpNodes, type Fleet, type FleetNode, type FleetTotals, hoursPerMonth, nameOf } from "./fleet.ts";
import { stateColours } from "./state-colours.ts";
import { arrange, type ViewState } from "./view-state.ts";

export interface NodesView extends Fleet {
  readonly now: number;
  readonly server: string;
  /** What is missing of it or wrong with it, one sentence each. */
  readonly notes: readonly string[];
  readonly state: ViewState;
}

/** From here on there is room for bars. */
const wide = 120;

interface Row {
  readonly node: FleetNode;
}

function columnsFor(width: number, { isGrouped, isMeasured }: { isGrouped: boolean; isMeasured: boolean }) {
  const requested = (resource: string, { requested: asked, allocatable }: FleetNode): string => {
    if (allocatable.size === 0) return "-";
    const share = shareOf(resource, asked, allocatable);
    return width >= wide ? drawBar(share, 8) : `${Math.round(100 * share)}%`;
  };
  const used = (resource: string, { used: measured, allocatable }: FleetNode): string =>
    measured === undefined ? "-" : `${Math.round(100 * shareOf(resource, measured, allocatable))}%`;
  const amounts = (resource: string, describe: (amount: number) => string, node: FleetNode): string =>
    `${describe(node.requested.get(resource) ?? 0)} of ${describe(node.allocatable.get(resource) ?? 0)}`;
  const columns: readonly Column<Row>[] = [
    { title: "NODE", cell: ({ node }) => nameOf(node), rank: 0, mostWide: width >= wide ? 48 : 22 },
    ...(isGrouped ? [] : [{ title: "POOL", cell: ({ node }: Row) => node.pool || "-", rank: 3, mostWide: 20 }]),
    { title: "TYPE", cell: ({ node }) => node.instanceType || "-", rank: 2, mostWide: 20 },
    { title: "ZONE", cell: ({ node }) => node.zone || "-", rank: 10, mostWide: 16 },
    { title: "CAPACITY", cell: ({ node }) => node.capacityType || "-", rank: 9 },
    { title: "$/H", cell: ({ node }) => node.price?.toFixed(3) ?? "?", rank: 4, align: "right" },
    {
      title: "$/MONTH",
      cell: ({ node }) => (node.price === undefined ? "?" : (node.price * hoursPerMonth).toFixed(0)),
      rank: 13,
      align: "right",
    },
    { title: "PODS", cell: ({ node }) => String(node.pods), rank: 7, align: "right" },
    { title: "CPU", cell: ({ node }) => requested("cpu", node), rank: 5, align: "right", paint: () => "cyan" },
    { title: "CORES", cell: ({ node }) => amounts("cpu", describeCores, node), rank: 14, align: "right" },
    { title: "MEMORY", cell: ({ node }) => requested("memory", node), rank: 6, align: "right", paint: () => "cyan" },
    { title: "GIB", cell: ({ node }) => amounts("memory", describeGib, node), rank: 15, align: "right" },
    ...(isMeasured
      ? [
          { title: "CPU USED", cell: ({ node }: Row) => used("cpu", node), rank: 11, align: "right" as const },
          { title: "MEM USED", cell: ({ node }: Row) => used("memory", node), rank: 12, align: "right" as const },
        ]
      : []),
    { title: "AGE", cell: ({ node }) => describeAge(node.ageMilliseconds), rank: 8, align: "right" },
    { title: "STATE", cell: ({ node }) => node.state, rank: 1, paint: ({ node }) => stateColours[node.state] },
  ];
  return columns;
}

/** The screen, line by line, none wider and all together not higher than it. */
export function drawNodes(view: NodesView, { columns, rows }: Size, style: Style): readonly string[] {
  const { state } = view;
  const shown = arrange(view.nodes, state);
  const isGrouped = state.sort === "pool";
  const table = drawTable(shown, columns, { isGrouped });
  const header = [titleOf(view), ...drawTotals(view.totals, columns), ...view.notes.map(noteOf)];
  const room = Math.max(1, rows - header.length - 3);
  const [title = [], ...body] = table;
  const top = Math.min(state.top, Math.max(0, body.length - room));
  const rest = body.length - room - top;
  const foot: Line = [{ text: rest > 0 ? `… ${rest} more lines` : "", paint: "dim" }];
  const visible = body.slice(top, top + room);
  const lines = [...header, title, ...visible, foot, helpOf(state, shown.length, view.nodes.length)];
  return lines.slice(0, rows).map((line) => paintLine(line, columns, style));
}

/** For a pipe or a look in passing: everything, and the sums at the end. */
export function printNodes(view: NodesView, width: number, style: Style): string {
  const shown = arrange(view.nodes, view.state);
  const table = shown.length === 0 ? [] : drawTable(shown, width, { isGrouped: false });
  const lines = [...table, [], ...drawTotals(view.totals, width), ...view.notes.map(noteOf)];
  return `${lines.map((line) => paintLine(line, width, style).trimEnd()).join("\n")}\n`;
}

function drawTable(
  nodes: readonly FleetNode[],
  width: number,
  { isGrouped }: { readonly isGrouped: boolean },
): readonly Line[] {
  const isMeasured = nodes.some(({ used }) => used !== undefined);
  const columns = columnsFor(width, { isGrouped, isMeasured });
  const [title = [], ...lines] = drawColumns(
    columns,
    nodes.map((node) => ({ node })),
    width,
  );
  if (!isGrouped) return [title, ...lines];
  const body: Line[] = [];
  for (const [index, node] of nodes.entries()) {
    if (index === 0 || nodes[index - 1]?.pool !== node.pool) {
      body.push(drawPool(nodes.filter(({ pool }) => pool === node.pool)));
    }
    body.push(lines[index] ?? []);
  }
  return [title, ...body];
}

function drawPool(nodes: readonly FleetNode[]): Line {
  const { price, unpriced, pods } = addUpNodes(nodes);
  const cost = unpriced === nodes.length ? "price unknown" : `${describePrice(price)}/h`;
  return [
    { text: nodes[0]?.pool || "no pool", paint: "bold" },
    { text: `  ${counted(nodes.length, "node")}, ${counted(pods, "pod")}, ${cost}`, paint: "dim" },
  ];
}

function titleOf({ now, server }: NodesView): Line {
  return [
    { text: "karpenter nodes", paint: "bold" },
    { text: `  ${describeTime(now)} UTC  ${server}`, paint: "dim" },
  ];
}

/** In two lines where one is too narrow. */
function drawTotals(totals: FleetTotals, width: number): readonly Line[] {
  const { nodes, ready, pods, waiting, price, unpriced, allocatable, requested, used } = totals;
  const isKnown = unpriced === 0 || nodes > unpriced;
  const first: Piece[] = [
    { text: counted(nodes, "node"), paint: "bold" },
    { text: ready === nodes ? "" : ` (${ready} ready)`, paint: "yellow" },
    { text: `  ${counted(pods, "pod")}` },
    { text: waiting === 0 ? "" : `  ${waiting} waiting`, paint: "yellow" },
    { text: isKnown ? `  ${describePrice(price)}/h  ${describeMonth(price)}/month` : "  cost unknown", paint: "green" },
    { text: unpriced === 0 || !isKnown ? "" : `  + ${unpriced} unpriced`, paint: "yellow" },
  ];
  const bar = width >= wide ? 10 : 4;
  const part = (resource: string, unit: string, describe: (amount: number) => string): string => {
    const measured = used === undefined ? "" : `, ${describe(used.get(resource) ?? 0)} used`;
    const amounts = `${describe(requested.get(resource) ?? 0)} of ${describe(allocatable.get(resource) ?? 0)} ${unit}`;
    return `${drawBar(shareOf(resource, requested, allocatable), bar)} ${amounts}${measured}`;
  };
  const second: Piece[] = [
    { text: "cpu ", paint: "dim" },
    { text: part("cpu", "cores", describeCores), paint: "cyan" },
    { text: "  memory ", paint: "dim" },
    { text: part("memory", "Gi", describeGib), paint: "cyan" },
  ];
  const together: Piece[] = [...first, { text: "   " }, ...second];
  const size = together.reduce((sum, { text }) => sum + widthOf(text), 0);
  return size <= width ? [together] : [first, second];
}

function describeMonth(price: number): string {
  return `$${Math.round(price * hoursPerMonth).toLocaleString("en-US")}`;
}

function helpOf({ sort, isReversed, filter, isTyping }: ViewState, shown: number, all: number): Line {
  if (isTyping) {
    return [
      { text: "filter: ", paint: "bold" },
      { text: `${filter}▏` },
      { text: "  enter keeps it, escape drops it", paint: "dim" },
    ];
  }
  const filtered = filter === "" ? "" : `  filter: ${filter} (${shown} of ${all})`;
  return [
    { text: `sort: ${sort}${isReversed ? " reversed" : ""}${filtered}`, paint: "cyan" },
    { text: "  s S sort  r reverse  / filter  ↑ ↓ scroll  q quit", paint: "dim" },
  ];
}

function noteOf(text: string): Line {
  return [{ text, paint: "yellow" }];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
