import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openCatalogue } from "./catalogue.ts";
import { catalogueFile, generateScenario, type Kind, kinds } from "./scenarios.ts";
import type { Pod } from "./wire.ts";

function podsOf(kind: Kind, pods: number, seed = 1): readonly Pod[] {
  return generateScenario({ kind, pods, seed, isTypical: true }).pods;
}

function requests({ spec }: Pod): Readonly<Record<string, string>> {
  return spec.containers[0]?.resources?.requests ?? {};
}

/** The labels of every pod, with how many pods have them. */
function sizes(pods: readonly Pod[]): number[] {
  return [...Map.groupBy(pods, ({ metadata }) => JSON.stringify(metadata.labels)).values()].map(({ length }) => length);
}

describe("generateScenario", () => {
  for (const kind of kinds) {
    it(`writes the same ${kind} scenario for the same seed, with as many pods as asked for`, () => {
      const options = { kind, pods: 321, seed: 7, isTypical: false };
      const scenario = generateScenario(options);

      assert.deepEqual(scenario, generateScenario(options));
      assert.equal(scenario.name, `${kind}-321-7`);
      assert.equal(new Set(scenario.pods.map(({ metadata }) => metadata.name)).size, 321);
    });
  }

  it("gives another seed other pods where chance has a part", () => {
    const isSame = kinds.map((kind) => JSON.stringify(podsOf(kind, 100, 1)) === JSON.stringify(podsOf(kind, 100, 2)));

    assert.deepEqual(Object.fromEntries(kinds.map((kind, index) => [kind, isSame[index]])), {
      uniform: true,
      diverse: false,
      fleet: false,
      lopsided: false,
      preference: true,
    });
  });

  it("writes the one shape of uniform", () => {
    const shapes = new Set(podsOf("uniform", 50).map((pod) => JSON.stringify(requests(pod))));

    assert.deepEqual([...shapes], ['{"cpu":"1000m","memory":"1536Mi"}']);
  });

  it("gives each fifth of diverse its rule, over 30 shapes", () => {
    const pods = podsOf("diverse", 5_000);
    const rules = pods.map(({ metadata, spec }) => {
      const term =
        spec.topologySpreadConstraints?.[0] ??
        spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.[0] ??
        spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.[0];
      if (term !== undefined) assert.deepEqual(term.labelSelector.matchLabels, metadata.labels);
      return `${Object.keys(metadata.labels ?? {})} ${term?.topologyKey ?? "nowhere"}`;
    });

    const counts = [...Map.groupBy(rules, (rule) => rule)].map(([rule, { length }]) => [rule, length]);
    assert.deepEqual(counts, [
      ["plain nowhere", 1_000],
      ["zonal topology.kubernetes.io/zone", 1_000],
      ["hosts kubernetes.io/hostname", 1_000],
      ["together topology.kubernetes.io/zone", 1_000],
      ["app kubernetes.io/hostname", 1_000],
    ]);
    assert.equal(new Set(pods.map((pod) => JSON.stringify(requests(pod)))).size, 30);
  });

  it("gives fleet deployments of many sizes, up to 400 pods", () => {
    const replicas = sizes(podsOf("fleet", 20_000));

    const share = (isIn: (size: number) => boolean) => replicas.filter(isIn).length / replicas.length;
    assert.ok(Math.abs(share((size) => size === 1) - (1 - 2 ** -0.9)) < 0.05);
    assert.ok(Math.abs(share((size) => size > 10) - 11 ** -0.9) < 0.03);
    assert.equal(Math.max(...replicas), 400);
  });

  it("gives 38 of 100 deployments of fleet a rule", () => {
    const deployments = new Map(podsOf("fleet", 20_000).map((pod) => [pod.metadata.labels?.app, pod]));
    const ruled = [...deployments.values()].filter(({ spec }) => Object.keys(spec).length > 1);

    assert.ok(Math.abs(ruled.length / deployments.size - 0.38) < 0.04, `${ruled.length} of ${deployments.size}`);
  });

  it("mixes the seven shapes of lopsided", () => {
    assert.equal(new Set(podsOf("lopsided", 5_000).map((pod) => JSON.stringify(requests(pod)))).size, 7);
  });

  it("narrows only the typical pool", () => {
    const requirements = (isTypical: boolean) =>
      generateScenario({ kind: "uniform", pods: 1, seed: 1, isTypical }).nodePools[0]?.spec.template.spec.requirements;

    assert.deepEqual(
      requirements(false)?.map(({ key }) => key),
      ["kubernetes.io/os"],
    );
    assert.equal(requirements(true)?.[1]?.values?.length, 24);
  });

  it("comes with a catalogue of 853 types in three zones", () => {
    const types = [...openCatalogue(catalogueFile).values()];

    assert.equal(types.length, 853);
    assert.deepEqual(
      [...new Set(types.flatMap(({ offers }) => offers.map(({ zone }) => zone)))],
      ["us-west-2a", "us-west-2b", "us-west-2c"],
    );
  });
});
