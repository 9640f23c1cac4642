import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ec2NodeClasses, nodePools } from "../karpenter-resources.ts";
import { isOwnedBy, newObject, patchToward } from "./owned-object.ts";
import type { Wanted } from "./translate-provisioner.ts";

const requirements = [{ key: "team", operator: "In", values: ["a"] }];
const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "a" };
const pool: Wanted = {
  resource: nodePools,
  name: "a",
  annotations: { mine: "1" },
  spec: { template: { spec: { nodeClassRef, requirements } }, limits: { cpu: 1 } },
};
/** As an API server returns it. */
const live = {
  metadata: { annotations: { mine: "1", other: "2" } },
  spec: {
    limits: { cpu: 1 },
    disruption: {
      budgets: [{ nodes: "10%" }],
      consolidateAfter: "0s",
      consolidationPolicy: "WhenEmptyOrUnderutilized",
    },
    template: { spec: { expireAfter: "720h", requirements, nodeClassRef } },
  },
  status: { nodes: 3 },
};

describe("patchToward", () => {
  it("leaves alone what is as it should be, with what the API fills in", () => {
    assert.equal(patchToward(live, pool), undefined);
  });

  it("puts back what differs and removes what is too much, and no more", () => {
    const changed = { ...live, spec: { ...live.spec, weight: 3, limits: { cpu: 2, memory: "1Gi" } } };
    assert.deepEqual(patchToward(changed, pool), { spec: { limits: { cpu: 1, memory: null }, weight: null } });
  });

  it("minds its own annotations, and those that mean something to a pool", () => {
    const annotations = { other: "2", "karpenter.sh/default-requirements": "team" };
    const patch = { metadata: { annotations: { mine: "1", "karpenter.sh/default-requirements": null } } };
    assert.deepEqual(patchToward({ ...live, metadata: { annotations } }, pool), patch);
  });

  it("writes everything onto what has nothing", () => {
    const nodeClass: Wanted = { resource: ec2NodeClasses, name: "a", annotations: {}, spec: { role: "r" } };
    const { spec } = patchToward({ metadata: {} }, nodeClass) as { spec: { role: string } };
    assert.equal(spec.role, "r");
  });
});

describe("isOwnedBy", () => {
  const owner = { apiVersion: "karpenter.sh/v1alpha5", kind: "Provisioner", name: "a", uid: "u" };
  const annotated = { metadata: { annotations: { "karpenter.sh/provisioner-uid": "u" } } };

  it("goes by the reference to an owner that is in no namespace", () => {
    assert.equal(isOwnedBy(newObject(pool, owner), owner), true);
    assert.equal(isOwnedBy(newObject(pool, { ...owner, uid: "other" }), owner), false);
    assert.equal(isOwnedBy(annotated, owner), false);
    assert.equal(isOwnedBy({ metadata: { ownerReferences: [7, null] } }, owner), false);
  });

  it("goes by the annotation where the owner is in one, and makes no reference to that", () => {
    const namespaced = { ...owner, namespace: "n" };
    assert.equal(isOwnedBy(annotated, namespaced), true);
    assert.equal(isOwnedBy({ metadata: {} }, namespaced), false);
    assert.deepEqual((newObject(pool, namespaced) as { metadata: object }).metadata, {
      name: "a",
      annotations: { mine: "1" },
    });
  });
});
