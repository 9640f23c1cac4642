// Machines that the Go version has launched, and calls while credentials have expired.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { RunInstancesCommand } from "@aws-sdk/client-ec2";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { ManagedInstanceProfiles } from "../../../src/adapters/aws/instance-profiles/managed-instance-profiles.ts";
import { findStrays } from "../../../src/core/lifecycle/collection.ts";
import type { NodeClaim } from "../../../src/core/model/node-claim.ts";
import { modelEc2NodeClass } from "../../support/model-ec2-node-class.ts";
import { ProviderBench, poolName } from "../provider-bench.ts";
import type { Seeded } from "../seed.ts";
import { control, openApi, openEc2, region, seed, until } from "../stage.ts";

let api: AwsApi;
let seeded: Seeded;
let bench: ProviderBench;
before(async () => {
  api = await openApi();
});
after(() => api.close());
beforeEach(async () => {
  seeded = await seed();
  bench = await ProviderBench.open({ api, seeded });
});
afterEach(() => bench.stop());

const zone = "us-west-2a";

/** With the tags that the Go version gives at birth, and those that come when the node has registered. */
async function launchAsGo(later: Readonly<Record<string, string>> = {}): Promise<string> {
  const { clusterName } = seeded;
  const tags = {
    "karpenter.sh/nodepool": poolName,
    "karpenter.k8s.aws/ec2nodeclass": "default",
    "eks:eks-cluster-name": clusterName,
    [`kubernetes.io/cluster/${clusterName}`]: "owned",
    ...later,
  };
  const client = openEc2();
  const { Instances: [instance] = [] } = await client.send(
    new RunInstancesCommand({
      ImageId: seeded.imageIds.amd64,
      InstanceType: "m5.large",
      MinCount: 1,
      MaxCount: 1,
      SubnetId: seeded.subnetIds[zone],
      SecurityGroupIds: [...seeded.securityGroupIds],
      TagSpecifications: [
        { ResourceType: "instance", Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) },
      ],
    }),
  );
  client.destroy();
  return instance?.InstanceId ?? "";
}

/** As the Go version leaves it. */
async function claimOfGo(name: string, id: string): Promise<NodeClaim> {
  await bench.createClaim(name, {
    finalizers: ["karpenter.sh/termination"],
    labels: {
      "node.kubernetes.io/instance-type": "m5.large",
      "karpenter.sh/capacity-type": "on-demand",
      "topology.kubernetes.io/zone": zone,
    },
    annotations: {
      "karpenter.k8s.aws/ec2nodeclass-hash": "12345678901234567890",
      "karpenter.k8s.aws/ec2nodeclass-hash-version": "v6",
    },
  });
  return bench.patchStatus(name, { providerID: `aws:///${zone}/${id}`, imageID: seeded.imageIds.amd64 });
}

const strays = async () => {
  const later = Date.now() + 24 * 3_600_000;
  return findStrays(await bench.provider.list(), bench.cluster.claims.values(), later).strays;
};

describe("a machine of the Go version", () => {
  for (const [when, later] of [
    ["before its node has registered", () => ({})],
    ["after that", (name: string) => ({ Name: "ip-10-0-0-1.internal", "karpenter.sh/nodeclaim": name })],
  ] as const) {
    it(`is found, kept and ended with its claim, taken over ${when}`, async () => {
      const id = await launchAsGo(later("default-x1"));
      const claim = await claimOfGo("default-x1", id);
      await bench.crash();
      const [found, ...others] = await bench.provider.list();
      assert.deepEqual([found?.providerId, found?.claimName, others], [claim.providerId, claim.name, []]);
      assert.deepEqual(await strays(), []);
      assert.equal((await bench.provider.find(claim.providerId))?.claimName, claim.name);
      assert.equal(await bench.provider.driftReason(claim), "");
      // A node class that we have stamped tells nothing of a claim that the Go version has.
      const own = { "ec2nodeclass-hash": "1", "ec2nodeclass-hash-version": "ts1" };
      const annotations = Object.fromEntries(
        Object.entries(own).map(([key, value]) => [`karpenter.k8s.aws/${key}`, value]),
      );
      await bench.patchNodeClass({ metadata: { annotations } });
      assert.equal(await bench.provider.driftReason(claim), "");
      const again = await bench.provider.launch(claim);
      assert.equal(again.kind === "launched" && again.instance.providerId, claim.providerId);
      const machine = { providerId: claim.providerId, claimName: claim.name };
      assert.equal(await bench.provider.terminate(machine), "terminating");
      await until(async () => (await bench.provider.terminate(machine)) === "gone");
      assert.deepEqual(await bench.provider.list(), []);
    });
  }

  it("is collected once nobody claims it", async () => {
    const id = await launchAsGo({ "karpenter.sh/nodeclaim": "default-gone" });
    await bench.crash();
    assert.deepEqual(
      (await strays()).map(({ providerId }) => providerId),
      [`aws:///${zone}/${id}`],
    );
  });
});

describe("an instance profile of the Go version", () => {
  const path = () => `/karpenter/${region}/${seeded.clusterName}/uid-1/`;
  for (const [what, Path] of [
    ["that is below the path of its node class", path],
    ["from before there were paths", () => "/"],
  ] as const) {
    it(`${what} goes on being used`, async () => {
      const profile = { InstanceProfileName: `${seeded.clusterName}_9876543210` };
      await api.iam.createInstanceProfile({ ...profile, Path: Path() });
      await api.iam.addRoleToInstanceProfile({ ...profile, RoleName: seeded.roleName });
      const profiles = new ManagedInstanceProfiles({
        api,
        clock: bench.clock,
        random: Math.random,
        settings: seeded,
      });
      const spec = { role: seeded.roleName };
      const status = { instanceProfile: profile.InstanceProfileName };
      assert.equal(await profiles.ensure(modelEc2NodeClass({ spec, status })), profile.InstanceProfileName);
    });
  }
});

describe("expired credentials", () => {
  const expired = {
    code: "ExpiredToken",
    message: "The security token included in the request is expired",
    status: 403,
  };
  const advice = /is expired.*IRSA.*Pod Identity.*environment/;

  it("are told on the claim that cannot be launched, which is launched when they are renewed", async () => {
    const claim = await bench.createClaim("default-1", {
      requirements: [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["m5.large"] }],
    });
    await control.fail("CreateFleet", expired);
    const outcome = await bench.provider.launch(claim);
    assert.equal(outcome.kind, "failed");
    assert.match("message" in outcome ? outcome.message : "", advice);
    assert.doesNotMatch("message" in outcome ? outcome.message : "", /policy/);
    await control.clearFaults();
    assert.equal((await bench.provider.launch(claim)).kind, "launched");
  });

  it("are told when a machine cannot be found, listed or ended, which stays", async () => {
    const id = await launchAsGo();
    const machine = { providerId: `aws:///${zone}/${id}`, claimName: "" };
    await control.fail("TerminateInstances", expired);
    await assert.rejects(bench.provider.terminate(machine), advice);
    await control.fail("DescribeInstances", expired);
    await assert.rejects(bench.provider.find(machine.providerId), advice);
    await assert.rejects(bench.provider.list(), advice);
    await control.clearFaults();
    assert.equal(await bench.provider.terminate(machine), "terminating");
  });
});
