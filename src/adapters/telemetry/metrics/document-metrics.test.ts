import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { definedMetrics } from "./definitions.ts";
import { documentMetrics } from "./document-metrics.ts";
import { emptyMetrics } from "./empty-metrics.ts";

test("docs/metrics.md says what the table of metrics says", () => {
  const page = readFileSync(new URL("../../../../docs/metrics.md", import.meta.url), "utf8");
  const renewal = "renew it: npx node src/adapters/telemetry/metrics/document-metrics.ts > docs/metrics.md";
  assert.equal(page, documentMetrics(), renewal);
});

test("the metrics that are said to be empty are those that no code names", () => {
  const root = new URL("../../../", import.meta.url);
  const sources = globSync("{controllers,operator,runtime,adapters/aws}/**/*.ts", { cwd: root }).filter(
    (path) => !path.endsWith(".test.ts"),
  );
  const words = new Set(sources.flatMap((path) => readFileSync(new URL(path, root), "utf8").match(/\w+/g) ?? []));
  // Those of conditions are put together from the kind and the rest.
  const unnamed = definedMetrics.filter(({ name }) => !words.has(name) && !name.startsWith("operator_"));
  assert.deepEqual(new Set(unnamed.map(({ name }) => name)), emptyMetrics);
});
