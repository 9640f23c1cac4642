import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseCronSchedule } from "../model/parse-cron-schedule.ts";
import type { PoolDisruption } from "../model/pool-disruption.ts";
import { openObject } from "./field.ts";
import { describeProblem } from "./problem.ts";
import { readPoolDisruption } from "./read-pool-disruption.ts";
import { validateNodePool } from "./validate-node-pool.ts";

const defaults: PoolDisruption = {
  consolidateAfter: 0,
  consolidationPolicy: "WhenEmptyOrUnderutilized",
  budgets: [{ nodes: { kind: "percent", percent: 10 }, window: undefined, reasons: undefined, problem: undefined }],
  balancedThreshold: 0.5,
  isPaused: false,
  softExpireAfter: undefined,
};

function read(disruption: unknown, annotations: object = {}) {
  const field = openObject({ metadata: { name: "default", annotations }, spec: { disruption } }, "NodePool default");
  return { value: readPoolDisruption(field), warnings: field.log.problems.map(describeProblem) };
}

/** The one budget, which is malformed. */
function readBudget(budget: unknown) {
  const { value, warnings } = read({ budgets: [budget] });
  const [only] = value.budgets;
  assert.equal(warnings.length, 1, warnings.join("\n"));
  return { problem: only?.problem, reasons: only?.reasons, warning: warnings[0] };
}

describe("readPoolDisruption", () => {
  it("has a default for everything", () => {
    assert.deepEqual(read(undefined), { value: defaults, warnings: [] });
    assert.deepEqual(read({}), { value: defaults, warnings: [] });
    assert.deepEqual(read({ budgets: [{}] }), { value: defaults, warnings: [] });
  });

  it("reads what is written", () => {
    const written = {
      consolidateAfter: "1h30m",
      consolidationPolicy: "Balanced",
      budgets: [{ nodes: "5", schedule: "0 9 * * mon-fri", duration: "8h0m0s", reasons: ["Drifted", "Empty"] }],
    };
    const annotations = {
      "karpenter.sh/paused": "true",
      "karpenter.sh/balanced-threshold": "1.25",
      "karpenter.sh/soft-expire-after": "168h",
    };
    assert.deepEqual(read(written, annotations), {
      value: {
        consolidateAfter: 5_400_000,
        consolidationPolicy: "Balanced",
        budgets: [
          {
            nodes: { kind: "count", count: 5 },
            window: { schedule: parseCronSchedule("0 9 * * mon-fri"), durationMilliseconds: 28_800_000 },
            reasons: new Set(["Empty", "Drifted"]),
            problem: undefined,
          },
        ],
        balancedThreshold: 1.25,
        isPaused: true,
        softExpireAfter: 604_800_000,
      },
      warnings: [],
    });
  });

  it("never consolidates when told so, or when nobody can tell", () => {
    assert.equal(read({ consolidateAfter: "Never" }).value.consolidateAfter, undefined);
    assert.equal(read({ consolidateAfter: "soon" }).value.consolidateAfter, undefined);
  });

  it("knows no bound where the list of budgets is empty", () => {
    assert.deepEqual(read({ budgets: [] }).value.budgets, []);
  });

  it("is paused by any word but false", () => {
    const isPaused = (value: string): boolean => read({}, { "karpenter.sh/paused": value }).value.isPaused;
    assert.deepEqual(["true", "", "2026-11-15", "false"].map(isPaused), [true, true, true, false]);
  });

  it("warns of annotations that mean nothing, and goes by the default", () => {
    const annotations = { "karpenter.sh/balanced-threshold": "high", "karpenter.sh/soft-expire-after": "0s" };
    assert.deepEqual(read({}, annotations), {
      value: defaults,
      warnings: [
        'NodePool default: metadata.annotations["karpenter.sh/balanced-threshold"] is ignored, and 0.5 counts: it must be a number such as "0.5", found "high".',
        'NodePool default: metadata.annotations["karpenter.sh/soft-expire-after"] is ignored: it must be a duration such as "168h", found "0s".',
      ],
    });
  });

  it("says what is wrong with a budget, and keeps what it would have governed", () => {
    assert.deepEqual(readBudget({ nodes: "150%", reasons: ["Drifted"] }), {
      problem: 'nodes must be a string such as "5" or "10%", found "150%"',
      reasons: new Set(["Drifted"]),
      warning:
        'NodePool default: spec.disruption.budgets[0] allows no node to go for Drifted, because nodes must be a string such as "5" or "10%", found "150%".',
    });
    assert.deepEqual(readBudget({ nodes: "1", schedule: "61 * * * *", duration: "1h" }), {
      problem: 'schedule "61 * * * *" is not one: end of range (61) above maximum (59): 61',
      reasons: undefined,
      warning:
        'NodePool default: spec.disruption.budgets[0] allows no node to go at all, because schedule "61 * * * *" is not one: end of range (61) above maximum (59): 61.',
    });
    const problems: [unknown, string][] = [
      [{ schedule: "@daily" }, "schedule must have a duration beside it"],
      [{ duration: "1h" }, "duration must have a schedule beside it"],
      [
        { schedule: "@daily", duration: "30s" },
        'duration must be in hours and minutes such as "8h" or "1h30m", found "30s"',
      ],
      [
        { schedule: "@daily at nine", duration: "1h" },
        'schedule "@daily at nine" is not one: unrecognized descriptor: @daily at nine',
      ],
      [{ nodes: 5 }, 'nodes must be a string such as "5" or "10%", found a number'],
      ["5", "it must be an object"],
      [{ reasons: ["Expired"] }, "reasons must be a list of Underutilized, Empty, Drifted"],
    ];
    for (const [budget, problem] of problems) assert.equal(readBudget(budget).problem, problem);
  });

  it("lets no node go when the budgets are no list", () => {
    const { value, warnings } = read({ budgets: "10%" });
    assert.deepEqual(
      value.budgets.map(({ nodes, reasons, problem }) => ({ nodes, reasons, problem })),
      [
        {
          nodes: { kind: "count", count: 0 },
          reasons: undefined,
          problem: "budgets must be a list of at most 50 budgets",
        },
      ],
    );
    assert.equal(warnings.length, 1);
  });

  it("leaves the pool usable", () => {
    const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
    const { problems, warnings } = validateNodePool({
      metadata: { name: "default" },
      spec: {
        limits: { cpu: 1 },
        template: { spec: { nodeClassRef, requirements: [] } },
        disruption: { budgets: [{ nodes: "1", schedule: "nonsense", duration: "1h" }] },
      },
    });
    assert.deepEqual(problems, []);
    assert.equal(warnings.length, 1);
  });
});
