import type { Suite } from "../suite.ts";
import { comparePlanner } from "./compare-planner.ts";

const fixedClusters = 10;
const moreClusters = 150;

/** What the planner says fits, kube-scheduler accepts, and the other way round. */
export const plannerSuite: Suite = {
  name: "planner",
  async run({ progress, took, leaveToAll, isAll }) {
    // A new one every time, so that every run tries something that no run has tried before.
    const fresh = 100_000 + Math.floor(Math.random() * 900_000);
    progress(`the fresh seed is ${fresh}`);
    if (!isAll) leaveToAll(`${moreClusters - fixedClusters} more clusters`);
    const count = isAll ? moreClusters : fixedClusters;
    const seeds = Array.from({ length: count }, (_, index) => index + 1);
    return comparePlanner({ seeds: [...seeds, fresh], progress, took });
  },
};
