import type { Column } from "../terminal/columns.ts";
import { describeAge, describeCores, describeGib, drawBar, shareOf } from "../terminal/describe.ts";
import { type FleetNode, hoursPerMonth, nameOf } from "./fleet.ts";
import type { SortKey } from "./sort-keys.ts";
import { stateColours } from "./state-colours.ts";

/** From here on there is room for bars. */
export const wide = 120;

/** Lines in a pipe are not cut: who reads them there can cut them. */
export const pipeWidth = Number.POSITIVE_INFINITY;

const shortCapacityTypes: ReadonlyMap<string, string> = new Map([
  ["on-demand", "od"],
  ["reserved", "rsv"],
]);

type NodeColumn = Column<FleetNode> & { readonly sort?: SortKey };

/** What is sorted by is always there. Where there is little room, zones and capacity types have short names. */
export function nodeColumns(
  nodes: readonly FleetNode[],
  width: number,
  sort: SortKey | undefined,
): readonly Column<FleetNode>[] {
  const isMeasured = nodes.some(({ used }) => used !== undefined);
  const columns =
    width === pipeWidth
      ? plainColumns(isMeasured)
      : width >= wide
        ? wideColumns(isMeasured, width)
        : narrowColumns(nodes, isMeasured);
  return columns
    .filter((column) => sort !== "pool" || column.sort !== "pool")
    .map((column) => (sort !== undefined && column.sort === sort ? { ...column, rank: 1 } : column));
}

function wideColumns(isMeasured: boolean, width: number): readonly NodeColumn[] {
  const barWidth = width < 140 ? 4 : 8;
  const bar = (resource: string) => (node: FleetNode) =>
    node.allocatable.size === 0 ? "-" : drawBar(requestedShare(resource, node), barWidth);
  const amounts = (resource: string, describe: (amount: number) => string) => (node: FleetNode) =>
    `${describe(node.requested.get(resource) ?? 0)} of ${describe(node.allocatable.get(resource) ?? 0)}`;
  return [
    { title: "NODE", sort: "name", cell: nameOf, rank: 0, mostWide: 48, leastWide: 24 },
    { title: "POOL", sort: "pool", cell: ({ pool }) => pool || "-", rank: 5, mostWide: 20 },
    { title: "TYPE", sort: "type", cell: ({ instanceType }) => instanceType || "-", rank: 3, mostWide: 20 },
    { title: "ZONE", sort: "zone", cell: ({ zone }) => zone || "-", rank: 8, mostWide: 16 },
    { title: "CAPACITY", cell: ({ capacityType }) => capacityType || "-", rank: 7 },
    priceColumn(4),
    {
      title: "$/MONTH",
      cell: ({ price }) => (price === undefined ? "?" : (price * hoursPerMonth).toFixed(0)),
      rank: 14,
      align: "right",
    },
    { title: "PODS", sort: "pods", cell: ({ pods }) => String(pods), rank: 9, align: "right" },
    { title: "CPU", sort: "cpu", cell: bar("cpu"), rank: 6, align: "right", paint: () => "cyan" },
    { title: "CORES", cell: amounts("cpu", describeCores), rank: 15, align: "right" },
    { title: "MEMORY", sort: "memory", cell: bar("memory"), rank: 6, align: "right", paint: () => "cyan" },
    { title: "GIB", cell: amounts("memory", describeGib), rank: 16, align: "right" },
    ...(isMeasured ? usedColumns : []),
    { title: "AGE", sort: "age", cell: ageOf, rank: 10, align: "right" },
    stateColumn,
  ];
}

/** For programs: every cell is one word, and `-` or `?` where there is nothing to say. */
function plainColumns(isMeasured: boolean): readonly NodeColumn[] {
  const text = (title: string, read: (node: FleetNode) => string): NodeColumn => ({
    title,
    cell: (node) => read(node).replaceAll(" ", "-") || "-",
    rank: 0,
  });
  const number = (title: string, read: (node: FleetNode) => string): NodeColumn => ({
    ...text(title, read),
    align: "right",
  });
  const ofResource = (resource: "cpu" | "memory"): readonly NodeColumn[] => {
    const [unit, name, describe] =
      resource === "cpu" ? ["CORES", "CPU", describeCores] : (["GIB", "MEM", describeGib] as const);
    return [
      number(unit, ({ requested }) => describe(requested.get(resource) ?? 0)),
      number(`OF-${unit}`, ({ allocatable }) => describe(allocatable.get(resource) ?? 0)),
      number(`${name}%`, (node) =>
        node.allocatable.size === 0 ? "" : String(Math.round(100 * requestedShare(resource, node))),
      ),
      ...(isMeasured ? [number(`${name}-USED%`, (node) => usedShare(resource, node))] : []),
    ];
  };
  return [
    text("NODE", nameOf),
    text("POOL", ({ pool }) => pool),
    text("TYPE", ({ instanceType }) => instanceType),
    text("ZONE", ({ zone }) => zone),
    text("CAPACITY", ({ capacityType }) => capacityType),
    number("$/H", ({ price }) => price?.toFixed(3) ?? "?"),
    number("$/MONTH", ({ price }) => (price === undefined ? "?" : (price * hoursPerMonth).toFixed(0))),
    number("PODS", ({ pods }) => String(pods)),
    ...ofResource("cpu"),
    ...ofResource("memory"),
    number("AGE", ageOf),
    text("STATE", ({ state }) => state),
  ];
}

