import { setTimeout as sleep } from "node:timers/promises";
import type { RunningController } from "../../../scripts/lab/karpenter.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import type { PodCounter } from "./pod-counter.ts";

/** What there is at a moment. */
export interface Sample {
  /** Since half of the pods went away. */
  readonly seconds: number;
  readonly pricePerHour: number;
  readonly nodes: number;
  /** Pods that had to leave their nodes so far. */
  readonly moves: number;
}

export interface Followed {
  readonly cluster: ClusterReader;
  readonly counter: PodCounter;
  readonly controller: RunningController;
}

const intervalMs = 1000;

/** Looks at the cluster every second for so long. */
export async function follow({ cluster, counter, controller }: Followed, durationMs: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  const started = performance.now();
  for (let round = 0; ; round++) {
    await sleep(Math.max(0, started + round * intervalMs - performance.now()));
    controller.check();
    const { count: nodes, pricePerHour } = await cluster.nodes();
    const passed = performance.now() - started;
    samples.push({ seconds: passed / 1000, pricePerHour, nodes, moves: counter.count });
    if (passed >= durationMs) return samples;
  }
}
