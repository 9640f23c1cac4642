import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { hostnameLabel, wellKnownLabels } from "../../src/core/model/labels.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import { choosePlan, type Pace } from "../../src/core/scheduling/choose-plan.ts";
import type { ProvisioningPlan } from "../../src/core/scheduling/plan.ts";
import type { PlanRequest } from "../../src/core/scheduling/plan-request.ts";
import { holdPlan } from "../../src/core/scheduling/scheduler-model/hold-plan.ts";
import {
  cluster,
  defaultSettings,
  instanceType,
  node,
  nodeClaim,
  outcome,
  pod,
  pods,
  pool,
  type Wire,
} from "../support/builders.ts";
import { checkPlan } from "../support/check-plan.ts";
import { prepare, randomRecipe } from "../support/random-scenario.ts";

/** Other clusters, and more: `RANDOM_SEED=7 RANDOM_RUNS=4000 npx node --test test/scheduling/choose-plan.test.ts`. */
const seed = Number(process.env.RANDOM_SEED ?? 1);
const numRuns = Number(process.env.RANDOM_RUNS ?? 100);

const effort = () => ({ maxRounds: 3, shouldStop: () => false });
const patient: Pace = { effort, isLate: () => false };

/** Machines of one size, so that a plan is a number of nodes. */
const boxes = [instanceType("box", { cpu: 8 })];

function ownedBy(name: string): Wire {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name, uid: `uid of ${name}`, controller: true };
  return { ownerReferences: [owner] };
}

/** Pods of one ReplicaSet. */
function replicas(count: number, name: string, cpu: number, rest: Wire = {}): Wire[] {
  return pods(count, name, { requests: { cpu, memory: `${2 * cpu}Gi` }, metadata: ownedBy(name), ...rest });
}

/**
 * Four boxes are full with these: three with a large pod and two small ones, one with eight small ones. The small ones
 * come first, and kube-scheduler puts them on all nodes alike.
 */
const exact = [pool(), ...replicas(14, "small", 1, { priority: 1 }), ...replicas(3, "large", 6)];

function requestOf(objects: readonly Wire[], rest: Partial<PlanRequest> = {}): PlanRequest {
  return {
    ...cluster(objects, boxes),
    hints: new Map(),
    placement: "Suggest",
    preferencePolicy: "Respect",
    minValuesPolicy: "Strict",
    wellKnownLabels,
    defaultSpread: [],
    ...rest,
  };
}

/** The shares of the time that candidates were made with. */
function sharesFor(request: PlanRequest, isLate = () => false): number[] {
  const shares: number[] = [];
  choosePlan(request, {
    effort(share) {
      shares.push(share);
      return effort();
    },
    isLate,
  });
  return shares;
}

function podsOf({ nodes, placements, refusals }: ProvisioningPlan): Pod[] {
  return [...[...nodes, ...placements].flatMap(({ pods }) => pods), ...refusals.map(({ pod }) => pod)];
}

function uidsOf(pods: readonly Pod[]): string[] {
  return pods.map(({ uid }) => uid).sort();
}

describe("a plan that kube-scheduler would carry out otherwise", () => {
  it("gets room for the pods that it would leave over", () => {
    const request = requestOf(exact);
    const tight = choosePlan({ ...request, placement: "Bind" }, patient);
    const chosen = choosePlan(request, patient);
    const shareLeftOver = (plan: ProvisioningPlan) => holdPlan(plan, request, defaultSettings).secondWave;
    assert.deepEqual([tight.nodes.length, tight.refusals], [4, []]);
    assert.deepEqual([chosen.nodes.length > 4, shareLeftOver(chosen) <= 0.01, chosen.refusals], [true, true, []]);
  });

  it("gets it where the cluster spreads pods by default, too", () => {
    const spread = {
      topologyKey: hostnameLabel,
      maxSkew: 9,
      minDomains: undefined,
      isRequired: false,
      selector: undefined,
      matchLabelKeys: [],
      honorsNodeAffinity: true,
      honorsNodeTaints: false,
    };
    const selecting = ["small", "large"].map((name) => ({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name, namespace: "default" },
      spec: { selector: { matchLabels: { app: name } } },
    }));
    const chosen = choosePlan(requestOf([...exact, ...selecting], { defaultSpread: [spread] }), patient);
    assert.deepEqual([chosen.nodes.length > 4, chosen.refusals], [true, []]);
  });

  it("states what its nodes cost, and the bound of the tight plan", () => {
    const request = requestOf(exact);
    const { nodes, costPerHour, boundPerHour } = choosePlan(request, patient);
    const tight = choosePlan({ ...request, placement: "Bind" }, patient);
    assert.ok(Math.abs(costPerHour - 0.8 * nodes.length) < 1e-9);
    assert.equal(boundPerHour(), tight.boundPerHour());
  });

  it("is not replaced by one that costs less because it refuses pods", () => {
    // With headroom there is no machine for a pod that takes all of one.
    const request = requestOf([...exact, ...replicas(2, "whole", 8, { priority: 2 })]);
    const { refusals, nodes } = choosePlan(request, patient);
    const whole = nodes.filter((one) => one.pods.some(({ name }) => name.startsWith("whole")));
    assert.deepEqual([refusals, whole.length], [[], 2]);
  });
});

