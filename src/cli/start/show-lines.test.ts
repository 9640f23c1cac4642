import assert from "node:assert/strict";
import { it } from "node:test";
import { VirtualClock } from "../../embedded/time/virtual-clock.ts";
import { showLines } from "./show-lines.ts";

it("lines say every minute what there is, until they are stopped", async () => {
  const clock = new VirtualClock(0);
  const none = new Map<string, number>();
  const totals = { nodes: 1, ready: 1, price: 0.1, running: 1, starting: 0, pending: 0, requested: none };
  const written: string[] = [];
  const stop = showLines({
    clock,
    write: (text) => written.push(text),
    look: () => ({ totals: { ...totals, allocatable: none } }),
    kubeconfig: "kubeconfig",
  });
  await clock.advance(125_000);
  stop();
  await clock.advance(125_000);
  const summary = "1 node, $0.100/h, cpu 0%, memory 0%, 1 pod running, 0 pending";
  assert.deepEqual(written.slice(1), [`00:01:00  ${summary}\n`, `00:02:00  ${summary}\n`]);
});
