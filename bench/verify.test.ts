import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readCatalogue, type ScenarioFile } from "./catalogue.ts";
import { verifyPlan } from "./verify.ts";
import type { ExistingNode, Expression, Labels, NodePool, Plan, PlanNode, Pod, PodSpec } from "./wire.ts";

const zones = ["zone-a", "zone-b"];

function offering(zone: string, capacityType: string, price: number) {
  const requirement = (key: string, value: string) => ({ key, operator: "In", values: [value] });
  return {
    Price: price,
    Available: true,
    Requirements: [
      requirement("karpenter.sh/capacity-type", capacityType),
      requirement("topology.kubernetes.io/zone", zone),
    ],
  };
}

function instanceType(name: string, cpu: number) {
  const offerings = zones.flatMap((zone) => [offering(zone, "on-demand", cpu), offering(zone, "spot", cpu / 2)]);
  const resources = { cpu: String(cpu), memory: `${cpu}Gi`, pods: "20" };
  return { name, architecture: "amd64", operatingSystems: ["linux"], resources, offerings };
}

const catalogue = readCatalogue([2, 4, 8].map((cpu) => instanceType(`m5.${cpu}`, cpu)));

function aPool(requirements: readonly Expression[] = [], taints: { key: string; effect: string }[] = []): NodePool {
  const nodeClassRef = { group: "", kind: "", name: "" };
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec: { template: { spec: { nodeClassRef, requirements, taints } }, disruption: { consolidateAfter: "30s" } },
  };
}

function aPod(name: string, { labels = {}, ...spec }: Partial<PodSpec> & { labels?: Labels } = {}): Pod {
  const resources = { requests: { cpu: "900m", memory: "512Mi" } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels },
    spec: { containers: [{ name: "c", image: "pause", resources }], ...spec },
    status: {},
  };
}

function aFile(pods: readonly Pod[], pool = aPool()): ScenarioFile {
  return { scenario: { name: "test", instanceTypesFile: "", nodePools: [pool], pods }, catalogue };
}

function aNode(pods: string[], changes: Partial<PlanNode> = {}): PlanNode {
  return {
    nodePool: "default",
    instanceType: "m5.2",
    zone: "zone-a",
    capacityType: "on-demand",
    pricePerHour: 2,
    pods: pods.map((name) => `default/${name}`),
    ...changes,
  };
}

function kindsOf(file: ScenarioFile, nodes: readonly PlanNode[], unschedulable: Plan["unschedulable"] = []) {
  return verifyPlan(file, { scenario: "test", nodes, unschedulable }).kinds;
}

const app = { app: "x" };
const selector = { matchLabels: app };
const [zone, host] = ["topology.kubernetes.io/zone", "kubernetes.io/hostname"];

