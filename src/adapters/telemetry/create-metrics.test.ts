import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { heapUsed } from "../../../test/support/heap-used.ts";
import type { MetricLabels } from "../../ports/metric-labels.ts";
import type { Sample } from "../../ports/telemetry.ts";
import { createMetrics, type ServedMetrics } from "./create-metrics.ts";
import { quantiles } from "./metrics/definition.ts";
import { definedMetrics } from "./metrics/definitions.ts";
import { type LabelSource, labelNamesOf } from "./metrics/label-names.ts";

const kwok: LabelSource = {
  wellKnownLabels: new Set(["size", "family", "cpu", "memory"].map((what) => `karpenter.kwok.sh/instance-${what}`)),
  nodeClassKinds: [
    { group: "karpenter.kwok.sh", version: "v1alpha1", kind: "KWOKNodeClass", plural: "kwoknodeclasses" },
  ],
};

/** What the Go controller 1.14.1 with its KWOK provider served after a node came and went. */
interface GoFamily {
  readonly type: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
  readonly quantiles?: readonly number[];
}

const goFamilies = new Map(
  Object.entries(
    JSON.parse(readFileSync(new URL("metrics/go-metric-families.json", import.meta.url), "utf8")) as Record<
      string,
      GoFamily
    >,
  ),
);

/** What the Go controller serves and we have no use for. */
const deliberatelyMissing = new Map([
  ["certwatcher_read_certificate_errors_total", "there is no webhook certificate"],
  ["certwatcher_read_certificate_total", "there is no webhook certificate"],
  ["controller_runtime_conversion_webhook_panics_total", "there is no webhook"],
  ["controller_runtime_webhook_panics_total", "there is no webhook"],
  ["controller_runtime_reconcile_panics_total", "what throws counts as an error"],
  ["controller_runtime_reconcile_timeouts_total", "reconciliations have no timeout of their own"],
  ["controller_runtime_terminal_reconcile_errors_total", "every error is tried again"],
]);

