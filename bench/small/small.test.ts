import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openCatalogue, type ScenarioFile } from "../catalogue.ts";
import { apart, catalogueFile, nodePool, pendingPod, spread, together } from "../scenarios.ts";
import { verifyPlan } from "../verify.ts";
import { nameOf, type Pod, type PodSpec, zoneLabel } from "../wire.ts";
import { randomBatch } from "./batch.ts";
import type { CaseLine, Score } from "./lines.ts";
import { cheapestPlan } from "./optimum.ts";
import { readOptions } from "./options.ts";
import { summarize } from "./summary.ts";

const catalogue = openCatalogue(catalogueFile);

describe("randomBatch", () => {
  it("is the same for the same seed only", () => {
    assert.deepEqual(randomBatch(7, catalogue), randomBatch(7, catalogue));
    assert.notDeepEqual(randomBatch(7, catalogue).pods, randomBatch(8, catalogue).pods);
  });

  it("has 1 to 50 pending pods, and up to 100 nodes on which the running pods are as they may be", () => {
    for (let seed = 1; seed <= 40; seed++) {
      const scenario = randomBatch(seed, catalogue);
      const objects = scenario.objects ?? [];
      const running = objects.filter((object) => object.kind === "Pod");
      const nodes = objects.filter(({ kind }) => kind === "Node");

      assert.ok(scenario.pods.length >= 1 && scenario.pods.length <= 50);
      assert.ok(nodes.length <= 100);
      // As if they had just been planned for. How even spreads are is left to chance.
      const pending = running.map(({ spec: { nodeName: _, topologySpreadConstraints: __, ...spec }, ...pod }) => ({
        ...pod,
        spec,
      }));
      const placements = running.map((pod) => ({ node: pod.spec.nodeName ?? "", pods: [nameOf(pod)] }));
      const replayed = { ...scenario, pods: pending, objects: nodes };
      const verdict = verifyPlan({ scenario: replayed, catalogue }, { scenario: scenario.name, nodes: [], placements });
      assert.deepEqual(verdict.kinds, {});
    }
  });
});

function fileWith(pods: readonly Pod[]): ScenarioFile {
  return { scenario: { name: "test", instanceTypesFile: "", nodePools: [nodePool(true)], pods }, catalogue };
}

function podsOf(count: number, app: string, spec: Omit<PodSpec, "containers"> = {}): Pod[] {
  const ask = { cpuMilli: 1700, memoryMi: 3000, labels: { app }, spec };
  return Array.from({ length: count }, (_, index) => pendingPod(ask, index)).map((pod) => ({
    ...pod,
    metadata: { ...pod.metadata, name: `${app}-${pod.metadata.name}` },
  }));
}

/** What one pod costs that is alone. */
function costOfOne(zone?: string): number {
  const pods = podsOf(1, "web", zone === undefined ? {} : { nodeSelector: { [zoneLabel]: zone } });
  return cheapestPlan(fileWith(pods)) ?? Number.NaN;
}

function assertCost(actual: number | undefined, expected: number): void {
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < 1e-6, `${actual} is not ${expected}`);
}

