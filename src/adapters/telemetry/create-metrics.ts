import { setImmediate as otherTurns } from "node:timers/promises";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry, Summary } from "@prometheus-io/client";
import type { MetricName, Metrics, Readings } from "../../ports/telemetry.ts";
import { quantiles } from "./metrics/definition.ts";
import { type DefinedMetric, definedMetrics } from "./metrics/definitions.ts";
import { type LabelSource, labelNamesOf } from "./metrics/label-names.ts";
import { type AnySample, writeHeader, writeSamples } from "./write-samples.ts";

export interface MetricsOptions {
  /** Some labels depend on it. */
  readonly provider: LabelSource;
  /** Serve `process_*` and `nodejs_*` too; they keep watching the event loop for as long as the process lives. */
  readonly includesProcess?: boolean;
}

export interface ServedMetrics extends Metrics {
  readonly contentType: string;
  /** All metrics as Prometheus reads them, in pieces: others have their turn in between. */
  scrape(): AsyncIterable<string>;
}

type Metric = Counter<string> | Gauge<string> | Histogram<string> | Summary<string>;

/** As much as a socket takes at once, and a few hundred samples. */
const pieceLength = 64 * 1024;

/** Metrics for Prometheus. A metric that is used as what it is not throws, because nobody would ever see its number. */
export function createMetrics({ provider, includesProcess = false }: MetricsOptions): ServedMetrics {
  const registry = new Registry(Registry.PROMETHEUS_CONTENT_TYPE);
  const ofProcess = new Registry(Registry.PROMETHEUS_CONTENT_TYPE);
  if (includesProcess) collectDefaultMetrics({ register: ofProcess });
  const kept = new Map<MetricName, Metric>(
    definedMetrics.map((defined) => [defined.name, openMetric(defined, labelNamesOf(defined, provider), registry)]),
  );
  const sources = new Set<() => Readings>();

  function metricOf(name: MetricName): Metric {
    const metric = kept.get(name);
    if (metric === undefined) throw new Error(`There is no metric "${name}"`);
    return metric;
  }

  /** What one scrape consists of; long gauges line by line. */
  async function* parts(): AsyncGenerator<string | Iterable<string>> {
    const collected = readAll(sources);
    if (includesProcess) yield `${await ofProcess.metrics()}\n`;
    for (const { name, wireName, definition } of definedMetrics) {
      const sampleLists = collected.get(name);
      if (sampleLists === undefined) {
        yield `${await registry.getMetricsAsString(metricOf(name))}\n\n`;
        continue;
      }
      if (definition.kind !== "gauge") throw misuse(name, "collected");
      yield writeHeader(wireName, definition.help);
      for (const samples of sampleLists) yield writeSamples(samples, wireName);
      yield "\n";
    }
  }

  return {
    contentType: registry.contentType,
    scrape: () => inPieces(parts()),
    add(name, labels, amount = 1) {
      const metric = metricOf(name);
      if (!(metric instanceof Counter) && !(metric instanceof Gauge)) throw misuse(name, "added to");
      metric.inc({ ...labels }, amount);
    },
    set(name, labels, value) {
      const metric = metricOf(name);
      if (!(metric instanceof Gauge)) throw misuse(name, "set");
      metric.set({ ...labels }, value);
    },
    observe(name, labels, value) {
      const metric = metricOf(name);
      if (metric instanceof Counter || metric instanceof Gauge) throw misuse(name, "observed");
      metric.observe({ ...labels }, value);
    },
    collect(read) {
      sources.add(read);
      return () => void sources.delete(read);
    },
  };
}

function openMetric(
  { wireName, definition }: DefinedMetric,
  labelNames: readonly string[],
  registry: Registry,
): Metric {
  const options = { name: wireName, help: definition.help, labelNames, registers: [registry] };
  switch (definition.kind) {
    case "counter":
      return new Counter(options);
    case "gauge":
      return new Gauge(options);
    case "summary":
      return new Summary({ ...options, maxAgeSeconds: 600, ageBuckets: 5, percentiles: [...quantiles] });
    case "histogram":
      return new Histogram({ ...options, buckets: [...definition.buckets] });
  }
}

/** Several may tell of the same gauge, which has to stand in one place. */
function readAll(sources: Iterable<() => Readings>): Map<MetricName, Iterable<AnySample>[]> {
  const collected = new Map<MetricName, Iterable<AnySample>[]>();
  for (const read of sources) {
    for (const [key, samples] of Object.entries(read())) {
      const name = key as MetricName;
      const others = collected.get(name);
      if (others === undefined) collected.set(name, [samples as Iterable<AnySample>]);
      else others.push(samples as Iterable<AnySample>);
    }
  }
  return collected;
}

async function* inPieces(parts: AsyncIterable<string | Iterable<string>>): AsyncGenerator<string> {
  let piece = "";
  for await (const part of parts) {
    for (const text of typeof part === "string" ? [part] : part) {
      piece += text;
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = "";
      await otherTurns();
    }
  }
  yield piece;
}

function misuse(name: MetricName, act: string): Error {
  return new Error(`The metric "${name}" cannot be ${act}: it is of another kind`);
}
