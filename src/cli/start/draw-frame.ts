import type { NodeLook, PoolLook, Totals } from "../nodes/look-at-cluster.ts";
import { stateColours } from "../nodes/state-colours.ts";
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
import type { StayingLook } from "./look-at-staying.ts";
import type { WaitingLook } from "./look-at-waiting.ts";
import { shareRows } from "./share-rows.ts";
import type { Tone } from "./telling.ts";
import type { ToldLine } from "./tellings.ts";

/** Everything that the screen shows. */
export interface View {
  readonly now: number;
  readonly speed: number;
  readonly kubeconfig: string;
  /** What the keys do. */
  readonly help: string;
  readonly totals: Totals;
  readonly nodes: readonly NodeLook[];
  readonly pools: readonly PoolLook[];
  readonly waiting: readonly WaitingLook[];
  readonly staying: readonly StayingLook[];
  /** The oldest first. */
  readonly tellings: readonly ToldLine[];
}

/** The screen, line by line, none wider and all together not higher than it. */
export function drawFrame(view: View, { columns, rows }: Size, style: Style): readonly string[] {
  const isRoomy = rows >= 32;
  const header = drawHeader(view);
  const wanted = {
    nodes: Math.max(1, view.nodes.length),
    pools: view.pools.length,
    waiting: view.waiting.length,
    staying: view.staying.length,
    tellings: rows,
  };
  const sectionCount = 3 + Number(view.pools.length > 0) + Number(view.staying.length > 0);
  const titles = isRoomy ? 2 * sectionCount : sectionCount;
  const share = shareRows(rows - header.length - titles, wanted);
  const sections = [
    drawNodes(view.nodes, share.nodes, columns),
    drawPools(view.pools, share.pools, columns),
    drawWaiting(view, share.waiting),
    drawStaying(view.staying, share.staying),
    drawTellings(view.tellings, share.tellings),
  ].filter((section) => section.length > 0);
  const lines = [header, ...sections].flatMap((section, i) => (isRoomy && i > 0 ? [[], ...section] : section));
  return lines.slice(0, rows).map((line) => paintLine(line, columns, style));
}

function drawHeader({ now, speed, kubeconfig, help, totals }: View): readonly Line[] {
  const { nodes, ready, price, running, starting, pending, allocatable, requested } = totals;
  const pace: Piece[] = speed === 1 ? [] : [{ text: `  ${speed}×`, paint: "yellow" }];
  return [
    [
      { text: "karpenter", paint: "bold" },
      { text: `  ${describeTime(now)}` },
      ...pace,
      { text: `  ${describePrice(price)}/h`, paint: "green" },
      { text: `  ${ready}/${nodes} nodes ready` },
      { text: `  ${running} pods running` },
      { text: `  ${pending} pending`, ...(pending > 0 ? { paint: "yellow" as const } : {}) },
      { text: starting === 0 ? "" : `  ${starting} starting`, paint: "cyan" },
    ],
    [
      { text: "cpu ", paint: "dim" },
      { text: drawBar(shareOf("cpu", requested, allocatable), 10), paint: "cyan" },
      { text: ` ${describeCores(requested.get("cpu") ?? 0)} of ${describeCores(allocatable.get("cpu") ?? 0)} cores` },
      { text: "   memory ", paint: "dim" },
      { text: drawBar(shareOf("memory", requested, allocatable), 10), paint: "cyan" },
      { text: ` ${describeGib(requested.get("memory") ?? 0)} of ${describeGib(allocatable.get("memory") ?? 0)} Gi` },
    ],
    [
      { text: `export KUBECONFIG=${kubeconfig}`, paint: "cyan" },
      { text: `   ${help}`, paint: "dim" },
    ],
  ];
}

function nodeColumns(width: number): readonly Column<NodeLook>[] {
  const bar = width >= 110 ? 10 : 4;
  const used = (resource: string, node: NodeLook): string =>
    drawBar(shareOf(resource, node.requested, node.allocatable), bar);
  return [
    { title: "NODE", cell: ({ name }) => name, rank: 0, mostWide: 32 },
    { title: "POOL", cell: ({ pool }) => pool || "-", rank: 10, mostWide: 20 },
    { title: "TYPE", cell: ({ instanceType }) => instanceType || "-", rank: 2, mostWide: 20 },
    { title: "ZONE", cell: ({ zone }) => zone || "-", rank: 8, mostWide: 16 },
    { title: "CAPACITY", cell: ({ capacityType }) => capacityType || "-", rank: 7 },
    { title: "$/H", cell: ({ price }) => price?.toFixed(3) ?? "-", rank: 5, align: "right" },
    { title: "AGE", cell: ({ ageMilliseconds }) => describeAge(ageMilliseconds), rank: 9, align: "right" },
    {
      title: "STATE",
      cell: ({ state }) => state.padEnd("registering".length),
      rank: 1,
      paint: ({ state }) => stateColours[state],
    },
    { title: "CPU", cell: (node) => used("cpu", node), rank: 3, paint: () => "cyan" },
    { title: "MEMORY", cell: (node) => used("memory", node), rank: 4, paint: () => "cyan" },
    { title: "PODS", cell: ({ pods }) => String(pods), rank: 6, align: "right" },
  ];
}

