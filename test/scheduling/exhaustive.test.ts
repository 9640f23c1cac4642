import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { archLabel, hostnameLabel, zoneLabel } from "../../src/core/model/labels.ts";
import { planProvisioning } from "../../src/core/scheduling/provisioning.ts";
import {
  cluster,
  daemonSet,
  defaultSettings,
  instanceType,
  offering,
  pod,
  pool,
  type Wire,
} from "../support/builders.ts";
import { cheapestCost } from "../support/exhaustive.ts";

/** Other clusters, and more: `RANDOM_SEED=7 RANDOM_RUNS=1000 npx node --test test/scheduling/exhaustive.test.ts`. */
const seed = Number(process.env.RANDOM_SEED ?? 1);
const numRuns = Number(process.env.RANDOM_RUNS ?? 80);

const type = fc.record({
  cpu: fc.constantFrom(1, 2, 4, 8),
  memory: fc.constantFrom("2Gi", "4Gi", "8Gi", "16Gi"),
  pods: fc.constantFrom(2, 4, 110),
  arch: fc.constantFrom("amd64", "amd64", "arm64"),
  cents: fc.integer({ min: 2, max: 60 }),
  zone: fc.constantFrom("zone-1", "zone-2"),
});

const required = "requiredDuringSchedulingIgnoredDuringExecution";

/** Rules that say nothing of other hosts. */
const rule: fc.Arbitrary<Wire> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ nodeSelector: { [archLabel]: "arm64" } }) },
  { weight: 1, arbitrary: fc.constant({ nodeSelector: { [zoneLabel]: "zone-1" } }) },
  { weight: 1, arbitrary: fc.constant({ hostPort: 80 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom("a", "b").map((app) => ({
      affinity: {
        podAntiAffinity: { [required]: [{ topologyKey: hostnameLabel, labelSelector: { matchLabels: { app } } }] },
      },
    })),
  },
);

const waiting = fc.record({
  app: fc.constantFrom("a", "b"),
  cpu: fc.constantFrom("100m", "500m", "900m", "1", "1500m", "3"),
  memory: fc.constantFrom("100Mi", "1Gi", "1500Mi", "3Gi"),
  rule,
});

const tiny = fc.record({
  types: fc.array(type, { minLength: 1, maxLength: 4, size: "max" }),
  pods: fc.array(waiting, { minLength: 1, maxLength: 6, size: "max" }),
  hasDaemon: fc.boolean(),
});

type Tiny = typeof tiny extends fc.Arbitrary<infer T> ? T : never;

function prepare({ types, pods, hasDaemon }: Tiny): ReturnType<typeof cluster> {
  const instanceTypes = types.map(({ cents, zone, ...fields }, index) =>
    instanceType(`type-${index}`, { ...fields, offerings: [offering({ zone, price: cents / 100 })] }),
  );
  const waiting = pods.map(({ app, cpu, memory, rule: { hostPort, ...rule } }, index) => {
    const ports = hostPort === undefined ? [] : [{ hostPort }];
    const containers = [{ resources: { requests: { cpu, memory } }, ports }];
    return pod(`pod-${index}`, { labels: { app }, ...rule, containers });
  });
  const daemons = hasDaemon ? [daemonSet("daemon", { requests: { cpu: "100m" } })] : [];
  return cluster([pool(), ...daemons, ...waiting], instanceTypes);
}

/** What plans with this effort cost, as a multiple of the least possible, for every cluster that can hold all its pods. */
function costRatios(maxRounds: number): number[] {
  const ratios: number[] = [];
  fc.assert(
    fc.property(tiny, (drawn) => {
      const read = prepare(drawn);
      const settings = { ...defaultSettings, maxRounds };
      const plan = planProvisioning(read.snapshot, read.pendingPods, settings);
      const least = cheapestCost(read, settings);
      assert.equal(plan.refusals.length === 0, Number.isFinite(least));
      if (!Number.isFinite(least)) return;
      assert.ok(plan.costPerHour > least * (1 - 1e-9), `costs ${plan.costPerHour}, less than possible: ${least}`);
      assert.ok(plan.boundPerHour() < least * (1 + 1e-6), `${plan.boundPerHour()} is no lower bound of ${least}`);
      ratios.push(plan.costPerHour / least);
    }),
    { seed, numRuns },
  );
  if (process.env.RANDOM_RUNS !== undefined) console.log({ maxRounds, cases: ratios.length, ...summary(ratios) });
  return ratios;
}

function summary(ratios: readonly number[]): { mean: number; worst: number; optimal: number } {
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  const optimal = ratios.filter((ratio) => ratio < 1 + 1e-9).length / ratios.length;
  return { mean, worst: Math.max(...ratios), optimal };
}

describe("planProvisioning beside every possible plan", () => {
  // Of 1340 clusters 1337 were planned at the least possible cost, and the worst at 1.33 times that: two runs together,
  // RANDOM_RUNS=1000 with RANDOM_SEED=7 and with 8. The others cannot hold all their pods.
  it("is never cheaper, nearly always as cheap, and never far from it", () => {
    const { mean, worst, optimal } = summary(costRatios(30));
    assert.ok(mean < 1.005 && worst < 1.35 && optimal > 0.98, JSON.stringify({ mean, worst, optimal }));
  });

  // Of the same 1340 clusters 1336 at the least possible cost, and the worst at 1.33 times that.
  it("is close to it after a single round", () => {
    const { mean, worst, optimal } = summary(costRatios(1));
    assert.ok(mean < 1.02 && worst < 1.5 && optimal > 0.95, JSON.stringify({ mean, worst, optimal }));
  });

  it("is as cheap wherever one node is enough", () => {
    fc.assert(
      fc.property(tiny, (drawn) => {
        const [first] = drawn.pods;
        const read = prepare({ ...drawn, pods: first ? [first] : [] });
        const { costPerHour, refusals } = planProvisioning(read.snapshot, read.pendingPods, defaultSettings);
        const least = cheapestCost(read, defaultSettings);
        assert.equal(refusals.length === 0 ? costPerHour : Number.POSITIVE_INFINITY, least);
      }),
      { seed, numRuns },
    );
  });
});
