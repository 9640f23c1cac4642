import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Line } from "./lines.ts";
import { resultsPage } from "./results.ts";

const subject = { kind: "uniform", seed: 1, pool: "any" } as const;
const score = {
  seconds: 0.5,
  podsPerSecond: 2000,
  costPerHour: 5.84,
  nodes: 5,
  violations: 0,
  preferencesHonoured: null,
};
const ours = { outcome: "done", ...score } as const;

const lines: Line[] = [
  {
    measure: "machine",
    date: "2030-01-31",
    cpu: "A CPU",
    cores: 2,
    memoryGb: 8,
    system: "linux 6.1.0",
    node: "24.1.0",
    go: "go1.26",
  },
  {
    measure: "fast",
    ...subject,
    pods: 1000,
    ours,
    peer: { outcome: "timeout", seconds: 120 },
    speedRatio: 240,
    costRatio: null,
    goal: { speedRatio: 10, costRatio: 1 },
    met: true,
  },
  {
    measure: "cost",
    ...subject,
    pods: 1000,
    ours,
    peer: null,
    boundPerHour: 4.4,
    fitBoundPerHour: 5.84,
    costToBound: 1.327,
    costToFitBound: 1,
    peerCostToBound: null,
    peerCostToFitBound: null,
    allowedSeconds: 1,
    goal: { costToBound: 1.15 },
    isReachable: false,
    met: false,
  },
  { measure: "summary", met: 1, missed: 1, unjudged: 0, violations: 0, failures: 0, seconds: 61 },
];

describe("resultsPage", () => {
  const page = resultsPage(lines, "npm run bench -- --quick");

  it("says where, when and how", () => {
    assert.match(page, /Measured on 2030-01-31 on A CPU, 2 cores, 8 GB, linux 6\.1\.0; Node 24\.1\.0, go1\.26\./);
    assert.match(page, /Repeat it with `npm run bench -- --quick`/);
    assert.match(page, /Goals met: 1; missed: 1; not judged: 0\. Violations: 0\. The run took 2 min/);
  });

  it("marks what the peer did not come to the end of", () => {
    assert.match(page, /^\| uniform 1,000, any type \| 2,000 \| < 9 \(timeout\) \| > 240 \| 5\.84 \| – \|/m);
  });

  it("says which goals no plan can meet", () => {
    assert.match(page, /\| 1\.327 \| – \| 1\.000 \| – \| 0\.50 \| 1\.00 \| 0 \| 1\.15 \| no \(no plan can\) \|$/m);
  });

  it("leaves out the tables without rows", () => {
    assert.doesNotMatch(page, /## Memory/);
  });
});