function apart(topologyKey: string): Partial<PodSpec> & { labels: Labels } {
  const term = { labelSelector: selector, topologyKey };
  return { labels: app, affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}

function together(topologyKey: string, labels: Labels): Partial<PodSpec> & { labels: Labels } {
  const term = { labelSelector: selector, topologyKey };
  return { labels, affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}

function spread(
  topologyKey: string,
  whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway" = "DoNotSchedule",
): Partial<PodSpec> & { labels: Labels } {
  const constraint = { maxSkew: 1, topologyKey, whenUnsatisfiable, labelSelector: selector };
  return { labels: app, topologySpreadConstraints: [constraint] };
}

describe("verifyPlan", () => {
  it("finds nothing wrong with a valid plan, and prices it by the catalogue", () => {
    const plan = { scenario: "test", nodes: [aNode(["a", "b"])] };

    assert.deepEqual(verifyPlan(aFile([aPod("a"), aPod("b")]), plan), {
      violations: 0,
      kinds: {},
      examples: [],
      costPerHour: 2,
      nodes: 1,
      placed: 2,
      unschedulable: 0,
      preferencesHonoured: null,
    });
  });

  it("keeps back what the provider keeps back", () => {
    const three = ["a", "b", "c"].map((name) => aPod(name));

    assert.deepEqual(kindsOf(aFile(three), [aNode(["a", "b", "c"])]), { overcommitted: 1 });
  });

  it("misses, doubles and invents no pod", () => {
    const file = aFile([aPod("a"), aPod("b"), aPod("c")]);
    const nodes = [aNode(["a", "x"]), aNode(["a"])];
    const unschedulable = [{ pod: "default/a" }, { pod: "default/b" }];

    assert.deepEqual(kindsOf(file, nodes, unschedulable), {
      "unknown pod": 1,
      "placed twice": 1,
      "placed and unschedulable": 1,
      "left out": 2,
      lost: 1,
    });
  });

  const wrongNodes: [what: string, changes: Partial<PlanNode>, kind: string][] = [
    ["an unknown instance type", { instanceType: "m5.3" }, "unknown instance type"],
    ["an unknown pool", { nodePool: "other" }, "unknown pool"],
    ["an offering that does not exist", { zone: "zone-c" }, "no such offering"],
    ["a price that is not the catalogue's", { pricePerHour: 1 }, "wrong price"],
  ];
  for (const [what, changes, kind] of wrongNodes) {
    it(`refuses ${what}`, () => {
      assert.deepEqual(kindsOf(aFile([aPod("a")]), [aNode(["a"], changes)]), { [kind]: 1 });
    });
  }

  it("refuses a node without pods", () => {
    assert.deepEqual(kindsOf(aFile([]), [aNode([])]), { "empty node": 1 });
  });

  it("checks the requirements of the pool", () => {
    const pool = aPool([{ key: "karpenter.sh/capacity-type", operator: "NotIn", values: ["on-demand"] }]);

    assert.deepEqual(kindsOf(aFile([aPod("a")], pool), [aNode(["a"])]), { "pool requirement": 1 });
  });

  it("checks the taints of the pool", () => {
    const pool = aPool([], [{ key: "gpu", effect: "NoSchedule" }]);
    const tolerant = aPod("b", { tolerations: [{ key: "gpu", operator: "Exists" }] });

    assert.deepEqual(kindsOf(aFile([aPod("a"), tolerant], pool), [aNode(["a", "b"])]), { taint: 1 });
  });

  it("checks node selectors", () => {
    const pod = aPod("a", { nodeSelector: { [zone]: "zone-b" } });

    assert.deepEqual(kindsOf(aFile([pod]), [aNode(["a"])]), { nodeSelector: 1 });
  });

  it("counts every pod whose anti-affinity is broken", () => {
    const file = aFile([aPod("a", apart(host)), aPod("b", apart(host)), aPod("c")]);

    assert.deepEqual(kindsOf(file, [aNode(["a", "b"]), aNode(["c"])]), { "anti-affinity": 2 });
    assert.deepEqual(kindsOf(file, [aNode(["a", "c"]), aNode(["b"])]), {});
  });

  it("lets the first pod with affinity go anywhere and the others follow", () => {
    const file = aFile([aPod("a", together(zone, app)), aPod("b", together(zone, app))]);

    assert.deepEqual(kindsOf(file, [aNode(["a"]), aNode(["b"], { zone: "zone-b" })]), { affinity: 2 });
    assert.deepEqual(kindsOf(file, [aNode(["a"]), aNode(["b"])]), {});
    assert.deepEqual(kindsOf(aFile([aPod("a", together(zone, app))]), [aNode(["a"])]), {});
  });

  it("sends a pod with affinity to what it asks for", () => {
    const file = aFile([aPod("a", { labels: app }), aPod("b", together(host, {}))]);

    assert.deepEqual(kindsOf(file, [aNode(["a"]), aNode(["b"])]), { affinity: 1 });
    assert.deepEqual(kindsOf(file, [aNode(["a", "b"])]), {});
  });

  it("holds pods to the skew, empty zones included", () => {
    const file = aFile([aPod("a", spread(zone)), aPod("b", spread(zone))]);

    assert.deepEqual(kindsOf(file, [aNode(["a", "b"])]), { spread: 2 });
    assert.deepEqual(kindsOf(file, [aNode(["a"]), aNode(["b"], { zone: "zone-b" })]), {});
  });

  it("spreads over hosts one by one", () => {
    const file = aFile([aPod("a", spread(host)), aPod("b", spread(host))]);

    assert.deepEqual(kindsOf(file, [aNode(["a", "b"])]), { spread: 2 });
    assert.deepEqual(kindsOf(file, [aNode(["a"]), aNode(["b"])]), {});
  });

  it("weighs the preferences that are honoured", () => {
    const expression = { key: zone, operator: "In", values: ["zone-a"] };
    const node = { weight: 1, preference: { matchExpressions: [expression] } };
    const refusal = (weight: number, topologyKey: string) => ({
      weight,
      podAffinityTerm: { labelSelector: selector, topologyKey },
    });
    const affinity = {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [node] },
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [refusal(10, zone), refusal(1, host)] },
    };
    const file = aFile([aPod("a", { labels: app, affinity }), aPod("b", { labels: app, affinity })]);
    const honoured = (nodes: PlanNode[]) => verifyPlan(file, { scenario: "", nodes }).preferencesHonoured;

    assert.equal(honoured([aNode(["a", "b"])]), 0.0833);
    assert.equal(honoured([aNode(["a"]), aNode(["b"])]), 0.1667);
    assert.equal(honoured([aNode(["a"]), aNode(["b"], { zone: "zone-b" })]), 0.9583);
  });

  it("counts a soft spread among the preferences", () => {
    const file = aFile([aPod("a", spread(zone, "ScheduleAnyway")), aPod("b", spread(zone, "ScheduleAnyway"))]);

    assert.equal(verifyPlan(file, { scenario: "", nodes: [aNode(["a", "b"])] }).preferencesHonoured, 0);
  });

  it("will not check a pod with a rule that it does not know", () => {
    const pod = aPod("a", { ...({ hostNetwork: true } as Partial<PodSpec>) });

    assert.throws(
      () => kindsOf(aFile([pod]), [aNode(["a"])]),
      /Cannot check pod "default\/a": nothing here knows host/,
    );
  });
});

