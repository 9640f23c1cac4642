// Holds that launch templates are made, used again and taken away, and that a launch can be tried without a machine.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { DescribeLaunchTemplateVersionsCommand, type RequestLaunchTemplateData } from "@aws-sdk/client-ec2";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { Rehearsal } from "../../../src/adapters/aws/launch/rehearsal.ts";
import { TemplateStore } from "../../../src/adapters/aws/launch-templates/template-store.ts";
import { VirtualClock } from "../../../src/embedded/time/virtual-clock.ts";
import { facts, ProviderBench } from "../provider-bench.ts";
import type { Seeded } from "../seed.ts";
import { control, openApi, openEc2, seed, until } from "../stage.ts";

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

const launchM5 = { requirements: [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["m5.large"] }] };

async function templateNames(): Promise<readonly string[]> {
  return (await api.ec2.describeLaunchTemplates({})).map(({ LaunchTemplateName = "" }) => LaunchTemplateName);
}

describe("launch templates", () => {
  it("are made once for all that is launched from them, and say what machines are like", async () => {
    await bench.launch(await bench.createClaim("a", launchM5));
    await bench.launch(await bench.createClaim("b", launchM5));
    const [name = "", ...others] = await templateNames();
    assert.deepEqual(others, []);
    assert.match(name, /^karpenter\.k8s\.aws\/[0-9a-f]+$/);
    assert.equal((await control.calls("CreateLaunchTemplate")).length, 1);
    const client = openEc2();
    const command = new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateName: name });
    const { LaunchTemplateVersions: [version] = [] } = await client.send(command).finally(() => client.destroy());
    const data = version?.LaunchTemplateData as RequestLaunchTemplateData;
    assert.deepEqual(data.IamInstanceProfile, { Name: "nodes" });
    assert.equal(data.ImageId, seeded.imageIds.amd64);
    assert.deepEqual(data.NetworkInterfaces?.[0]?.Groups, [...seeded.securityGroupIds].sort());
    assert.equal(data.MetadataOptions?.HttpTokens, "required");
    assert.equal(data.BlockDeviceMappings?.[0]?.Ebs?.VolumeSize, 20);
  });

  it("are deleted after a minute without use, those of a former process too, and no others", async () => {
    await bench.launch(await bench.createClaim("a", launchM5));
    const tag = { Key: "eks:eks-cluster-name", Value: "another" };
    await api.ec2.createLaunchTemplate({
      LaunchTemplateName: "karpenter.k8s.aws/foreign",
      LaunchTemplateData: { ImageId: seeded.imageIds.amd64 },
      TagSpecifications: [{ ResourceType: "launch-template", Tags: [tag] }],
    });
    await api.ec2.createLaunchTemplate({
      LaunchTemplateName: "of-a-user",
      LaunchTemplateData: { ImageId: seeded.imageIds.amd64 },
      TagSpecifications: [{ ResourceType: "launch-template", Tags: [{ ...tag, Value: seeded.clusterName }] }],
    });
    const clock = new VirtualClock(0);
    const { log } = bench.telemetry;
    const store = new TemplateStore({ ec2: api.ec2, clusterName: seeded.clusterName, clock, log });
    await store.hydrate();
    await clock.advance(59_000);
    assert.equal((await templateNames()).length, 3);
    await clock.advance(2_000);
    await until(async () => (await templateNames()).length === 2);
    assert.deepEqual([...(await templateNames())].sort(), ["karpenter.k8s.aws/foreign", "of-a-user"]);
    store.stop();
  });

  it("go with their node class", async () => {
    await bench.launch(await bench.createClaim("a", launchM5));
    await bench.parts.templates.removeAllOf({ ...bench.nodeClass, name: "another" });
    assert.equal((await templateNames()).length, 1);
    await bench.parts.templates.removeAllOf(bench.nodeClass);
    assert.deepEqual(await templateNames(), []);
  });
});

describe("a rehearsal", () => {
  const rehearse = () => {
    const { ec2, region } = api;
    const { cluster, settings, parts } = bench;
    return new Rehearsal({ ...parts, ec2, region, cluster, settings, facts: () => facts }).rehearse(bench.nodeClass);
  };

  it("finds that everything is allowed, and launches nothing", async () => {
    assert.deepEqual(await rehearse(), { kind: "allowed" });
    assert.deepEqual(await control.instances(), []);
  });

  for (const action of ["CreateLaunchTemplate", "CreateFleet", "RunInstances"]) {
    it(`names ${action} when the role may not do it`, async () => {
      await control.deny(action);
      const outcome = await rehearse();
      assert.ok(outcome.kind === "refused" && outcome.isLasting, JSON.stringify(outcome));
      assert.equal(outcome.reason, `${action}AuthCheckFailed`);
      assert.match(outcome.message, new RegExp(`ec2:${action}`));
    });
  }

  it("does not know when AWS is busy", async () => {
    await control.throttle("CreateFleet");
    assert.equal((await rehearse()).kind, "unknown");
  });

  it("finds that the instance profile is missing", async () => {
    const message = "Value (nodes) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name";
    await control.fail("RunInstances", { code: "InvalidParameterValue", message, status: 400 });
    const outcome = await rehearse();
    assert.equal("reason" in outcome ? outcome.reason : outcome.kind, "InstanceProfileNotFound");
  });
});
