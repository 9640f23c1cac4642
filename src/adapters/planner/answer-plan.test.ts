import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cluster, node, nodeClaim, pods, pool } from "../../../test/support/builders.ts";
import { initializedLabel, nodePoolLabel, registeredLabel } from "../../core/model/labels.ts";
import type { PlanRequest } from "../../ports/planner.ts";
import { answerPlan } from "./answer-plan.ts";

/** So many pods of a kind that must spread over three zones. */
function spreading(count: number, app: string, cpu: number | string = 1) {
  const constraint = {
    topologyKey: "topology.kubernetes.io/zone",
    maxSkew: 1,
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: { app } },
  };
  return pods(count, app, { requests: { cpu }, labels: { app }, topologySpreadConstraints: [constraint] });
}

function ask(...waiting: Parameters<typeof cluster>[0]): PlanRequest {
  const { snapshot, pendingPods } = cluster([pool(), ...waiting]);
  const policies = { preferencePolicy: "Respect", minValuesPolicy: "Strict" } as const;
  return { snapshot, pendingPods, ...policies, wellKnownLabels: new Set(), defaultSpread: [] };
}

function answer(request: PlanRequest) {
  const { nodes, refusals, costPerHour } = answerPlan(request, {
    effort: () => ({ maxRounds: 30, shouldStop: () => false }),
    isLate: () => false,
  });
  const names = new Map(request.pendingPods.map(({ uid, name }) => [uid, name]));
  const most = (app: string): number =>
    Math.max(...nodes.map(({ podUids }) => podUids.filter((uid) => names.get(uid)?.startsWith(app)).length));
  return { nodes: nodes.length, most, refusals: refusals.length, cost: Math.round(costPerHour * 10) / 10 };
}

describe("a plan for pods that must spread over zones", () => {
  it("has all but one kind of them on different nodes if that is wanted and there are nodes enough", () => {
    const large = pods(27, "large", { requests: { cpu: 6 } });
    const request = ask(...spreading(24, "web"), ...spreading(9, "api"), ...large);
    const crowded = answer(request);
    const apart = answer({ ...request, keepsApart: true });
    assert.ok(crowded.most("api") > 1, `${crowded.most("api")} on a node`);
    assert.deepEqual([apart.most("api"), apart.most("web") > 1, apart.refusals], [1, true, 0]);
    assert.ok(apart.cost <= crowded.cost * 1.05, `$${apart.cost} beside $${crowded.cost}`);
  });

  it("has all of them on different nodes while others are on their way that share some", () => {
    const large = pods(27, "large", { requests: { cpu: 6 } });
    const request = ask(nodeClaim("full", { allocatable: { cpu: 2, pods: 2 } }), ...spreading(9, "api"), ...large);
    const apart = answer({ ...request, keepsApart: true });
    const podsByNode = new Map([["full", ask(...spreading(2, "web")).pendingPods]]);
    const later = answer({ ...request, snapshot: { ...request.snapshot, podsByNode }, keepsApart: true });
    assert.deepEqual([apart.most("api") > 1, later.most("api")], [true, 1]);
  });

  it("leaves some room on nodes that are on their way with pods that find their own places there", () => {
    const coming = nodeClaim("coming", { allocatable: { cpu: 40, pods: 99 } });
    const request = { ...ask(coming, ...pods(38, "plain", { requests: { cpu: 1 } })), keepsApart: true };
    const nodesWhile = (waiting: ReturnType<typeof pods>) => {
      const podsByNode = new Map([["coming", ask(...waiting).pendingPods]]);
      return answer({ ...request, snapshot: { ...request.snapshot, podsByNode } }).nodes;
    };
    assert.deepEqual([nodesWhile(pods(2, "web", { requests: { cpu: 1 } })), nodesWhile(spreading(2, "web"))], [0, 1]);
  });

  it("fills nodes that are there already", () => {
    const labels = { [nodePoolLabel]: "default", [registeredLabel]: "true", [initializedLabel]: "true" };
    const there = [node("there", { labels, allocatable: { cpu: 40, pods: 99 } }), nodeClaim("there")];
    const request = { ...ask(...there, ...pods(38, "plain", { requests: { cpu: 1 } })), keepsApart: true };
    const podsByNode = new Map([["there", ask(...spreading(2, "web")).pendingPods]]);
    assert.equal(answer({ ...request, snapshot: { ...request.snapshot, podsByNode } }).nodes, 0);
  });

  it("leaves room for one more on new nodes, where that is not too much", () => {
    const mostOf = (cpu: string) => answer({ ...ask(...spreading(132, "web", cpu)), keepsApart: true }).most("web");
    // Of sixteen processors three per cent are 0.48 and five 0.8.
    assert.deepEqual([mostOf("700m"), mostOf("810m")], [21, 19]);
  });

  it("may cost more for that, the more there is that others would take the room of", () => {
    const full = nodeClaim("full", { allocatable: { cpu: 2, pods: 2 } });
    const request = { ...ask(full, ...spreading(6, "api")), keepsApart: true };
    const podsByNode = new Map([["full", ask(...spreading(2, "web")).pendingPods]]);
    const whileFilling = (price: number) => {
      const nodes = request.snapshot.nodes.map((one) => ({ ...one, price }));
      const { cost, most } = answer({ ...request, snapshot: { ...request.snapshot, nodes, podsByNode } });
      return { cost, most: most("api") };
    };
    const [cheap, dear] = [whileFilling(0), whileFilling(100)];
    assert.deepEqual([cheap.most > 1, dear.most, dear.cost > cheap.cost], [true, 1, true]);
  });

  it("has them together where they are alone", () => {
    const request = ask(...spreading(24, "web"));
    const { most, ...apart } = answer({ ...request, keepsApart: true });
    const { most: mostOfAll, ...together } = answer(request);
    assert.deepEqual([apart, most("web")], [together, mostOfAll("web")]);
  });
});