describe("cheapestPlan", () => {
  const labels = { app: "web" };
  const zones = ["us-west-2a", "us-west-2b", "us-west-2c"];

  it("is the cheapest machine for one pod", () => {
    const fitting = [...catalogue.values()].filter(
      (type) =>
        /^[cmr](5|5a|6a|6g|6i|7a|7g|7i)\./.test(type.name) &&
        (type.allocatable.get("cpu") ?? 0) >= 1700 &&
        (type.allocatable.get("memory") ?? 0) >= 3000 * 2 ** 20,
    );

    assertCost(costOfOne(), Math.min(...fitting.flatMap(({ offers }) => offers.map(({ price }) => price))));
  });

  it("is one machine each for pods that refuse each other", () => {
    assertCost(cheapestPlan(fileWith(podsOf(4, "web", apart("kubernetes.io/hostname", labels)))), 4 * costOfOne());
  });

  it("is one machine in each zone for pods that spread over them", () => {
    const inEach = zones.reduce((sum, zone) => sum + costOfOne(zone), 0);

    assertCost(cheapestPlan(fileWith(podsOf(3, "web", spread(zoneLabel, labels)))), inEach);
    assertCost(cheapestPlan(fileWith(podsOf(3, "web", apart(zoneLabel, labels)))), inEach);
  });

  it("costs no less with a rule than without", () => {
    const free = cheapestPlan(fileWith(podsOf(5, "web"))) ?? Number.NaN;
    const inOneZone = cheapestPlan(fileWith(podsOf(5, "web", together(zoneLabel, labels)))) ?? Number.NaN;

    assert.ok(free <= inOneZone + 1e-9);
    assert.ok(inOneZone <= 5 * costOfOne());
  });

  it("is not known where pods follow other pods, and where there are nodes", () => {
    const followers = podsOf(1, "cache", together(zoneLabel, labels));

    assert.equal(cheapestPlan(fileWith([...podsOf(1, "web"), ...followers])), undefined);
    const { scenario } = fileWith(podsOf(1, "web"));
    const objects = podsOf(1, "other", { nodeName: "node-0" });
    assert.equal(cheapestPlan({ scenario: { ...scenario, objects }, catalogue }), undefined);
  });
});

describe("summarize", () => {
  const score = (milliseconds: number, costPerHour: number, rest: Partial<Score> = {}): Score => ({
    milliseconds,
    costPerHour,
    newNodes: 1,
    leftOver: 0,
    violations: 0,
    fewAlternatives: 0,
    preferencesHonoured: null,
    ...rest,
  });
  const line = (seed: number, ours: Score, peer: Score | null, optimum: number | null = null): CaseLine => ({
    measure: "case",
    seed,
    pods: 1,
    nodes: 0,
    ours,
    peer,
    optimum,
  });

  it("names the batches that miss a goal", () => {
    const { goals, ...summary } = summarize([
      line(1, score(10, 1), score(20, 1), 1),
      line(2, score(50, 2), score(20, 1)),
      line(3, score(10, 1, { leftOver: 1, fewAlternatives: 1 }), score(20, 2)),
      line(4, score(30, 1.1, { violations: 1 }), score(20, 1.1), 1),
    ]);

    assert.deepEqual(summary, {
      measure: "summary",
      cases: 4,
      ours: { p50: 10, p95: 50, max: 50 },
      peer: { p50: 20, p95: 20, max: 20 },
      dearer: [2, 3],
      slower: [2],
      costRatio: 4.1 / 3.1,
      proved: 2,
      meanDistance: (1.1 - 1) / 2,
      invalid: [4],
      fragile: [3],
    });
    assert.deepEqual(
      goals.map(({ met }) => met),
      [true, true, false, false, false, false],
    );
  });

  it("judges nothing that was not measured", () => {
    const { peer, goals } = summarize([line(1, score(10, 1), null)]);

    assert.equal(peer, null);
    assert.deepEqual(
      goals.map(({ met }) => met),
      [true, true, null, null, null, true],
    );
  });
});

describe("readOptions", () => {
  it("takes 500 batches, or those that are asked for", () => {
    assert.deepEqual(readOptions([]), {
      seeds: Array.from({ length: 500 }, (_, index) => index + 1),
      runs: 5,
      hasPeer: true,
      placement: "Suggest",
      isDetailed: false,
    });
    assert.deepEqual(readOptions(["--first", "5", "--count=2", "--runs=3", "--no-peer", "--placement=Bind"]), {
      seeds: [5, 6],
      runs: 3,
      hasPeer: false,
      placement: "Bind",
      isDetailed: false,
    });
    const alone = { seeds: [9], runs: 5, hasPeer: true, placement: "Suggest", isDetailed: true };
    assert.deepEqual(readOptions(["--seed", "9"]), alone);
  });

  it("says what is wrong with them", () => {
    assert.deepEqual(readOptions(["--count", "0", "--seed", "x", "--placement=Ask"]), {
      problems: [
        '--placement: "Ask" is neither Suggest nor Bind',
        '--count: "0" is not a whole number above 0',
        '--seed: "x" is not a whole number above 0',
      ],
    });
  });
});
