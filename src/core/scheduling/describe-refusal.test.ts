import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeRequirement } from "../model/requirements.ts";
import { describeRefusal } from "./describe-refusal.ts";
import type { PoolRefusalReason, Refusal } from "./refusal.ts";

const say = (reason: PoolRefusalReason) => describeRefusal({ kind: "no-fit", pools: [{ pool: "general", reason }] });

describe("the words for a refusal", () => {
  const cases: readonly [PoolRefusalReason, string][] = [
    [
      { kind: "unusable", because: "its node class is not ready" },
      'Pool "general" cannot be used: its node class is not ready.',
    ],
    [{ kind: "static" }, 'Pool "general" keeps a fixed number of nodes and adds none for pending pods.'],
    [{ kind: "nothing-offered" }, 'Pool "general" has no instance type on offer that meets its requirements.'],
    [
      { kind: "taint", taint: { key: "gpu", value: "", effect: "NoSchedule" } },
      'Pool "general" has the taint gpu:NoSchedule, which the pod does not tolerate.',
    ],
    [
      {
        kind: "requirement",
        key: "provisioning.karpenter.sh/name",
        offered: [],
        wanted: makeRequirement("Exists", []),
        required: undefined,
      },
      'Pool "general" comes of no Provisioner, and the pod selects nodes by a label that only those of Provisioners have.',
    ],
    [
      {
        kind: "requirement",
        key: "kubernetes.io/arch",
        wanted: makeRequirement("In", ["arm64"]),
        offered: ["amd64"],
        required: undefined,
      },
      'Pool "general" offers kubernetes.io/arch amd64, but the pod wants kubernetes.io/arch In [arm64].',
    ],
    [
      {
        kind: "requirement",
        key: "gen",
        wanted: makeRequirement("Lt", ["5"]),
        offered: [],
        required: makeRequirement("Gt", ["10"]),
      },
      'Pool "general" requires gen >= 11, but the pod wants gen <= 4.',
    ],
    [
      {
        kind: "requirement",
        key: "gen",
        wanted: makeRequirement("DoesNotExist", []),
        offered: ["3"],
        required: makeRequirement("Exists", []),
      },
      'Pool "general" offers gen 3 and otherwise requires gen Exists, but the pod wants gen DoesNotExist.',
    ],
    [
      {
        kind: "resources",
        instanceType: "m7g.large",
        missing: new Map([["memory", 312 * 2 ** 20]]),
        daemons: new Map(),
      },
      'Pool "general" has nothing large enough: the nearest miss is m7g.large, which would do if the pod asked for 312Mi memory less.',
    ],
    [
      {
        kind: "resources",
        instanceType: "m7g.large",
        missing: new Map([["cpu", 4900]]),
        daemons: new Map([["cpu", 20_000]]),
      },
      'Pool "general" has nothing large enough: the nearest miss is m7g.large, of which daemon sets take 20 cpu: it would do if they and the pod asked for 4900m cpu less.',
    ],
    [
      {
        kind: "resources",
        instanceType: "m7g.large",
        missing: new Map([
          ["cpu", Number.MAX_SAFE_INTEGER],
          ["memory", 1024],
        ]),
        daemons: new Map(),
      },
      'Pool "general" has nothing large enough: the pod asks for more cpu than any machine has.',
    ],
    [
      {
        kind: "resources",
        instanceType: "m7g.large",
        missing: new Map([["cpu", Number.MAX_SAFE_INTEGER]]),
        daemons: new Map([["cpu", Number.MAX_SAFE_INTEGER]]),
      },
      'Pool "general" has nothing large enough: the pod and the daemon sets of its node ask for more cpu than any machine has.',
    ],
    [
      { kind: "limit", resource: "cpu", limit: 4000, remaining: 500 },
      'Pool "general" has reached its limit: 500m of cpu are left of 4, and every machine that would hold the pod needs more.',
    ],
    [
      { kind: "min-values", key: "node.kubernetes.io/instance-type", wanted: 3, found: 2 },
      'Pool "general" demands at least 3 values of node.kubernetes.io/instance-type, but only 2 would hold the pod.',
    ],
    [
      { kind: "topology", rule: "spread", key: "topology.kubernetes.io/zone" },
      'Pool "general" has machines for the pod, but its topology spread over topology.kubernetes.io/zone allows none of them now.',
    ],
  ];
  for (const [reason, words] of cases)
    it(`names what is in the way: ${reason.kind}`, () => assert.equal(say(reason), words));

  it("goes through all pools", () => {
    const pools = ["a", "b"].map((pool) => ({ pool, reason: { kind: "static" } as const }));
    assert.match(describeRefusal({ kind: "no-fit", pools }), /^Pool "a" .*\. Pool "b" .*\.$/);
  });

  it("says what to do about what no pool could help", () => {
    const refusals: readonly Refusal[] = [
      { kind: "volume", claim: "shop/data", problem: "claim-missing" },
      { kind: "restricted-label", key: "kubernetes.io/hostname" },
      { kind: "no-pools" },
    ];
    assert.deepEqual(refusals.map(describeRefusal), [
      'Volume claim "shop/data" does not exist.',
      'The pod selects the label "kubernetes.io/hostname", which no new node can be given. Remove it from its node selector or affinity.',
      "There is no node pool that could provide a node: create one, or see why those there are not ready.",
    ]);
  });
});
