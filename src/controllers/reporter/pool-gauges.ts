import type { InstanceType } from "../../core/model/instance-type.ts";
import { capacityTypeLabel, instanceTypeLabel, type Labels, zoneLabel } from "../../core/model/labels.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import type { Requirements } from "../../core/model/requirements.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import { GaugeBoard, type Reading } from "./gauge-board.ts";
import type { ReporterOptions } from "./reporter-options.ts";
import { amountShown, resourceShown } from "./resource-readings.ts";

const interval = 10_000;

/** Dollars an hour by type, zone and capacity type. */
type Prices = ReadonlyMap<string, number>;

/** The limits of each pool, what it has and what that costs. */
export class PoolGauges {
  readonly #options: ReporterOptions;
  readonly #loop: WorkLoop;
  readonly #board: GaugeBoard;
  /** By the list that they come from, which is another when a price has changed. */
  readonly #prices = new WeakMap<readonly InstanceType[], Prices>();
  /** Claims whose price nobody knows, so that each is counted once. */
  readonly #unpriced = new Set<string>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: ReporterOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#board = new GaugeBoard(telemetry.metrics);
    this.#loop = new WorkLoop({ name: "metrics.nodepool", clock, telemetry, reconcile: (name) => this.#refresh(name) });
  }

  start(): void {
    const { pools, claims } = this.#options.cluster;
    for (const { name } of pools.values()) this.#loop.enqueue(name);
    this.#unsubscribe.push(
      pools.onChange(({ key, before, after }) => {
        if (before === undefined || after === undefined) this.#loop.enqueue(key);
      }),
      claims.onChange(({ after, before }) => {
        if (after === undefined) this.#unpriced.delete(before?.uid ?? "");
      }),
    );
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#loop.stop();
    this.#board.hideAll();
  }

  async #refresh(name: string): Promise<number | undefined> {
    const { cluster } = this.#options;
    const pool = cluster.pools.get(name);
    if (pool === undefined) {
      this.#board.hide(name);
      return undefined;
    }
    const readings = (metric: "nodepools_limit" | "nodepools_usage", amounts: ReadonlyMap<string, number>): Reading[] =>
      Array.from(amounts, ([resource, amount]) => ({
        metric,
        labels: { resource_type: resourceShown(resource), nodepool: name },
        value: amountShown(resource, amount),
      }));
    const cost = await this.#costOf(pool);
    // It may have gone while the prices were asked for.
    if (cluster.pools.get(name) === undefined) return 0;
    this.#board.show(name, [
      ...readings("nodepools_limit", pool.limits),
      ...readings("nodepools_usage", pool.status.resources),
      { metric: "nodepools_cost_total", labels: { nodepool: name }, value: cost },
    ]);
    return interval;
  }

  async #costOf({ name, nodeClassRef }: NodePoolObject): Promise<number> {
    const { cluster, cloud, telemetry } = this.#options;
    const claims = cluster.claimsOfPool(name);
    if (claims.length === 0) return 0;
    const prices = this.#pricesIn(await cloud.instanceTypes(nodeClassRef));
    let cost = 0;
    for (const { uid, labels } of claims) {
      const key = offeringOf(labels);
      if (key === undefined) continue;
      const price = prices.get(key);
      if (price !== undefined) cost += price;
      else if (!this.#unpriced.has(uid)) {
        this.#unpriced.add(uid);
        telemetry.metrics.add("nodepools_cost_tracker_errors_total", { nodepool: name });
      }
    }
    return cost;
  }

  #pricesIn(types: readonly InstanceType[]): Prices {
    const known = this.#prices.get(types);
    if (known !== undefined) return known;
    const prices = new Map<string, number>();
    for (const { name, offerings } of types) {
      for (const { requirements, price } of offerings) {
        prices.set(
          `${name}/${onlyValue(requirements, zoneLabel)}/${onlyValue(requirements, capacityTypeLabel)}`,
          price,
        );
      }
    }
    this.#prices.set(types, prices);
    return prices;
  }
}

function onlyValue(requirements: Requirements, key: string): string {
  return [...(requirements.get(key)?.values ?? [])][0] ?? "";
}

/** Undefined while it is not known what was bought. */
function offeringOf(labels: Labels): string | undefined {
  const parts = [instanceTypeLabel, zoneLabel, capacityTypeLabel].map((key) => labels.get(key));
  return parts.includes(undefined) ? undefined : parts.join("/");
}
