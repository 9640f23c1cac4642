import { definedMetrics } from "./definitions.ts";
import { emptyMetrics } from "./empty-metrics.ts";

const introduction = `# Metrics

Served at \`/metrics\` on the metrics port (8080). Names, types, labels and buckets are those of the Go version, so dashboards and alerts go on working. \`process_*\` and \`nodejs_*\` take the place of its \`go_*\`.

Not served, because there is nothing to count: \`certwatcher_*\`, \`controller_runtime_webhook_panics_total\`, \`controller_runtime_conversion_webhook_panics_total\` (no webhooks), \`controller_runtime_reconcile_panics_total\`, \`controller_runtime_terminal_reconcile_errors_total\` (whatever is thrown is an error, and is tried again), \`controller_runtime_reconcile_timeouts_total\`, \`operator_capacitybuffer_*\`.

Gauges of single pods, nodes and pools and all \`operator_*\` are left out with \`--disable-cluster-state-observability\`. They are worked out when they are scraped: they tell of that moment, and cost nothing in between. They come from the replica that leads.

**Empty yet** are those whose part of the controller is not there yet: dashboards find the name and the type, and no number.

**Well-known labels**: every well-known label of Kubernetes, of Karpenter and of the cloud provider, by the part after the slash in snake case, as in \`zone\`, \`instance_type\`, \`capacity_type\`. **Node class**: the label of the node class in full, as in \`karpenter_kwok_sh_kwoknodeclass\`.
`;

const more = { "well-known": "and the well-known labels", "node-class": "and the node class" };

/** docs/metrics.md; a test holds the file to it. */
export function documentMetrics(): string {
  const entries = definedMetrics.map(({ name, wireName, definition }) => {
    const labels = Object.entries(definition.labels).map(([label, meaning]) => `- \`${label}\`: ${meaning}`);
    if (definition.more !== undefined) labels.push(`- ${more[definition.more]}`);
    const buckets =
      definition.kind === "histogram" ? `, ${definition.buckets.length} buckets ${range(definition.buckets)}` : "";
    return [
      `### ${wireName}`,
      "",
      `${definition.help} (${definition.kind}${buckets})${emptyMetrics.has(name) ? " **Empty yet.**" : ""}`,
      ...(labels.length > 0 ? ["", ...labels] : []),
    ].join("\n");
  });
  return `${introduction}\n${entries.join("\n\n")}\n`;
}

function range(buckets: readonly number[]): string {
  return `from ${buckets[0]} to ${buckets.at(-1)}`;
}

if (import.meta.main) process.stdout.write(documentMetrics());
