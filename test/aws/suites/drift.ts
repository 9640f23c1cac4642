// Holds that a machine drifts when its node class would have it otherwise, and not before.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import type { NodeClaim } from "../../../src/core/model/node-claim.ts";
import { ProviderBench } from "../provider-bench.ts";
import type { Seeded } from "../seed.ts";
import { control, openApi, seed } from "../stage.ts";

const requirements = [
  { key: "node.kubernetes.io/instance-type", operator: "In", values: ["m5.large"] },
  { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
];

let api: AwsApi;
let seeded: Seeded;
let bench: ProviderBench;
let claim: NodeClaim;
before(async () => {
  api = await openApi();
});
after(() => api.close());
beforeEach(async () => {
  seeded = await seed();
  bench = await ProviderBench.open({ api, seeded });
  const made = await bench.createClaim("default-1", { requirements });
  claim = await bench.record(made, await bench.launch(made));
});
afterEach(() => bench.stop());

describe("drift", () => {
  it("is none right after the launch, also for the next process", async () => {
    assert.equal(await bench.provider.driftReason(claim), "");
    await bench.crash();
    assert.equal(await bench.provider.driftReason(claim), "");
  });

  it("is found in the image", async () => {
    await bench.patchNodeClass({ status: { amis: [image("ami-new", "amd64"), image("ami-arm", "arm64")] } }, "status");
    assert.equal(await bench.provider.driftReason(claim), "AMIDrift");
  });

  it("is none when an image for other machines moves", async () => {
    const amis = [image(seeded.imageIds.amd64, "amd64"), image("ami-arm", "arm64")];
    await bench.patchNodeClass({ status: { amis } }, "status");
    assert.equal(await bench.provider.driftReason(claim), "");
  });

  it("is found in the security groups", async () => {
    await bench.patchNodeClass({ status: { securityGroups: [{ id: seeded.securityGroupIds[0] }] } }, "status");
    assert.equal(await bench.provider.driftReason(claim), "SecurityGroupDrift");
  });

  it("is found in the subnet", async () => {
    await bench.patchNodeClass({ status: { subnets: [{ id: "subnet-1", zone: "us-west-2a" }] } }, "status");
    assert.equal(await bench.provider.driftReason(claim), "SubnetDrift");
  });

  it("is found in what the node class says", async () => {
    const hash = claim.annotations.get("karpenter.k8s.aws/ec2nodeclass-hash");
    const version = claim.annotations.get("karpenter.k8s.aws/ec2nodeclass-hash-version");
    assert.ok(hash && version);
    const annotate = (value: string) =>
      bench.patchNodeClass({
        metadata: {
          annotations: {
            "karpenter.k8s.aws/ec2nodeclass-hash": value,
            "karpenter.k8s.aws/ec2nodeclass-hash-version": version,
          },
        },
      });
    await annotate(hash);
    assert.equal(await bench.provider.driftReason(claim), "");
    await annotate("other");
    assert.equal(await bench.provider.driftReason(claim), "NodeClassDrift");
  });
});

describe("a placement group", () => {
  const group = { GroupId: "pg-0123456789abcdef0", GroupName: "racks", Strategy: "cluster" };
  let grouped: ProviderBench;
  let member: NodeClaim;
  beforeEach(async () => {
    const account = await seed();
    await control.setPlacementGroups([group]);
    grouped = await ProviderBench.open({
      api,
      seeded: account,
      spec: { placementGroupSelector: { name: group.GroupName } },
    });
    const made = await grouped.createClaim("grouped-1", { requirements });
    member = await grouped.record(made, await grouped.launch(made));
  });
  afterEach(() => grouped.stop());

  it("is known to the next process before anybody asks it", async () => {
    await grouped.crash();
    assert.equal(member.labels.get("karpenter.k8s.aws/placement-group-id"), group.GroupId);
    assert.equal(await grouped.provider.driftReason(member), "");
    const machine = await grouped.launch(await grouped.createClaim("grouped-2", { requirements }));
    assert.equal(machine.labels.get("karpenter.k8s.aws/placement-group-id"), group.GroupId);
  });

  it("is waited for while AWS does not tell: nothing drifts, and nothing is launched outside", async () => {
    await control.deny("DescribePlacementGroups");
    await grouped.crash();
    assert.equal(await grouped.provider.driftReason(member), "");
    const next = await grouped.createClaim("grouped-2", { requirements });
    const before = (await control.instances()).length;
    const outcome = await grouped.provider.launch(next);
    assert.equal(outcome.kind === "failed" && outcome.reason, "PlacementGroupUnknown");
    assert.equal((await control.instances()).length, before);
    await control.clearFaults();
    await grouped.parts.placementGroups.find(grouped.nodeClass);
    const machine = await grouped.launch(next);
    assert.equal(machine.labels.get("karpenter.k8s.aws/placement-group-id"), group.GroupId);
  });
});

function image(id: string, arch: string): object {
  return { id, name: arch, requirements: [{ key: "kubernetes.io/arch", operator: "In", values: [arch] }] };
}
