import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainStyle } from "../../../test/support/plain-style.ts";
import { widthOf } from "../terminal/text-width.ts";
import { drawNodes, lastTop, type NodesView, printNodes } from "./draw-nodes.ts";
import { addUpNodes, type FleetNode } from "./fleet.ts";
import { pipeWidth } from "./node-columns.ts";
import { nodesJson } from "./nodes-json.ts";
import { firstView, press, type ViewState } from "./view-state.ts";

const resources = (cpu: number, gib: number) =>
  new Map([
    ["cpu", cpu],
    ["memory", gib * 2 ** 30],
  ]);

function node(name: string, fields: Partial<FleetNode> = {}): FleetNode {
  return {
    name,
    nodeName: `node-of-${name}`,
    pool: "general",
    instanceType: "c7a.xlarge",
    zone: "us-west-2a",
    capacityType: "spot",
    price: 0.1,
    ageMilliseconds: 130_000,
    state: "ready",
    allocatable: resources(4_000, 8),
    requested: resources(3_000, 2),
    pods: 7,
    used: resources(1_000, 1),
    ...fields,
  };
}

const nodes = [
  node("arm-1", { pool: "arm", price: 0.05, pods: 9 }),
  node("general-1"),
  node("general-2", { price: 0.3, state: "drifted", capacityType: "on-demand" }),
  node("general-3", { nodeName: "", state: "launching", pods: 0, allocatable: new Map(), used: undefined }),
  node("ours", { nodeName: "ours", pool: "", price: undefined, instanceType: "", zone: "", capacityType: "" }),
];

const view: NodesView = {
  now: Date.UTC(2026, 0, 1, 12, 30, 5),
  server: "https://example.com",
  notes: [],
  state: firstView,
  nodes,
  totals: { ...addUpNodes(nodes), waiting: 3 },
};

const frame = (columns: number, rows: number, state: Partial<ViewState> = {}): readonly string[] =>
  drawNodes({ ...view, state: { ...firstView, ...state } }, { columns, rows }, plainStyle);
const pressAll = (...keys: readonly string[]): ViewState | "quit" =>
  keys.reduce<ViewState | "quit">((state, key) => (state === "quit" ? state : press(state, key)), firstView);

