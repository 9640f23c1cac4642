import { ConditionReporter } from "./condition-reporter.ts";
import { NodeGauges } from "./node-gauges.ts";
import { PodGauges } from "./pod-gauges.ts";
import { PoolGauges } from "./pool-gauges.ts";
import type { ReporterOptions } from "./reporter-options.ts";

/** Tells dashboards what the cluster is like: what changes when it does, what there is when somebody asks. */
export class Reporter {
  readonly #parts: readonly { start(): void; stop(): void }[];

  constructor(options: ReporterOptions & { readonly isObservable: boolean }) {
    this.#parts = options.isObservable
      ? [new PodGauges(options), new NodeGauges(options), new PoolGauges(options), new ConditionReporter(options)]
      : [];
  }

  start(): void {
    for (const part of this.#parts) part.start();
  }

  /** Takes its numbers away too: whoever leads now shows theirs. */
  async stop(): Promise<void> {
    for (const part of this.#parts) part.stop();
  }
}
