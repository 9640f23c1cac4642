import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { plainStyle } from "../../../test/support/plain-style.ts";
import type { NodeLook } from "../nodes/look-at-cluster.ts";
import type { Style } from "../style.ts";
import { widthOf } from "../terminal/text-width.ts";
import { drawFrame, type View } from "./draw-frame.ts";

const colours: Style = Object.fromEntries(
  Object.keys(plainStyle).map((name, i) => [name, (text: string) => `\u001b[${30 + i}m${text}\u001b[39m`]),
) as unknown as Style;

const allocatable = new Map([
  ["cpu", 4_000],
  ["memory", 8 * 2 ** 30],
]);

function node(name: string, fields: Partial<NodeLook> = {}): NodeLook {
  return {
    name,
    nodeName: name,
    pool: "general",
    instanceType: "c7a.xlarge",
    zone: "us-west-2a",
    capacityType: "spot",
    price: 0.1,
    ageMilliseconds: 130_000,
    state: "ready",
    allocatable,
    requested: new Map([
      ["cpu", 3_000],
      ["memory", 2 * 2 ** 30],
    ]),
    pods: 7,
    ...fields,
  };
}

const view: View = {
  now: Date.UTC(2026, 0, 1, 12, 30, 5),
  speed: 10,
  kubeconfig: "/x/kubeconfig",
  help: "q quits",
  totals: {
    nodes: 2,
    ready: 1,
    price: 0.2,
    running: 7,
    starting: 0,
    pending: 3,
    allocatable,
    requested: new Map([
      ["cpu", 3_000],
      ["memory", 2 * 2 ** 30],
    ]),
  },
  nodes: [
    node("general-x7k2p"),
    node("general-b4c9d", { state: "launching", requested: new Map(), pods: 0, ageMilliseconds: 2_000 }),
  ],
  pools: [
    {
      name: "general",
      nodes: 2,
      replicas: undefined,
      price: 0.2,
      resources: allocatable,
      limits: new Map([["cpu", 100_000]]),
      problem: "",
    },
  ],
  waiting: [
    { workload: "shop/ノード", pods: 1, reason: "nothing is large enough", isStuck: true },
    { workload: "shop/web", pods: 2, reason: "meant for general-b4c9d, which is launching", isStuck: false },
  ],
  staying: [{ nodes: 1, reason: "its pods are worth what it costs" }],
  tellings: [
    { at: Date.UTC(2026, 0, 1, 12, 30, 1), tone: "plain", text: "web grows from 7 to 9 pods" },
    { at: Date.UTC(2026, 0, 1, 12, 30, 3), tone: "good", text: "created general-b4c9d for 2 pods" },
  ],
};

describe("the screen", () => {
  it("shows totals, nodes, pools, who waits and what was decided, on eighty columns", () => {
    assert.deepEqual(drawFrame(view, { columns: 80, rows: 24 }, plainStyle), [
      "karpenter  12:30:05  10×  $0.200/h  1/2 nodes ready  7 pods running  3 pending",
      "cpu ████████░░  75% 3 of 4 cores   memory ███░░░░░░░  25% 2 of 8 Gi",
      "export KUBECONFIG=/x/kubeconfig   q quits",
      "NODE           TYPE          $/H  AGE  STATE        CPU        MEMORY     PODS",
      "general-x7k2p  c7a.xlarge  0.100   2m  ready        ███░  75%  █░░░  25%     7",
      "general-b4c9d  c7a.xlarge  0.100   2s  launching    ░░░░   0%  ░░░░   0%     0",
      "POOL     NODES    $/H       CPU  MEMORY Gi  ",
      "general      2  0.200  4 of 100          8  ",
      "PENDING PODS",
      "shop/ノード  nothing is large enough",
      "shop/web ×2  meant for general-b4c9d, which is launching",
      "WHY NODES STAY",
      "1 node  its pods are worth what it costs",
      "LAST DECISIONS",
      "12:30:01  web grows from 7 to 9 pods",
      "12:30:03  created general-b4c9d for 2 pods",
    ]);
  });

  it("has more columns on a wide screen, and room between its parts on a high one", () => {
    const frame = drawFrame(view, { columns: 140, rows: 40 }, plainStyle);
    assert.equal(
      frame[4],
      "NODE           POOL     TYPE        ZONE        CAPACITY    $/H  AGE  STATE        CPU              MEMORY           PODS",
    );
    assert.deepEqual([frame[3], frame[7]], ["", ""]);
  });

  it("fits every size, with colours too", () => {
    const many: View = {
      ...view,
      nodes: Array.from({ length: 50 }, (_, i) => node(`general-${i}`)),
      tellings: Array.from({ length: 100 }, (_, i) => ({ at: i, tone: "bad", text: `ノード ${"long ".repeat(50)}` })),
    };
    for (const columns of [1, 10, 40, 79, 80, 81, 120, 200]) {
      for (const rows of [1, 2, 5, 10, 24, 31, 32, 50, 100]) {
        for (const shown of [view, many]) {
          const frame = drawFrame(shown, { columns, rows }, colours);
          assert.ok(frame.length <= rows, `${frame.length} lines on ${rows} rows`);
          for (const line of frame) assert.ok(widthOf(stripVTControlCharacters(line)) <= columns);
        }
      }
    }
  });

  it("uses every row when there is enough to say", () => {
    const nodes = Array.from({ length: 50 }, (_, i) => node(`general-${i}`));
    const tellings = Array.from({ length: 100 }, (_, i) => ({ at: i, tone: "plain" as const, text: `${i}` }));
    for (const rows of [20, 24, 32, 60]) {
      assert.equal(drawFrame({ ...view, nodes, tellings }, { columns: 80, rows }, plainStyle).length, rows);
    }
  });

  it("leaves out nodes on which nothing goes on where there is no room for all", () => {
    const nodes = Array.from({ length: 30 }, (_, i) => node(`general-${i}`, i === 7 ? { state: "draining" } : {}));
    const frame = drawFrame({ ...view, nodes }, { columns: 80, rows: 24 }, plainStyle);
    assert.ok(frame.some((line) => line.startsWith("general-7 ")));
    assert.ok(frame.some((line) => /^… and \d+ more nodes$/.test(line)));
  });
});