describe("while the nodes of an earlier plan boot", () => {
  const room = { cpu: 8, memory: "16Gi", pods: 110 };

  /** Each pod is meant for a node of the tight plan. */
  function booting(): PlanRequest {
    const tight = choosePlan(requestOf(exact, { placement: "Bind" }), patient);
    const nameOf = (index: number): string => `coming-${index}`;
    const claims = tight.nodes.map((_, index) => nodeClaim(nameOf(index), { allocatable: room }));
    const hints = tight.nodes.flatMap((one, index) => one.pods.map(({ uid }) => [uid, nameOf(index)] as const));
    return requestOf([...exact, ...claims], { hints: new Map(hints) });
  }

  it("nodes are bought for pods that kube-scheduler would leave over, once all pods have come", () => {
    const chosen = choosePlan(booting(), patient);
    assert.deepEqual([chosen.nodes.length > 0, chosen.refusals], [true, []]);
  });

  it("none are while more pods are expected: the order in which they come decides", () => {
    const { pendingPods, ...request } = booting();
    const [last, ...rest] = pendingPods.toReversed();
    const expecting = [...rest, { ...last!, expectation: "firm" as const }];
    assert.equal(choosePlan({ ...request, pendingPods: expecting }, patient).nodes.length, 0);
  });

  it("none are for expected pods that lost their place, but for one that never had any", () => {
    const { hints, ...request } = booting();
    const filler = pods(8, "filler", { requests: { cpu: 1 }, nodeName: "coming-0" });
    const claims = [0, 1, 2, 3].map((index) => nodeClaim(`coming-${index}`, { allocatable: room }));
    for (const newcomers of [[], replicas(1, "whole", 8)]) {
      const found = cluster([...exact, ...filler, ...claims, ...newcomers], boxes);
      const pendingPods = found.pendingPods.map((one) => ({ ...one, expectation: "firm" as const }));
      const plan = choosePlan({ ...request, ...found, hints, pendingPods }, patient);
      assert.deepEqual(
        [plan.nodes.length, plan.refusals, uidsOf(podsOf(plan))],
        [newcomers.length, [], uidsOf(pendingPods)],
      );
      assert.ok(plan.boundPerHour() <= plan.costPerHour, `${plan.boundPerHour()} is no bound of ${plan.costPerHour}`);
    }
  });

  it("none are where pods are bound", () => {
    assert.equal(choosePlan({ ...booting(), placement: "Bind" }, patient).nodes.length, 0);
  });
});

describe("a plan is taken as it is", () => {
  it("where its pods are bound", () => {
    assert.deepEqual(sharesFor(requestOf(exact, { placement: "Bind" })), [1 / 2, 1 / 4]);
  });

  it("where it is for one pod on new nodes, or for none", () => {
    assert.deepEqual(sharesFor(requestOf([pool(), pod("web")])), [1 / 2]);
    assert.deepEqual(sharesFor(requestOf([pool(), node("n1"), ...replicas(4, "web", 1)])), [1 / 2]);
  });

  it("where there is no time to judge it", () => {
    assert.deepEqual(
      sharesFor(requestOf(exact), () => true),
      [1 / 2],
    );
  });

  it("where kube-scheduler would leave nothing over", () => {
    const request = requestOf([pool(), ...replicas(16, "web", 1)]);
    const suggested = choosePlan(request, patient);
    const bound = choosePlan({ ...request, placement: "Bind" }, patient);
    assert.deepEqual(outcome(suggested), outcome(bound));
    assert.deepEqual(outcome(bound).launched.length, 2);
  });
});

const requests = fc
  .record({
    recipe: randomRecipe,
    placement: fc.constantFrom<PlanRequest["placement"]>("Suggest", "Suggest", "Bind"),
    isHinted: fc.boolean(),
  })
  .map(({ recipe, placement, isHinted }) => {
    const { snapshot, pendingPods } = prepare(recipe);
    const hints = pendingPods.map(({ uid }, index) => [uid, `node-${index % 3}`] as const);
    return { ...requestOf([], { placement }), snapshot, pendingPods, hints: new Map(isHinted ? hints : []) };
  });

describe("the chosen plan of random clusters", () => {
  it("has every pod of the request exactly once", () => {
    fc.assert(
      fc.property(requests, (request) => {
        const planned = podsOf(choosePlan(request, patient));
        assert.deepEqual(uidsOf(planned), uidsOf(request.pendingPods));
        const asked = new Set(request.pendingPods);
        assert.ok(planned.every((one) => asked.has(one)));
      }),
      { seed, numRuns },
    );
  });

  // Of pods on nodes that exist, kube-scheduler may place some where the planner would not: it does not know the zones of
  // machines that could still be bought. Seen in 2 of 3000 clusters: a zone spread, and pods that must be apart.
  it("breaks next to no rule of Kubernetes or of the pools where it has no hints", () => {
    const broken: string[] = [];
    fc.assert(
      fc.property(requests, (request) => {
        const plan = choosePlan({ ...request, hints: new Map() }, patient);
        const { snapshot, pendingPods: pending } = request;
        const found = checkPlan(plan, { snapshot, pending, settings: defaultSettings });
        if (found.length > 0) broken.push(found.join("; "));
      }),
      { seed, numRuns },
    );
    assert.ok(broken.length <= numRuns / 100, broken.join("\n"));
  });
});
