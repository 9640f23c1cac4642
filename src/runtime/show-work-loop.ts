import type { Metrics, Readings } from "../ports/telemetry.ts";

/** How busy a work loop is at this moment. */
export interface WorkLoopView {
  readonly name: string;
  readonly concurrency: number;
  /** How many keys wait for their turn. */
  readonly depth: number;
  /** For how many milliseconds each key that is worked on has been. */
  readonly ages: readonly number[];
}

/** Everybody's loops, for as long as somebody scrapes them. */
const shown = new WeakMap<Metrics, Set<() => WorkLoopView>>();

/** Shows loops of one name together: several may do the work of what is one controller elsewhere. Returns how to end that. */
export function showWorkLoop(view: () => WorkLoopView, metrics: Metrics): () => void {
  const views = shown.get(metrics) ?? new Set();
  if (!shown.has(metrics)) {
    shown.set(metrics, views);
    metrics.collect(() => readingsOf([...views].map((look) => look())));
  }
  views.add(view);
  return () => void views.delete(view);
}

function readingsOf(views: readonly WorkLoopView[]): Readings {
  const controllers = [...Map.groupBy(views, ({ name }) => name)].map(([controller, loops]) => {
    const ages = loops.flatMap((loop) => loop.ages);
    return {
      worker: { controller },
      queue: { name: controller, controller },
      depth: sum(loops.map((loop) => loop.depth)),
      most: sum(loops.map((loop) => loop.concurrency)),
      ages,
    };
  });
  return {
    controller_runtime_max_concurrent_reconciles: controllers.map(({ worker, most }) => ({
      labels: worker,
      value: most,
    })),
    controller_runtime_active_workers: controllers.map(({ worker, ages }) => ({ labels: worker, value: ages.length })),
    workqueue_depth: controllers.map(({ queue, depth }) => ({ labels: { ...queue, priority: "0" }, value: depth })),
    workqueue_unfinished_work_seconds: controllers.map(({ queue, ages }) => ({
      labels: queue,
      value: sum(ages) / 1000,
    })),
    workqueue_longest_running_processor_seconds: controllers.map(({ queue, ages }) => ({
      labels: queue,
      value: Math.max(0, ...ages) / 1000,
    })),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
