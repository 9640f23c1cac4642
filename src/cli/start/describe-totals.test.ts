import assert from "node:assert/strict";
import { it } from "node:test";
import { describeTotals } from "./describe-totals.ts";

const resources = (cpu: number, memory: number): ReadonlyMap<string, number> =>
  new Map([
    ["cpu", cpu],
    ["memory", memory],
  ]);

it("what there is fits into a line", () => {
  const totals = { nodes: 13, ready: 13, price: 1.44, running: 55, starting: 0, pending: 22 };
  const used = { requested: resources(79, 6), allocatable: resources(100, 10) };
  assert.deepEqual(
    [
      describeTotals({ ...totals, ...used }),
      describeTotals({ ...totals, ...used, nodes: 14, running: 1, starting: 3 }),
      describeTotals({
        nodes: 0,
        ready: 0,
        price: 0,
        running: 0,
        starting: 0,
        pending: 0,
        requested: new Map(),
        allocatable: new Map(),
      }),
    ],
    [
      "13 nodes, $1.440/h, cpu 79%, memory 60%, 55 pods running, 22 pending",
      "13 of 14 nodes ready, $1.440/h, cpu 79%, memory 60%, 1 pod running, 3 starting, 22 pending",
      "0 nodes, $0.000/h, cpu 0%, memory 0%, 0 pods running, 0 pending",
    ],
  );
});