describe("the screen of nodes", () => {
  it("shows pools, nodes and sums within 80 columns", () => {
    assert.deepEqual(
      frame(80, 24).map((line) => line.trimEnd()),
      [
        "karpenter nodes  12:30:05 UTC  https://example.com",
        "5 nodes (4 ready)  30 pods  3 waiting  $0.550/h  $402/month  + 1 unpriced",
        "cpu ████  94% 15 of 16 cores, 4 used  memory █░░░  31% 10 of 32 Gi, 4 used",
        "NODE              TYPE       ZONE CAP    $/H PODS  CPU%  MEM% AGE STATE",
        "no pool  1 node, 7 pods, price unknown",
        "ours              -          -    -        ?    7 75/25 25/13  2m ready",
        "arm  1 node, 9 pods, $0.050/h",
        "node-of-arm-1     c7a.xlarge 2a   spot 0.050    9 75/25 25/13  2m ready",
        "general  3 nodes, 14 pods, $0.500/h",
        "node-of-general-1 c7a.xlarge 2a   spot 0.100    7 75/25 25/13  2m ready",
        "node-of-general-2 c7a.xlarge 2a   od   0.300    7 75/25 25/13  2m drifted",
        "general-3         c7a.xlarge 2a   spot 0.100    0     -     -  2m launching",
        "",
        "sort: pool  s S sort  r reverse  / filter  ↑ ↓ scroll  q quit",
      ],
    );
  });

  it("is never wider nor higher than the terminal, and uses what there is", () => {
    for (const [columns, rows] of [
      [20, 5],
      [80, 8],
      [200, 50],
    ] as const) {
      const lines = frame(columns, rows);
      assert.ok(lines.length <= rows && lines.every((line) => widthOf(line) <= columns), `${columns}×${rows}`);
    }
    assert.match(
      frame(200, 50).join("\n"),
      /ZONE +CAPACITY +\$\/H +\$\/MONTH +PODS +CPU +CORES +MEMORY +GIB +CPU USED +MEM USED +AGE +STATE/,
    );
  });

  it("has zone, capacity type and what is sorted by within 80 columns, however long the names are", () => {
    const long = [
      node("a", { nodeName: "ip-192-168-100-101.us-west-2.compute.internal", instanceType: "m7i-flex.8xlarge" }),
      node("b", { nodeName: "ip-192-168-100-102.us-west-2.compute.internal", state: "registering" }),
      node("c", { nodeName: "x".repeat(63), zone: "us-west-2b", capacityType: "reserved", pool: "y".repeat(63) }),
    ];
    const draw = (sort: ViewState["sort"], nodes = long): readonly string[] =>
      drawNodes({ ...view, nodes, state: { ...firstView, sort } }, { columns: 80, rows: 24 }, plainStyle).slice(3);
    assert.deepEqual(
      draw("age").map((line) => line.trimEnd()),
      [
        "NODE                TYPE             ZONE CAP    $/H  CPU%  MEM% AGE STATE",
        "ip-192-168-100-101  m7i-flex.8xlarge 2a   spot 0.100 75/25 25/13  2m ready",
        "ip-192-168-100-102  c7a.xlarge       2a   spot 0.100 75/25 25/13  2m registering",
        "xxxxxxxxxxxxxxxxxx… c7a.xlarge       2b   rsv  0.100 75/25 25/13  2m ready",
        "",
        "sort: age  s S sort  r reverse  / filter  ↑ ↓ scroll  q quit",
      ],
    );
    const twoRegions = [...long, node("d", { zone: "us-east-2a" })];
    assert.match(draw("zone", twoRegions).join("\n"), /us-east-2a.*\n.*us-west-2a/);
  });

  it("breaks notes between words", () => {
    const notes = ["no price for 12 of the nodes: you may not get pods/proxy in kube-system, to ask the controller"];
    const lines = drawNodes({ ...view, notes }, { columns: 80, rows: 24 }, plainStyle).slice(3, 5);
    assert.deepEqual(lines, [
      "no price for 12 of the nodes: you may not get pods/proxy in kube-system, to ask",
      "    the controller",
    ]);
  });

  it("scrolls no further than to the last line, and says how many are below", () => {
    assert.match(frame(80, 10).join("\n"), /… 4 more lines/);
    assert.match(frame(80, 10, { top: 100 }).join("\n"), /general-3/);
    assert.deepEqual([lastTop(view, { columns: 80, rows: 10 }), lastTop(view, { columns: 80, rows: 24 })], [4, 0]);
  });

  it("sorts and filters", () => {
    const names = (state: Partial<ViewState>) =>
      frame(80, 24, state).flatMap((line) => /^(?:node-of-)?(\w+-\d|ours) /.exec(line)?.[1] ?? []);
    assert.deepEqual(names({ sort: "price" }), ["general-2", "general-1", "general-3", "arm-1", "ours"]);
    assert.deepEqual(names({ sort: "pods", isReversed: true }).slice(0, 1), ["general-3"]);
    assert.deepEqual(names({ filter: "GENERAL spot" }), ["general-1", "general-3"]);
  });

  it("sums up what a filter leaves, and says what all is", () => {
    const filter = "general spot";
    assert.deepEqual(frame(80, 24, { filter }).slice(1, 4), [
      "2 of 5 nodes shown (1 ready)  7 pods  $0.200/h  $146/month",
      "cpu ████ 100% 6 of 4 cores, 1 used  memory ██░░  50% 4 of 8 Gi, 1 used",
      "all 5 (4 ready)  30 pods  3 waiting  $0.550/h  $402/month  + 1 unpriced",
    ]);
    const { totals, totalsOfAll } = JSON.parse(nodesJson({ ...view, state: { ...firstView, filter } }));
    assert.deepEqual([totals.nodes, totals.pricePerHour, totalsOfAll.nodes], [2, 0.2, 5]);
  });

  it("prints everything for a pipe, and the same for programs", () => {
    const [title = "", ...lines] = printNodes(view, pipeWidth, plainStyle).split("\n");
    assert.match(title, /^NODE +POOL +TYPE/);
    const words = (line: string): readonly string[] => line.split(/ +/);
    // A program finds each thing in the same place of every line.
    assert.deepEqual(
      lines.slice(0, nodes.length).map((line) => words(line).length),
      nodes.map(() => words(title).length),
    );
    assert.deepEqual(lines.slice(nodes.length), [
      "",
      "5 nodes (4 ready)  30 pods  3 waiting  $0.550/h  $402/month  + 1 unpriced   cpu 94% 15 of 16 cores, 4 used  memory 31% 10 of 32 Gi, 4 used",
      "",
    ]);
    const { totals, totalsOfAll, nodes: told } = JSON.parse(nodesJson(view));
    assert.deepEqual([totals.pricePerHour, totals.nodesOfUnknownPrice, totals.used.cpu], [0.55, 1, "4"]);
    assert.equal(totalsOfAll.waiting, 3);
    assert.deepEqual([told[0].nodeClaim, told[0].pricePerHour, told[1].nodeClaim], [null, null, "arm-1"]);
  });
});

describe("a key", () => {
  it("changes what is shown, or ends it", () => {
    assert.deepEqual(pressAll("s", "r", "down", "down", "up"), {
      ...firstView,
      sort: "name",
      isReversed: true,
      top: 1,
    });
    assert.deepEqual(pressAll("S"), { ...firstView, sort: "state" });
    assert.equal(pressAll("q"), "quit");
  });

  it("goes to the filter while one is typed", () => {
    assert.deepEqual(pressAll("/", "q", "x", "backspace", "up", "enter"), { ...firstView, filter: "q" });
    assert.deepEqual(pressAll("/", "q", "escape"), firstView);
    assert.equal(pressAll("/", "interrupt"), "quit");
  });
});
