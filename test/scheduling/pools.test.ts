import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { archLabel, instanceTypeLabel, nodePoolLabel } from "../../src/core/model/labels.ts";
import type { ProvisioningPlan } from "../../src/core/scheduling/plan.ts";
import {
  daemonSet,
  expression,
  node,
  outcome,
  plan,
  pod,
  pods,
  pool,
  reasons,
  type Wire,
} from "../support/builders.ts";

const deleting = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const notReady = { conditions: [{ type: "Ready", status: "False", reason: "NodeClassNotReady" }] };
const taints = [{ key: "team", value: "red", effect: "NoSchedule" }];

function poolsOf({ nodes }: ProvisioningPlan): string[] {
  return nodes.map(({ pool }) => pool.name);
}

function usedFor(waiting: Wire, ...pools: readonly Wire[]): string[] {
  return poolsOf(plan([...pools, waiting]));
}

describe("among pools", () => {
  it("the heaviest is used, whatever it costs", () => {
    const dear = pool("dear", { weight: 50, requirements: [expression(instanceTypeLabel, "In", "huge")] });
    assert.deepEqual(usedFor(pod("web"), pool("light", { weight: 10 }), dear, pool("none")), ["dear"]);
  });

  it("the last by name is used when weights are equal", () => {
    assert.deepEqual(usedFor(pod("web"), pool("a"), pool("c"), pool("b")), ["c"]);
  });

  it("the one that a pod names is used, whatever weighs more", () => {
    const waiting = pod("web", { nodeSelector: { [nodePoolLabel]: "light" } });
    assert.deepEqual(usedFor(waiting, pool("heavy", { weight: 90 }), pool("light")), ["light"]);
  });

  it("a lighter one is used by pods that fit no heavier one", () => {
    const tiny = pool("tiny", { weight: 90, requirements: [expression(instanceTypeLabel, "In", "small")] });
    assert.deepEqual(usedFor(pod("web", { requests: { cpu: 3 } }), tiny, pool("any")), ["any"]);
  });

  it("a lighter one is used by pods that do not tolerate the heavier one", () => {
    assert.deepEqual(usedFor(pod("web"), pool("red", { weight: 90, taints }), pool("any")), ["any"]);
  });

  it("one with taints is used by pods that tolerate them", () => {
    const waiting = pod("web", { tolerations: [{ key: "team", value: "red", effect: "NoSchedule" }] });
    assert.deepEqual(usedFor(waiting, pool("red", { weight: 90, taints }), pool("any")), ["red"]);
  });

  it("one is not blocked by taints that it only starts with", () => {
    assert.deepEqual(usedFor(pod("web"), pool("starting", { startupTaints: taints })), ["starting"]);
  });

  it("one whose types all lack what it requires offers nothing", () => {
    const arm = pool("arm", { requirements: [expression(archLabel, "In", "arm64")] });
    assert.deepEqual(reasons(plan([arm, pod("web")])), { web: { arm: "nothing-offered" } });
  });

  it("one that is being deleted, not ready or static takes no pending pods", () => {
    const pools = [
      pool("leaving", { metadata: deleting }),
      pool("broken", { status: notReady }),
      pool("fixed", { replicas: 3 }),
    ];
    assert.deepEqual(reasons(plan([...pools, pod("web")])), {
      web: { leaving: "unusable", broken: "unusable", fixed: "static" },
    });
  });

  it("none is missed when all are left out but one", () => {
    const answer = plan([pool("fixed", { replicas: 3 }), pool("any"), pod("web")]);
    assert.deepEqual(poolsOf(answer), ["any"]);
  });

  it("a static one lends the room on its nodes", () => {
    const answer = plan([
      pool("fixed", { replicas: 1 }),
      node("n1", { labels: { [nodePoolLabel]: "fixed" } }),
      pod("web"),
    ]);
    assert.deepEqual(outcome(answer).placed, { n1: ["web"] });
  });
});

describe("without any pool", () => {
  it("every pod is refused for that", () => {
    assert.deepEqual(outcome(plan(pods(2, "web"))).refused, { "web-1": "no-pools", "web-2": "no-pools" });
  });
});

