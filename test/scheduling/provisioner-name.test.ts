import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readNodePoolObject } from "../../src/core/api/read-node-pool-object.ts";
import { writeNodeClaim } from "../../src/core/api/write-node-claim.ts";
import { nodePoolLabel, provisionerNameLabel } from "../../src/core/model/labels.ts";
import { expression, nodeAffinity, outcome, plan, pod, pool, type Wire } from "../support/builders.ts";

const old = pool("old", { metadata: { annotations: { [provisionerNameLabel]: "old" } } });
const alternative = pool("old-2", { metadata: { annotations: { [provisionerNameLabel]: "old" } } });
const recent = pool("recent", { spec: { weight: 100 } });

function poolsFor(spec: Wire): string[] {
  return plan([old, recent, pod("web", spec)]).nodes.map(({ pool }) => pool.name);
}

describe("the name of a Provisioner", () => {
  it("can be selected by pods, and is on nodes of pools made of it alone", () => {
    const where = (operator: string, ...values: string[]) => ({
      affinity: nodeAffinity([expression(provisionerNameLabel, operator, ...values)]),
    });
    assert.deepEqual(
      [
        { nodeSelector: { [provisionerNameLabel]: "old" } },
        where("In", "old", "other"),
        where("Exists"),
        where("DoesNotExist"),
        where("NotIn", "old"),
        {},
      ].map(poolsFor),
      [["old"], ["old"], ["old"], ["recent"], ["recent"], ["recent"]],
    );
  });

  it("is no pool of today, nor any other Provisioner", () => {
    assert.deepEqual(poolsFor({ nodeSelector: { [provisionerNameLabel]: "recent" } }), []);
  });

  it("is the same for all pools made of one", () => {
    const spec = { nodeSelector: { [provisionerNameLabel]: "old", [nodePoolLabel]: "old-2" } };
    assert.deepEqual(outcome(plan([alternative, pod("web", spec)])).refused, {});
  });

  it("is a label of claims, and no requirement, which the API would refuse", () => {
    const read = readNodePoolObject(old);
    if (read.problems !== undefined) assert.fail();
    const claim = writeNodeClaim(read.value, {
      name: "a",
      requirements: new Map(),
      instanceTypes: [],
      requests: new Map(),
      isMinValuesRelaxed: false,
      wellKnownLabels: new Set(),
    }) as { metadata: { labels: object }; spec: { requirements: readonly { key: string }[] } };
    assert.deepEqual(claim.metadata.labels, {
      [provisionerNameLabel]: "old",
      "provisioning.karpenter.sh/name": "old",
      [nodePoolLabel]: "old",
      "example.com/testnodeclass": "default",
    });
    assert.deepEqual(
      claim.spec.requirements.map(({ key }) => key),
      [nodePoolLabel],
    );
  });
});