/** Percentages are of what is requested, and after a slash of what is used, where that is measured. */
function narrowColumns(nodes: readonly FleetNode[], isMeasured: boolean): readonly NodeColumn[] {
  const percent = (resource: string) => (node: FleetNode) => {
    if (node.allocatable.size === 0) return "-";
    const requested = Math.round(100 * requestedShare(resource, node));
    return isMeasured ? `${requested}/${usedShare(resource, node)}` : String(requested);
  };
  const zones = shorten(
    nodes.map(({ zone }) => zone),
    (zone) => zone.split("-").at(-1) ?? "",
  );
  const names = shorten(nodes.map(nameOf), (name) => name.split(".")[0] ?? "");
  const columns: readonly NodeColumn[] = [
    {
      title: "NODE",
      sort: "name",
      cell: (node) => names.get(nameOf(node)) ?? "",
      rank: 0,
      mostWide: 48,
      leastWide: 16,
    },
    { title: "POOL", sort: "pool", cell: ({ pool }) => pool || "-", rank: 9, mostWide: 20, leastWide: 7 },
    { title: "TYPE", sort: "type", cell: ({ instanceType }) => instanceType || "-", rank: 3, mostWide: 16 },
    { title: "ZONE", sort: "zone", cell: ({ zone }) => zones.get(zone) || "-", rank: 8, mostWide: 16 },
    {
      title: "CAP",
      cell: ({ capacityType }) => (shortCapacityTypes.get(capacityType) ?? capacityType) || "-",
      rank: 7,
      mostWide: 8,
    },
    priceColumn(4),
    { title: "PODS", sort: "pods", cell: ({ pods }) => String(pods), rank: 10, align: "right" },
    { title: "CPU%", sort: "cpu", cell: percent("cpu"), rank: 5, align: "right", paint: () => "cyan" },
    { title: "MEM%", sort: "memory", cell: percent("memory"), rank: 6, align: "right", paint: () => "cyan" },
    { title: "AGE", sort: "age", cell: ageOf, rank: 11, align: "right" },
    stateColumn,
  ];
  return columns.map((column) => ({ ...column, gap: 1 }));
}

const ageOf = ({ ageMilliseconds }: FleetNode): string => describeAge(ageMilliseconds);

const stateColumn: NodeColumn = {
  title: "STATE",
  sort: "state",
  cell: ({ state }) => state,
  rank: 2,
  paint: ({ state }) => stateColours[state],
};

function priceColumn(rank: number): NodeColumn {
  return { title: "$/H", sort: "price", cell: ({ price }) => price?.toFixed(3) ?? "?", rank, align: "right" };
}

const usedColumns: readonly NodeColumn[] = [
  { title: "CPU USED", cell: (node) => withPercent(usedShare("cpu", node)), rank: 12, align: "right" },
  { title: "MEM USED", cell: (node) => withPercent(usedShare("memory", node)), rank: 13, align: "right" },
];

function withPercent(share: string): string {
  return share === "-" ? share : `${share}%`;
}

function requestedShare(resource: string, { requested, allocatable }: FleetNode): number {
  return shareOf(resource, requested, allocatable);
}

function usedShare(resource: string, { used, allocatable }: FleetNode): string {
  return used === undefined ? "-" : String(Math.round(100 * shareOf(resource, used, allocatable)));
}

/** Short names where no two are the same: `us-west-2a` is `2a` as long as no other zone is. */
function shorten(names: readonly string[], cut: (name: string) => string): ReadonlyMap<string, string> {
  const whole = new Set(names);
  const short = new Map(Array.from(whole, (name) => [name, cut(name)]));
  const isClear = new Set(short.values()).size === whole.size;
  return isClear ? short : new Map(Array.from(whole, (name) => [name, name]));
}
