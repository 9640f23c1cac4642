import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { documentMetrics } from "./document-metrics.ts";

test("docs/metrics.md says what the table of metrics says", () => {
  const page = readFileSync(new URL("../../../../docs/metrics.md", import.meta.url), "utf8");
  const renewal = "renew it: npx node src/adapters/telemetry/metrics/document-metrics.ts > docs/metrics.md";
  assert.equal(page, documentMetrics(), renewal);
});
