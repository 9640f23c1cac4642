import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry, Summary } from "@prometheus-io/client";
import type { MetricName, Metrics } from "../../ports/telemetry.ts";
import { quantiles } from "./metrics/definition.ts";
import { type DefinedMetric, definedMetrics } from "./metrics/definitions.ts";
import { type LabelSource, labelNamesOf } from "./metrics/label-names.ts";

export interface MetricsOptions {
  /** Some labels depend on it. */
  readonly provider: LabelSource;
  /** Serve `process_*` and `nodejs_*` too; they keep watching the event loop for as long as the process lives. */
  readonly includesProcess?: boolean;
}

export interface ServedMetrics extends Metrics {
  readonly contentType: string;
  /** All metrics as Prometheus reads them. */
  text(): Promise<string>;
}

type Labels = Readonly<Record<string, string>>;

interface Family {
  readonly wireName: string;
  readonly labelNames: readonly string[];
  readonly metric: Counter<string> | Gauge<string> | Histogram<string> | Summary<string>;
  /** Every series by its label values. */
  readonly series: Map<string, Labels>;
}

/** Metrics for Prometheus. A metric that is used as what it is not throws, because nobody would ever see its number. */
export function createMetrics({ provider, includesProcess = false }: MetricsOptions): ServedMetrics {
  const registry = new Registry(Registry.PROMETHEUS_CONTENT_TYPE);
  if (includesProcess) collectDefaultMetrics({ register: registry });
  const families = new Map<MetricName, Family>(
    definedMetrics.map((defined) => [defined.name, openFamily(defined, labelNamesOf(defined, provider), registry)]),
  );

  function familyOf(name: MetricName, labels: object): Family {
    const family = families.get(name);
    if (family === undefined) throw new Error(`There is no metric "${name}"`);
    const given = labels as Labels;
    const key = keyOf(family, given);
    if (!family.series.has(key)) family.series.set(key, given);
    return family;
  }

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    add(name, labels, amount = 1) {
      const { metric, wireName } = familyOf(name, labels);
      if (!(metric instanceof Counter) && !(metric instanceof Gauge)) throw misuse(wireName, "added to");
      metric.inc({ ...labels }, amount);
    },
    set(name, labels, value) {
      const { metric, wireName } = familyOf(name, labels);
      if (!(metric instanceof Gauge)) throw misuse(wireName, "set");
      metric.set({ ...labels }, value);
    },
    observe(name, labels, value) {
      const { metric, wireName } = familyOf(name, labels);
      if (metric instanceof Counter || metric instanceof Gauge) throw misuse(wireName, "observed");
      metric.observe({ ...labels }, value);
    },
    remove(name, labels) {
      const family = families.get(name);
      if (family !== undefined) forget(family, labels as Labels);
    },
  };
}

function openFamily(
  { wireName, definition }: DefinedMetric,
  labelNames: readonly string[],
  registry: Registry,
): Family {
  const options = { name: wireName, help: definition.help, labelNames, registers: [registry] };
  const series = new Map<string, Labels>();
  switch (definition.kind) {
    case "counter":
      return { wireName, labelNames, series, metric: new Counter(options) };
    case "gauge":
      return { wireName, labelNames, series, metric: new Gauge(options) };
    case "summary": {
      const window = { maxAgeSeconds: 600, ageBuckets: 5 };
      return {
        wireName,
        labelNames,
        series,
        metric: new Summary({ ...options, ...window, percentiles: [...quantiles] }),
      };
    }
    case "histogram":
      return { wireName, labelNames, series, metric: new Histogram({ ...options, buckets: [...definition.buckets] }) };
  }
}

function forget({ metric, labelNames, series }: Family, labels: Labels): void {
  const names = Object.keys(labels);
  const isWhole = labelNames.every((name) => Object.hasOwn(labels, name));
  const found = isWhole
    ? [labels]
    : [...series.values()].filter((other) => names.every((name) => other[name] === labels[name]));
  for (const one of found) {
    metric.remove({ ...one });
    series.delete(keyOf({ labelNames }, one));
  }
}

function keyOf({ labelNames }: Pick<Family, "labelNames">, labels: Labels): string {
  return labelNames.map((name) => labels[name] ?? "").join("\u0000");
}

function misuse(wireName: string, act: string): Error {
  return new Error(`The metric "${wireName}" cannot be ${act}: it is of another kind`);
}