function drawNodes(nodes: readonly NodeLook[], room: number, width: number): readonly Line[] {
  if (nodes.length === 0) return [heading("NODES"), [{ text: "none yet", paint: "dim" }]];
  const shown = nodes.length <= room ? nodes : mostTelling(nodes, room - 1);
  const table = drawColumns(nodeColumns(width), shown, width);
  const rest = nodes.length - shown.length;
  return rest === 0 ? table : [...table, more(`${rest} more nodes`)];
}

/** Those on which something goes on, and then the newest; in the order that they had. */
function mostTelling(nodes: readonly NodeLook[], room: number): readonly NodeLook[] {
  const byInterest = [...nodes].sort(
    (a, b) =>
      Number(a.state === "ready") - Number(b.state === "ready") ||
      Number(a.pool === "") - Number(b.pool === "") ||
      a.ageMilliseconds - b.ageMilliseconds,
  );
  const chosen = new Set(byInterest.slice(0, Math.max(1, room)));
  return nodes.filter((node) => chosen.has(node));
}

const poolColumns: readonly Column<PoolLook>[] = [
  { title: "POOL", cell: ({ name }) => name, rank: 0, mostWide: 24 },
  {
    title: "NODES",
    cell: ({ nodes, replicas, limits }) => ofLimit(String(nodes), replicas ?? limits.get("nodes"), String),
    rank: 1,
    align: "right",
  },
  { title: "$/H", cell: ({ price }) => price.toFixed(3), rank: 2, align: "right" },
  {
    title: "CPU",
    cell: (pool) => ofLimit(describeCores(pool.resources.get("cpu") ?? 0), pool.limits.get("cpu"), describeCores),
    rank: 3,
    align: "right",
  },
  {
    title: "MEMORY Gi",
    cell: (pool) => ofLimit(describeGib(pool.resources.get("memory") ?? 0), pool.limits.get("memory"), describeGib),
    rank: 4,
    align: "right",
  },
  {
    title: "",
    cell: ({ problem, replicas }) => problem || (replicas === undefined ? "" : "static"),
    rank: 5,
    paint: ({ problem }) => (problem === "" ? "dim" : "red"),
    mostWide: 60,
  },
];

function ofLimit(used: string, limit: number | undefined, describe: (amount: number) => string): string {
  return limit === undefined ? used : `${used} of ${describe(limit)}`;
}

function drawPools(pools: readonly PoolLook[], room: number, width: number): readonly Line[] {
  if (room <= 0) return [];
  const shown = pools.length <= room ? pools : pools.slice(0, room - 1);
  const table = drawColumns(poolColumns, shown, width);
  const rest = pools.length - shown.length;
  return rest === 0 ? table : [...table, more(`${rest} more pools`)];
}

function drawWaiting({ waiting, totals }: View, room: number): readonly Line[] {
  const title = heading("PENDING PODS", totals.pending === 0 ? "none" : "");
  const shown = waiting.length <= room ? waiting : waiting.slice(0, Math.max(0, room - 1));
  const lines = shown.map(
    ({ workload, pods, reason, isStuck }): Line => [
      { text: `${workload}${pods > 1 ? ` ×${pods}` : ""}`, paint: isStuck ? "red" : "yellow" },
      { text: `  ${reason}` },
    ],
  );
  const rest = waiting.slice(shown.length).reduce((sum, { pods }) => sum + pods, 0);
  return [title, ...lines, ...(rest === 0 || room <= 0 ? [] : [more(`${rest} more pods`)])];
}

function drawStaying(staying: readonly StayingLook[], room: number): readonly Line[] {
  if (room <= 0) return [];
  const lines = staying
    .slice(0, room)
    .map(
      ({ nodes, reason }): Line => [
        { text: nodes === 1 ? "1 node" : `${nodes} nodes`, paint: "cyan" },
        { text: `  ${reason}` },
      ],
    );
  return [heading("WHY NODES STAY"), ...lines];
}

const toneColours: Readonly<Record<Tone, keyof Style | undefined>> = {
  good: "green",
  plain: undefined,
  warning: "yellow",
  bad: "red",
};

function drawTellings(tellings: readonly ToldLine[], room: number): readonly Line[] {
  const shown = room <= 0 ? [] : tellings.slice(-room);
  return [
    heading("LAST DECISIONS"),
    ...shown.map(({ at, tone, text }): Line => {
      const paint = toneColours[tone];
      return [{ text: `${describeTime(at)}  `, paint: "dim" }, paint === undefined ? { text } : { text, paint }];
    }),
  ];
}

function heading(title: string, note = ""): Line {
  return [
    { text: title, paint: "dim" },
    { text: note === "" ? "" : `  ${note}`, paint: "dim" },
  ];
}

function more(text: string): Line {
  return [{ text: `… and ${text}`, paint: "dim" }];
}
