import type { MetricName, Metrics } from "../../ports/telemetry.ts";

/** One number of one object. */
export interface Reading {
  readonly metric: MetricName;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Shows numbers of objects, and takes away those of objects that are gone or are called otherwise by now. */
export class GaugeBoard {
  readonly #metrics: Metrics;
  readonly #shown = new Map<string, readonly Reading[]>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /** All that there is to show of an object, in place of what was shown. Quick where labels are the same objects. */
  show(key: string, readings: readonly Reading[]): void {
    const before = this.#shown.get(key) ?? [];
    if (readings.length === before.length && readings.every((reading, at) => isSameSeries(reading, before[at]))) {
      readings.forEach((reading, at) => {
        if (reading.value !== before[at]?.value) this.#set(reading);
      });
    } else {
      for (const reading of before) this.#metrics.remove(reading.metric, reading.labels as never);
      for (const reading of readings) this.#set(reading);
    }
    if (readings.length === 0) this.#shown.delete(key);
    else this.#shown.set(key, readings);
  }

  hide(key: string): void {
    this.show(key, []);
  }

  hideAll(): void {
    for (const key of [...this.#shown.keys()]) this.hide(key);
  }

  #set({ metric, labels, value }: Reading): void {
    this.#metrics.set(metric, labels as never, value);
  }
}

function isSameSeries(left: Reading, right: Reading | undefined): boolean {
  if (left.metric !== right?.metric) return false;
  if (left.labels === right.labels) return true;
  for (const name in left.labels) if (left.labels[name] !== right.labels[name]) return false;
  return true;
}
