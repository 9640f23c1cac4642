import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { capacityTypeLabel, nodePoolLabel, provisionerNameLabel } from "../../src/core/model/labels.ts";
import {
  expression,
  instanceType,
  node,
  nodeAffinity,
  offering,
  outcome,
  plan,
  pod,
  pool,
  preferredNodeAffinity,
  type Wire,
} from "../support/builders.ts";

const oldCapacityType = "node.k8s.aws/capacity-type";
const oldSize = "karpenter.k8s.aws/instance.size";
const size = "karpenter.k8s.aws/instance-size";

const types = ["small", "large"].map((word, index) =>
  instanceType(word, {
    cpu: 4 * (index + 1),
    labels: { [size]: word },
    offerings: ["on-demand", "spot"].map((capacityType) => offering({ capacityType, price: index + 1 })),
  }),
);
/** As a Provisioner of 2021 is carried out: machines on demand, unless a pod selects others. */
const old = pool("old", {
  metadata: {
    annotations: { [provisionerNameLabel]: "old", "karpenter.sh/default-requirements": capacityTypeLabel },
  },
  requirements: [expression(capacityTypeLabel, "In", "on-demand")],
});
const recent = pool("recent", { weight: 100 });

function planned(spec: Wire, ...others: readonly Wire[]): string[] {
  return plan([old, recent, ...others, pod("web", spec)], { instanceTypes: types }).nodes.map(
    ({ pool: { name }, capacityType, instanceType: type }) => `${name} ${capacityType} ${type}`,
  );
}

describe("the labels of 2021", () => {
  it("can be selected, of pools made of Provisioners alone", () => {
    assert.deepEqual(
      [
        { [oldCapacityType]: "spot" },
        { [oldCapacityType]: "on-demand" },
        { [oldSize]: "large" },
        { "provisioning.karpenter.sh/name": "old", [oldSize]: "large", [oldCapacityType]: "spot" },
      ].map((nodeSelector) => planned({ nodeSelector })),
      [["old spot small"], ["old on-demand small"], ["old on-demand large"], ["old spot large"]],
    );
  });

  it("can be required otherwise, and preferred", () => {
    assert.deepEqual(planned({ affinity: nodeAffinity([expression(oldSize, "NotIn", "small")]) }), [
      "recent on-demand small",
    ]);
    const inOld = { nodeSelector: { [nodePoolLabel]: "old" } };
    assert.deepEqual(planned({ ...inOld, affinity: nodeAffinity([expression(oldSize, "NotIn", "small")]) }), [
      "old on-demand large",
    ]);
    assert.deepEqual(planned({ affinity: preferredNodeAffinity([1, expression(oldSize, "In", "large")]) }), [
      "old on-demand large",
    ]);
  });

  it("are on other nodes only where somebody wrote them", () => {
    const selects = { nodeSelector: { [oldCapacityType]: "spot" } };
    const nodes = [
      node("written", { labels: { [oldCapacityType]: "spot" } }),
      node("recent", { labels: { [capacityTypeLabel]: "spot", [nodePoolLabel]: "recent" } }),
    ];
    assert.deepEqual(outcome(plan([...nodes, pod("web", selects)])).placed, { written: ["web"] });
    assert.deepEqual(outcome(plan([recent, pod("web", selects)], { instanceTypes: types })).refused, { web: "no-fit" });
    const written = pool("written", { labels: { [oldCapacityType]: "spot" } });
    assert.deepEqual(outcome(plan([written, pod("web", selects)], { instanceTypes: types })).refused, {});
  });
});