describe("a label that only a pool could give", () => {
  const selecting = (operator: string, ...values: string[]) =>
    pod("web", {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [expression("team", operator, ...values)] }],
          },
        },
      },
    });
  const isPlanned = (ours: Wire, waiting: Wire) => plan([ours, waiting]).nodes.length === 1;

  for (const [operator, ...values] of [["In", "red"], ["Exists"], ["Gt", "1"]] as const) {
    it(`cannot be asked for with ${operator} where no pool has it`, () => {
      assert.equal(isPlanned(pool(), selecting(operator, ...values)), false);
    });
  }

  for (const [operator, ...values] of [["NotIn", "red"], ["DoesNotExist"]] as const) {
    it(`can be asked for with ${operator} where no pool has it`, () => {
      assert.equal(isPlanned(pool(), selecting(operator, ...values)), true);
    });
  }

  const labelled = pool("default", { labels: { team: "red" } });
  const required = pool("default", { requirements: [expression("team", "In", "red")] });
  for (const [where, ours] of [
    ["labels", labelled],
    ["requires", required],
  ] as const) {
    it(`serves pods as the pool that ${where} it says`, () => {
      const served = [
        selecting("In", "red"),
        selecting("Exists"),
        selecting("NotIn", "blue"),
        selecting("In", "blue"),
        selecting("NotIn", "red"),
        selecting("DoesNotExist"),
      ].map((waiting) => isPlanned(ours, waiting));
      assert.deepEqual(served, [true, true, true, false, false, false]);
    });
  }

  it("that must exist cannot be refused by a pod", () => {
    assert.equal(
      isPlanned(pool("default", { requirements: [expression("team", "Exists")] }), selecting("DoesNotExist")),
      false,
    );
  });

  it("that must not be one value may be missing", () => {
    assert.equal(
      isPlanned(pool("default", { requirements: [expression("team", "NotIn", "red")] }), selecting("DoesNotExist")),
      true,
    );
  });

  it("gets the value that a pod selects where the pool leaves it open", () => {
    const open = pool("default", { requirements: [expression("team", "Exists")] });
    const [planned] = plan([open, pod("web", { nodeSelector: { team: "red" } })]).nodes;
    assert.deepEqual(planned?.requirements.get("team")?.values, new Set(["red"]));
  });

  it("separates pods that select different values where the pool leaves it open", () => {
    const open = pool("default", { requirements: [expression("team", "Exists")] });
    const answer = plan([
      open,
      pod("a", { nodeSelector: { team: "red" } }),
      pod("b", { nodeSelector: { team: "blue" } }),
    ]);
    assert.deepEqual(outcome(answer).launched, ["small: a", "small: b"]);
  });

  it("gets a value that every pod on the node accepts", () => {
    const open = pool("default", { requirements: [expression("team", "Exists")] });
    const answer = plan([open, selecting("NotIn", "red"), pod("b", { nodeSelector: { team: "blue" } })]);
    assert.deepEqual(outcome(answer).launched, ["small: b web"]);
  });

  it("lies within the bounds that pod and pool set", () => {
    const open = pool("default", { requirements: [expression("generation", "Gt", "4")] });
    const matchExpressions = [expression("generation", "Lt", "7"), expression("generation", "NotIn", "5")];
    const nodeSelectorTerms = [{ matchExpressions }];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
    const [planned] = plan([open, pod("web", { affinity })]).nodes;
    assert.deepEqual(planned?.requirements.get("generation")?.values, new Set(["6"]));
  });
});

describe("a label that every cloud has but no type of this one mentions", () => {
  const region = "topology.kubernetes.io/region";

  it("can be selected", () => {
    const [planned] = plan([pool(), pod("web", { nodeSelector: { [region]: "mars-1" } })]).nodes;
    assert.deepEqual(planned?.requirements.get(region)?.values, new Set(["mars-1"]));
  });

  it("is left open on nodes whose pods do not ask for it", () => {
    const objects = [
      pool(),
      pod("here", { nodeSelector: { [region]: "mars-1" }, requests: { cpu: 16 } }),
      pod("anywhere", { requests: { cpu: 16 } }),
    ];
    const regions = plan(objects).nodes.map(({ pods, requirements }) => [
      pods[0]?.name,
      [...(requirements.get(region)?.values ?? [])],
    ]);
    assert.deepEqual(regions.toSorted(), [
      ["anywhere", []],
      ["here", ["mars-1"]],
    ]);
  });

  it("is left open when a daemon alone asks for it, and the daemon is reckoned with", () => {
    const daemon = daemonSet("agent", { nodeSelector: { [region]: "mars-1" } });
    const [planned] = plan([pool(), daemon, pod("web")]).nodes;
    assert.deepEqual([planned?.requirements.has(region), planned?.requests.get("cpu")], [false, 2000]);
  });
});
