import type { Style } from "../style.ts";
import { drawColumns } from "../terminal/columns.ts";
import { describePrice, describeTime } from "../terminal/describe.ts";
import { type Line, paintLine } from "../terminal/line.ts";
import type { Size } from "../terminal/show-screen.ts";
import { oneLine, wrap } from "../terminal/text-width.ts";
import { drawTotals } from "./draw-totals.ts";
import { addUpNodes, counted, type Fleet, type FleetNode } from "./fleet.ts";
import { nodeColumns } from "./node-columns.ts";
import type { SortKey } from "./sort-keys.ts";
import { arrange, type ViewState } from "./view-state.ts";

export interface NodesView extends Fleet {
  readonly now: number;
  readonly server: string;
  /** What is missing of it or wrong with it, one sentence each. */
  readonly notes: readonly string[];
  readonly state: ViewState;
}

/** The screen, line by line, none wider and all together not higher than it. */
export function drawNodes(view: NodesView, size: Size, style: Style): readonly string[] {
  const { state } = view;
  const { header, title, body, room } = layOut(view, size);
  const top = Math.min(state.top, Math.max(0, body.length - room));
  const rest = body.length - room - top;
  const foot: Line = [{ text: rest > 0 ? `… ${counted(rest, "more line")}` : "", paint: "dim" }];
  const shown = arrange(view.nodes, state).length;
  const lines = [...header, title, ...body.slice(top, top + room), foot, helpOf(state, shown, view.nodes.length)];
  return lines.slice(0, size.rows).map((line) => paintLine(line, size.columns, style));
}

/** Where scrolling ends. */
export function lastTop(view: NodesView, size: Size): number {
  const { body, room } = layOut(view, size);
  return Math.max(0, body.length - room);
}

function layOut(view: NodesView, { columns, rows }: Size) {
  const { nodes, notes, state } = view;
  const [title = [], ...body] = drawTable(arrange(nodes, state), columns, state.sort);
  const mostNotes = Math.max(1, Math.floor(rows / 5));
  const header = [titleOf(view), ...drawTotals(view, columns), ...drawNotes(notes, columns).slice(0, mostNotes)];
  return { header, title, body, room: Math.max(1, rows - header.length - 3) };
}

/** For a pipe, which is endlessly wide, or a look in passing: everything, and the sums at the end. */
export function printNodes(view: NodesView, width: number, style: Style): string {
  const shown = arrange(view.nodes, view.state);
  const table = shown.length === 0 ? [] : drawTable(shown, width, undefined);
  const lines = [...table, [], ...drawTotals(view, width), ...drawNotes(view.notes, width)];
  return `${lines.map((line) => paintLine(line, width, style).trimEnd()).join("\n")}\n`;
}

function drawTable(nodes: readonly FleetNode[], width: number, sort: SortKey | undefined): readonly Line[] {
  const isGrouped = sort === "pool";
  const [title = [], ...lines] = drawColumns(nodeColumns(nodes, width, sort), nodes, width);
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
  const rest = unpriced === 0 ? "" : ` + ${unpriced} unpriced`;
  const cost = unpriced === nodes.length ? "price unknown" : `${describePrice(price)}/h${rest}`;
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

function drawNotes(notes: readonly string[], width: number): readonly Line[] {
  return notes.flatMap((note) => wrap(oneLine(note), width).map((text) => [{ text, paint: "yellow" as const }]));
}