describe("placements", () => {
  function nodeOf(name: string, cpu: string): ExistingNode {
    const allocatable = { cpu, memory: "8Gi", pods: "20" };
    return {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { [zone]: "zone-a" } },
      spec: { providerID: name, taints: [{ key: "dedicated", effect: "NoSchedule" }] },
      status: { capacity: allocatable, allocatable, conditions: [] },
    };
  }
  const anyNode = { tolerations: [{ operator: "Exists" }] };
  const running = (name: string, spec: Parameters<typeof aPod>[1] = {}) => aPod(name, { ...spec, nodeName: "node-0" });

  function kindsOn(pods: readonly Pod[], bound: readonly Pod[], node = "node-0") {
    const { scenario } = aFile(pods);
    const file = { scenario: { ...scenario, objects: [nodeOf("node-0", "2"), ...bound] }, catalogue };
    const names = pods.map(({ metadata }) => `default/${metadata.name}`);
    return verifyPlan(file, { scenario: "test", nodes: [], placements: [{ node, pods: names }] }).kinds;
  }

  it("put pods on nodes that exist, have room for them and are tolerated", () => {
    assert.deepEqual(kindsOn([aPod("a", anyNode)], [running("x")]), {});
    assert.deepEqual(kindsOn([aPod("a", anyNode)], [running("x"), running("y")]), { overcommitted: 1 });
    assert.deepEqual(kindsOn([aPod("a")], []), { taint: 1 });
    assert.deepEqual(kindsOn([aPod("a", anyNode)], [], "node-1"), { "unknown node": 1 });
  });

  it("keep the rules beside the pods that run there", () => {
    assert.deepEqual(kindsOn([aPod("a", { ...anyNode, labels: app })], [running("x", apart(host))]), {
      "anti-affinity": 1,
    });
    assert.deepEqual(kindsOn([aPod("a", { ...anyNode, ...together(zone, {}) })], [running("x", { labels: app })]), {});
    assert.deepEqual(kindsOn([aPod("a", { ...anyNode, ...together(zone, {}) })], [running("x")]), { affinity: 1 });
    assert.deepEqual(kindsOn([aPod("a", { ...anyNode, ...spread(zone) })], [running("x", spread(zone))]), {
      spread: 1,
    });
  });
});

describe("alternatives", () => {
  const file = aFile([aPod("a"), aPod("b"), aPod("c")]);
  const node = (changes: Partial<PlanNode>) =>
    aNode(["a", "b", "c"], { instanceType: "m5.4", pricePerHour: 4, ...changes });

  it("may be whatever holds the pods", () => {
    assert.deepEqual(kindsOf(file, [node({ alternatives: ["m5.4", "m5.8"] })]), {});
  });

  it("are refused when too small, unknown or named twice", () => {
    assert.deepEqual(kindsOf(file, [node({ alternatives: ["m5.2", "m5.3", "m5.8", "m5.8"] })]), {
      "alternative named twice": 1,
      "impossible alternative": 2,
    });
  });

  it("are refused when the pool does not take them", () => {
    const pool = aPool([{ key: "node.kubernetes.io/instance-type", operator: "NotIn", values: ["m5.8"] }]);

    assert.deepEqual(kindsOf(aFile(file.scenario.pods, pool), [node({ alternatives: ["m5.8"] })]), {
      "impossible alternative": 1,
    });
  });

  it("must be as many as there are on spot, up to 15", () => {
    const spot = { capacityType: "spot", pricePerHour: 2 };

    assert.deepEqual(kindsOf(file, [node({ ...spot, alternatives: [] })]), { "too few alternatives for spot": 1 });
    assert.deepEqual(kindsOf(file, [node({ ...spot, alternatives: ["m5.8"] })]), {});
  });
});