suite("metrics", () => {
  test("what the Go controller serves, we serve with the same type, labels and buckets", () => {
    const ours = new Map(
      definedMetrics.map((defined) => {
        const { kind, ...rest } = defined.definition;
        const labels = [...labelNamesOf(defined, kwok)].sort();
        const family: GoFamily = { type: kind, labels };
        if ("buckets" in rest) return [defined.wireName, { ...family, buckets: rest.buckets }];
        return [defined.wireName, kind === "summary" ? { ...family, quantiles } : family];
      }),
    );
    for (const [name, go] of goFamilies) {
      if (deliberatelyMissing.has(name)) continue;
      assert.deepEqual(ours.get(name), go, name);
    }
    for (const name of deliberatelyMissing.keys()) assert.ok(goFamilies.has(name) && !ours.has(name), name);
  });

  test("counters add up, gauges are set, histograms and summaries observe", async () => {
    const metrics = createMetrics({ provider: kwok });
    const labels = { reason: "provisioned", nodepool: "a", min_values_relaxed: "false" };
    metrics.add("nodeclaims_created_total", labels);
    metrics.add("nodeclaims_created_total", labels, 2);
    metrics.set("cluster_state_node_count", {}, 7);
    metrics.add("controller_runtime_active_workers", { controller: "a" }, 1);
    metrics.add("controller_runtime_active_workers", { controller: "a" }, -1);
    metrics.observe("consolidation_score", { decision: "approved", nodepool: "a", policy: "Balanced" }, 0.3);
    metrics.observe("nodes_termination_duration_seconds", { nodepool: "a" }, 4);
    assert.deepEqual(await samples(metrics, /nodeclaims_created|node_count|active_w|n_score|nodes_termination/), [
      'controller_runtime_active_workers{controller="a"} 0',
      "karpenter_cluster_state_node_count 7",
      'karpenter_consolidation_score_bucket{le="+Inf",decision="approved",nodepool="a",policy="Balanced"} 1',
      'karpenter_consolidation_score_bucket{le="0.1",decision="approved",nodepool="a",policy="Balanced"} 0',
      'karpenter_consolidation_score_bucket{le="0.25",decision="approved",nodepool="a",policy="Balanced"} 0',
      'karpenter_consolidation_score_bucket{le="0.33",decision="approved",nodepool="a",policy="Balanced"} 1',
      'karpenter_consolidation_score_bucket{le="0.5",decision="approved",nodepool="a",policy="Balanced"} 1',
      'karpenter_consolidation_score_bucket{le="1",decision="approved",nodepool="a",policy="Balanced"} 1',
      'karpenter_consolidation_score_bucket{le="10",decision="approved",nodepool="a",policy="Balanced"} 1',
      'karpenter_consolidation_score_bucket{le="2",decision="approved",nodepool="a",policy="Balanced"} 1',
      'karpenter_consolidation_score_bucket{le="5",decision="approved",nodepool="a",policy="Balanced"} 1',
      'karpenter_consolidation_score_count{decision="approved",nodepool="a",policy="Balanced"} 1',
      'karpenter_consolidation_score_sum{decision="approved",nodepool="a",policy="Balanced"} 0.3',
      'karpenter_nodeclaims_created_total{reason="provisioned",nodepool="a",min_values_relaxed="false"} 3',
      'karpenter_nodes_termination_duration_seconds_count{nodepool="a"} 1',
      'karpenter_nodes_termination_duration_seconds_sum{nodepool="a"} 4',
      ...["0", "0.5", "0.9", "0.99", "1"].map(
        (quantile) => `karpenter_nodes_termination_duration_seconds{quantile="${quantile}",nodepool="a"} 4`,
      ),
    ]);
  });

  test("gauges are collected in every scrape, in one place each, in place of what was set", async () => {
    const metrics = createMetrics({ provider: kwok });
    let cpu = 1;
    metrics.set("cluster_state_node_count", {}, 7);
    const ends = [
      metrics.collect(() => ({
        nodepools_limit: [{ labels: { nodepool: "a", resource_type: "cpu" }, value: cpu++ }],
        cluster_state_node_count: [{ labels: {}, value: 8 }],
      })),
      metrics.collect(() => ({
        nodepools_limit: [{ common: { nodepool: "b" }, labels: { resource_type: "cpu" }, value: Infinity }],
        nodes_current_lifetime_seconds: [{ common: { node_name: "n", zone: "z" }, labels: {}, value: 0.5 }],
      })),
    ];
    const pattern = /nodepools_limit|node_count|nodes_current/;
    await samples(metrics, pattern);
    assert.deepEqual(await lines(metrics, pattern), [
      "# HELP karpenter_cluster_state_node_count Nodes and claims in the state of the cluster.",
      "# TYPE karpenter_cluster_state_node_count gauge",
      "karpenter_cluster_state_node_count 8",
      "# HELP karpenter_nodes_current_lifetime_seconds How old a node is.",
      "# TYPE karpenter_nodes_current_lifetime_seconds gauge",
      'karpenter_nodes_current_lifetime_seconds{node_name="n",zone="z"} 0.5',
      "# HELP karpenter_nodepools_limit The limits of a pool.",
      "# TYPE karpenter_nodepools_limit gauge",
      'karpenter_nodepools_limit{nodepool="a",resource_type="cpu"} 2',
      'karpenter_nodepools_limit{nodepool="b",resource_type="cpu"} +Inf',
    ]);
    for (const end of ends) end();
    assert.deepEqual(await samples(metrics, pattern), ["karpenter_cluster_state_node_count 7"]);
  });

  test("collected gauges are written as kept ones are, whatever their labels say", async () => {
    const [kept, collecting] = [createMetrics({ provider: kwok }), createMetrics({ provider: kwok })];
    const labels = { nodepool: 'back\\slash "quote"\nline \u{1f600}', resource_type: "" };
    kept.set("nodepools_limit", labels, 1e21);
    collecting.collect(() => ({ nodepools_limit: [{ labels, value: 1e21 }] }));
    assert.equal((await lines(collecting, /./)).join("\n"), (await lines(kept, /./)).join("\n"));
  });

  test("others have their turn during a large scrape, and nothing of it stays", async () => {
    const metrics = createMetrics({ provider: kwok });
    const pods = 20_000;
    metrics.collect(() => ({ pods_state: podStates(pods) }));
    const heap = await heapAfter(async () => {
      let [pieces, longest, turns] = [0, 0, 0];
      let counting = setImmediate(function count() {
        turns += 1;
        counting = setImmediate(count);
      });
      for await (const piece of metrics.scrape()) {
        pieces += 1;
        longest = Math.max(longest, piece.length);
      }
      clearImmediate(counting);
      assert.ok(pieces > 50 && longest < 100_000, `${pieces} pieces of at most ${longest}`);
      assert.ok(turns > 50, `${turns} turns`);
    });
    assert.ok(heap < 1_000_000, `${heap} bytes more after ${pods} pods`);
  });

  test("labels that come from the cloud provider are taken, others are refused", async () => {
    const metrics = createMetrics({ provider: kwok });
    metrics.set("nodes_allocatable", { node_name: "n", instance_family: "c", zone: "z" }, 2);
    assert.deepEqual(await samples(metrics, /nodes_allocatable/), [
      'karpenter_nodes_allocatable{node_name="n",instance_family="c",zone="z"} 2',
    ]);
    assert.throws(() => metrics.set("nodes_allocatable", { colour: "blue" }, 2), /colour/);
  });

  test("a metric is not used as what it is not", () => {
    const metrics = createMetrics({ provider: kwok });
    assert.throws(() => metrics.set("nodes_drained_total", { nodepool: "a" }, 1), /nodes_drained_total/);
    assert.throws(() => metrics.observe("nodes_drained_total", { nodepool: "a" }, 1), /cannot be observed/);
    assert.throws(() => metrics.add("pods_startup_duration_seconds", {}, 1), /cannot be added to/);
  });

  test("only gauges are collected", async () => {
    const metrics = createMetrics({ provider: kwok });
    metrics.collect(() => ({ nodes_drained_total: [{ labels: { nodepool: "a" }, value: 1 }] }));
    await assert.rejects(lines(metrics, /./), /"nodes_drained_total" cannot be collected/);
  });

  test("two sets of metrics in one process do not meet", async () => {
    const [one, other] = [createMetrics({ provider: kwok }), createMetrics({ provider: kwok })];
    one.set("cluster_state_node_count", {}, 3);
    assert.deepEqual(await samples(other, /state_node_count/), ["karpenter_cluster_state_node_count 0"]);
  });
});

async function samples(metrics: ServedMetrics, pattern: RegExp): Promise<string[]> {
  return (await lines(metrics, pattern)).filter((line) => !line.startsWith("#")).sort();
}

async function lines(metrics: ServedMetrics, pattern: RegExp): Promise<string[]> {
  let text = "";
  for await (const piece of metrics.scrape()) text += piece;
  return text.split("\n").filter((line) => pattern.test(line));
}

function* podStates(count: number): Generator<Sample<MetricLabels["pods_state"]>> {
  const common = { node: "n", zone: "z".repeat(100), scheduled: "true" };
  for (let at = 0; at < count; at += 1) yield { common, labels: { name: `pod-${at}`, namespace: "default" }, value: 1 };
}

/** How many bytes it leaves behind. */
async function heapAfter(act: () => Promise<void>): Promise<number> {
  await act();
  const before = heapUsed();
  await act();
  return heapUsed() - before;
}
