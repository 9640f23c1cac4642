import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Bounds, boundsOf } from "./bound.ts";
import { type InstanceType, openCatalogue } from "./catalogue.ts";
import { leastMoves } from "./least-moves.ts";
import { LinearProgram } from "./linear-program.ts";
import { catalogueFile, generateScenario } from "./scenarios.ts";
import type { Pod, PodSpec } from "./wire.ts";

const gibi = 2 ** 30;

function aType(name: string, price: number, [cpu, memoryGi, pods]: readonly [number, number, number]): InstanceType {
  const allocatable = new Map([
    ["cpu", cpu * 1000],
    ["memory", memoryGi * gibi],
    ["pods", pods],
  ]);
  const offers = [{ zone: "a", capacityType: "spot", price }];
  return { name, labels: { "kubernetes.io/os": "linux", type: name }, allocatable, offers };
}

const [pool] = generateScenario({ kind: "uniform", pods: 1, seed: 1, isTypical: false }).nodePools;

function pods(count: number, [cpu, memoryGi]: readonly [number, number], spec: Partial<PodSpec> = {}): Pod[] {
  const resources = { requests: { cpu: `${cpu * 1000}m`, memory: `${memoryGi}Gi` } };
  return Array.from({ length: count }, (_, index) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `p-${index}`, namespace: "default", labels: { app: "x" } },
    spec: { containers: [{ name: "c", image: "pause", resources }], ...spec },
    status: {},
  }));
}

function bound(types: readonly InstanceType[], waiting: readonly Pod[]): Bounds {
  const catalogue = new Map(types.map((type) => [type.name, type]));
  const { boundPerHour, fitBoundPerHour } = boundsOf({
    scenario: { name: "test", instanceTypesFile: "", nodePools: [pool!], pods: waiting },
    catalogue,
  });
  const rounded = (amount: number) => Math.round(amount * 1e6) / 1e6;
  return { boundPerHour: rounded(boundPerHour), fitBoundPerHour: rounded(fitBoundPerHour) };
}

describe("LinearProgram", () => {
  it("finds the least cost", () => {
    // Cheapest is 4 of the first and 2 of the second: 4·3 + 2·2.
    const program = new LinearProgram();
    const [first, second] = [program.addVariable(3), program.addVariable(2)];
    program.addAtMost([[second, 1]], 2);
    program.addExactly(
      [
        [first, 1],
        [second, 1],
      ],
      6,
    );

    assert.equal(program.minimize(), 16);
  });

  it("throws when nothing will do", () => {
    const program = new LinearProgram();
    program.addExactly([[program.addVariable(1), 1]], -1);

    assert.throws(() => program.minimize(), /Cannot solve the linear program/);
  });
});

describe("boundsOf", () => {
  it("pays for fractions of a machine, but for whole pods", () => {
    // A machine has room for 2.5 pods by CPU; of whole pods it holds 2.
    assert.deepEqual(bound([aType("m", 1, [5, 100, 100])], pods(10, [2, 1])), { boundPerHour: 4, fitBoundPerHour: 5 });
  });

  it("puts no pod on a machine that is smaller than the pod", () => {
    const types = [aType("small", 0.1, [1, 1, 10]), aType("large", 1, [4, 4, 10])];

    assert.deepEqual(bound(types, pods(2, [2, 2])), { boundPerHour: 0.4, fitBoundPerHour: 1 });
  });

  it("counts the pods that a machine takes", () => {
    assert.deepEqual(bound([aType("m", 1, [100, 100, 4])], pods(8, [1, 1])), { boundPerHour: 2, fitBoundPerHour: 2 });
  });

  it("mixes what complements each other", () => {
    const mixed = [...pods(2, [6, 2]), ...pods(2, [2, 6])];

    assert.deepEqual(bound([aType("m", 1, [8, 8, 10])], mixed), { boundPerHour: 2, fitBoundPerHour: 2 });
  });

  it("keeps to node selectors", () => {
    const types = [aType("cheap", 1, [4, 4, 10]), aType("dear", 3, [4, 4, 10])];
    const waiting = [...pods(4, [1, 1]), ...pods(4, [1, 1], { nodeSelector: { type: "dear" } })];

    assert.deepEqual(bound(types, waiting), { boundPerHour: 4, fitBoundPerHour: 4 });
  });

  it("needs a machine for each pod that refuses its like, and puts others beside them", () => {
    const term = { labelSelector: { matchLabels: { app: "x" } }, topologyKey: "kubernetes.io/hostname" };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    const types = [aType("m", 1, [4, 4, 10])];

    assert.deepEqual(bound(types, [...pods(3, [1, 1], { affinity }), ...pods(9, [1, 1])]), {
      boundPerHour: 3,
      fitBoundPerHour: 3,
    });
  });

  it("gives the whole-pod bound room for each refusing pod where it is", () => {
    const term = { labelSelector: { matchLabels: { app: "x" } }, topologyKey: "kubernetes.io/hostname" };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    // Two tiny machines count as hosts for the loose bound, although the pods do not fit there.
    const types = [aType("tiny", 0.1, [1, 1, 10]), aType("large", 1, [4, 4, 10])];

    assert.deepEqual(bound(types, pods(2, [2, 2], { affinity })), { boundPerHour: 0.4, fitBoundPerHour: 2 });
  });

  it("comes to the lowest price per whole pod for pods of one shape", () => {
    const scenario = generateScenario({ kind: "uniform", pods: 1000, seed: 1, isTypical: false });
    const catalogue = openCatalogue(catalogueFile);
    const perPod = [...catalogue.values()].flatMap(({ allocatable, offers }) => {
      const [cpu = 0, memory = 0, most = 0] = ["cpu", "memory", "pods"].map((name) => allocatable.get(name));
      const whole = Math.min(Math.floor(cpu / 1000), Math.floor(memory / (1.5 * gibi)), most);
      return whole <= 0 ? [] : offers.map(({ price }) => price / whole);
    });

    const { boundPerHour, fitBoundPerHour } = boundsOf({ scenario, catalogue });

    assert.equal(fitBoundPerHour.toFixed(6), (Math.min(...perPod) * 1000).toFixed(6));
    assert.equal(boundPerHour.toFixed(5), "4.40149");
  });
});

describe("leastMoves", () => {
  const small = aType("small", 1, [4, 16, 10]);
  const labels = {
    "kubernetes.io/os": "linux",
    "node.kubernetes.io/instance-type": "small",
    "topology.kubernetes.io/zone": "a",
    "karpenter.sh/capacity-type": "spot",
  };
  const moves = (counts: readonly number[], mostPerHour: number) => {
    const nodes = counts.map((count) => ({ labels, pods: pods(count, [1, 1]) }));
    return leastMoves({ nodes, nodePools: [pool!], catalogue: new Map([["small", small]]) }, mostPerHour);
  };

  it("is none as long as the fleet may cost what it costs", () => {
    assert.equal(Math.round(moves([1, 2], 2)), 0);
  });

  it("is what runs on the nodes that are cheapest to leave", () => {
    assert.ok(Math.abs(moves([1, 2], 1) - 1) < 1e-6, String(moves([1, 2], 1)));
    assert.ok(Math.abs(moves([1, 2, 1], 1) - 2) < 1e-6, String(moves([1, 2, 1], 1)));
  });

  it("throws when nothing costs so little", () => {
    assert.throws(() => moves([4, 4], 1), /linear program/);
  });
});
