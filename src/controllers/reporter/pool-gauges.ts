import type { InstanceType } from "../../core/model/instance-type.ts";
import { capacityTypeLabel, instanceTypeLabel, type Labels, zoneLabel } from "../../core/model/labels.ts";
import type { NodeClassRef } from "../../core/model/node-pool.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import type { Requirements } from "../../core/model/requirements.ts";
import type { Resources } from "../../core/model/resources.ts";
import type { Readings, Sample } from "../../ports/telemetry.ts";
import type { ReporterOptions } from "./reporter-options.ts";
import { resourceSamples } from "./resource-samples.ts";

/** Dollars an hour by type, zone and capacity type. */
type Prices = ReadonlyMap<string, number>;

/** The limits of each pool, what it has and what that costs. */
export class PoolGauges {
  readonly #options: ReporterOptions;
  /** What was last for sale, by node class: no scrape waits for the cloud, each asks on behalf of the next one. */
  readonly #onSale = new Map<string, readonly InstanceType[]>();
  readonly #asked = new Set<string>();
  /** By the list that they come from, which is another when a price has changed. */
  readonly #prices = new WeakMap<readonly InstanceType[], Prices>();
  /** Claims whose price nobody knows, so that each is counted once. */
  readonly #unpriced = new Set<string>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  start(): void {
    const { cluster, telemetry } = this.#options;
    for (const { nodeClassRef } of cluster.claims.values()) this.#learn(nodeClassRef);
    this.#unsubscribe.push(
      cluster.claims.onChange(({ after, before }) => {
        if (after === undefined) this.#unpriced.delete(before?.uid ?? "");
        else if (before === undefined) this.#learn(after.nodeClassRef);
      }),
      telemetry.metrics.collect(() => this.#read()),
    );
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #read(): Readings {
    const pools = [...this.#options.cluster.pools.values()];
    function* amounts(resourcesOf: (pool: NodePoolObject) => Resources): Generator<Sample<PoolLabels>> {
      for (const pool of pools) yield* resourceSamples<PoolLabels>(resourcesOf(pool), { nodepool: pool.name });
    }
    return {
      nodepools_limit: amounts(({ limits }) => limits),
      nodepools_usage: amounts(({ status }) => status.resources),
      nodepools_cost_total: pools.flatMap((pool) => {
        const value = this.#costOf(pool);
        return value === undefined ? [] : [{ labels: { nodepool: pool.name }, value }];
      }),
    };
  }

  /** Undefined while nobody knows what is for sale. */
  #costOf({ name, nodeClassRef }: NodePoolObject): number | undefined {
    const { cluster, telemetry } = this.#options;
    const claims = cluster.claimsOfPool(name);
    if (claims.length === 0) return 0;
    const types = this.#onSale.get(keyOf(nodeClassRef));
    void this.#ask(nodeClassRef);
    if (types === undefined) return undefined;
    const prices = this.#pricesIn(types);
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

  #learn(nodeClass: NodeClassRef): void {
    if (!this.#onSale.has(keyOf(nodeClass))) void this.#ask(nodeClass);
  }

  async #ask(nodeClass: NodeClassRef): Promise<void> {
    const { cloud, telemetry } = this.#options;
    const key = keyOf(nodeClass);
    if (this.#asked.has(key)) return;
    this.#asked.add(key);
    try {
      this.#onSale.set(key, await cloud.instanceTypes(nodeClass));
    } catch (error) {
      telemetry.log.error("cannot find out prices, showing costs by the last ones", { nodeClass: key, error });
    } finally {
      this.#asked.delete(key);
    }
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

interface PoolLabels {
  readonly resource_type: string;
  readonly nodepool: string;
}

function keyOf({ kind, name }: NodeClassRef): string {
  return `${kind}/${name}`;
}

function onlyValue(requirements: Requirements, key: string): string {
  return [...(requirements.get(key)?.values ?? [])][0] ?? "";
}

/** Undefined while it is not known what was bought. */
function offeringOf(labels: Labels): string | undefined {
  const parts = [instanceTypeLabel, zoneLabel, capacityTypeLabel].map((key) => labels.get(key));
  return parts.includes(undefined) ? undefined : parts.join("/");
}
