// Holds that the AWS endpoint of the tests does what the other suites rely on; for fleets see stage-fleet.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { EnableImageDeprecationCommand } from "@aws-sdk/client-ec2";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { errorCodeOf, isDryRunSuccess, isUnauthorized } from "../../../src/adapters/aws/api/aws-error.ts";
import type { Seeded } from "../seed.ts";
import { control, openApi, openEc2, releaseImages, seed, sendMessage } from "../stage.ts";

let api: AwsApi;
let seeded: Seeded;
before(async () => {
  api = await openApi();
});
after(() => api.close());
beforeEach(async () => {
  seeded = await seed();
});

const discovery = [{ Name: "tag:karpenter.sh/discovery", Values: ["test-cluster"] }];

async function gather<Item>(pages: AsyncIterable<readonly Item[]>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const page of pages) items.push(...page);
  return items;
}

async function launch(count = 1): Promise<readonly string[]> {
  await api.ec2.createLaunchTemplate({
    LaunchTemplateName: "one",
    LaunchTemplateData: { ImageId: seeded.imageIds.amd64 },
  });
  const { Instances = [] } = await api.ec2.createFleet({
    Type: "instant",
    TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType: "on-demand" },
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: "one", Version: "$Latest" },
        Overrides: [{ InstanceType: "m5.large", SubnetId: Object.values(seeded.subnetIds)[0] }],
      },
    ],
  });
  return Instances.flatMap(({ InstanceIds = [] }) => InstanceIds);
}

const stateOf = async (id: string) => (await api.ec2.describeInstances({ InstanceIds: [id] }))[0]?.State?.Name;

describe("a seeded account", () => {
  it("has subnets, groups, images, a role, a cluster and a queue", async () => {
    const subnets = await api.ec2.describeSubnets({ Filters: discovery });
    assert.deepEqual(new Set(subnets.map(({ SubnetId }) => SubnetId)), new Set(Object.values(seeded.subnetIds)));
    assert.equal((await api.ec2.describeSecurityGroups({ Filters: discovery })).length, 2);
    const path = "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/arm64/standard/recommended/image_id";
    assert.equal(await api.ssm.getParameter(path), seeded.imageIds.arm64);
    const [image] = await api.ec2.describeImages({ ImageIds: [seeded.imageIds.arm64] });
    assert.equal(image?.Architecture, "arm64");
    const cluster = await api.eks.describeCluster(seeded.clusterName);
    assert.equal(cluster?.kubernetesNetworkConfig?.serviceIpv4Cidr, "10.100.0.0/16");
    assert.equal(await api.sqs.getQueueUrl(seeded.queueName), seeded.queueUrl);
    const moved = await releaseImages("20260202");
    assert.equal(await api.ssm.getParameter(path), moved.arm64);
    assert.notEqual(moved.arm64, seeded.imageIds.arm64);
  });

  it("delivers messages", async () => {
    await sendMessage(seeded.queueUrl, { hello: "queue" });
    const input = { QueueUrl: seeded.queueUrl, WaitTimeSeconds: 1 };
    const [message] = await api.sqs.receiveMessages(input, new AbortController().signal);
    assert.equal(message?.Body, '{"hello":"queue"}');
  });
});

describe("the catalogue", () => {
  it("has all types in pages, fast from the second time on, and a dry run", async () => {
    await gather(api.ec2.describeInstanceTypes({}));
    const started = performance.now();
    const types = await gather(api.ec2.describeInstanceTypes({}));
    assert.ok(performance.now() - started < 5_000);
    assert.equal(types.length, 1395);
    assert.equal(new Set(types.map(({ InstanceType }) => InstanceType)).size, 1395);
    await assert.rejects(gather(api.ec2.describeInstanceTypes({ DryRun: true })), isDryRunSuccess);
    const offerings = await gather(api.ec2.describeInstanceTypeOfferings({ LocationType: "availability-zone" }));
    assert.ok(offerings.length > 5_000);
  });

  it("has prices, those that were set and those that follow from the size", async () => {
    await control.setPrices({
      onDemand: { "m5.large": 0.5 },
      spot: [{ instanceType: "m5.large", zone: "us-west-2a", price: 0.25 }],
      without: ["c5.large"],
    });
    const family = (Value: string) => [{ Type: "TERM_MATCH" as const, Field: "productFamily", Value }];
    const products = async (kind: string) =>
      new Map(
        (await gather(api.pricing.getProducts({ ServiceCode: "AmazonEC2", Filters: family(kind) }))).map((text) => {
          const { product, terms } = JSON.parse(text);
          return [product.attributes.instanceType, terms.OnDemand.term.priceDimensions.rate.pricePerUnit.USD];
        }),
      );
    const shared = await products("Compute Instance");
    assert.equal(shared.get("m5.large"), "0.500000");
    assert.ok(Number(shared.get("m5.xlarge")) > 0);
    assert.ok(!shared.has("c5.large") && !shared.has("m5.metal"));
    assert.ok((await products("Compute Instance (bare metal)")).has("m5.metal"));
    const spot = await gather(api.ec2.describeSpotPriceHistory({ InstanceTypes: ["m5.large", "c5.large"] }));
    assert.equal(spot.find(({ AvailabilityZone }) => AvailabilityZone === "us-west-2a")?.SpotPrice, "0.250000");
    assert.ok(spot.every(({ InstanceType, Timestamp }) => InstanceType === "m5.large" && Timestamp !== undefined));
  });

  it("has reservations and placement groups, and no others", async () => {
    await control.setReservations([{ CapacityReservationId: "cr-1", Tags: [{ Key: "a", Value: "b" }] }]);
    const tagged = await api.ec2.describeCapacityReservations({ Filters: [{ Name: "tag:a", Values: ["b"] }] });
    assert.equal(tagged[0]?.State, "active");
    await assert.rejects(
      api.ec2.describeCapacityReservations({ CapacityReservationIds: ["cr-2"] }),
      (error) => errorCodeOf(error) === "InvalidCapacityReservationId.NotFound",
    );
    await control.setPlacementGroups([{ GroupName: "g", GroupId: "pg-1", Strategy: "partition", PartitionCount: 3 }]);
    assert.equal((await api.ec2.describePlacementGroups({ GroupNames: ["g"] }))[0]?.PartitionCount, 3);
    await assert.rejects(
      api.ec2.describePlacementGroups({ GroupIds: ["pg-2"] }),
      (error) => errorCodeOf(error) === "InvalidPlacementGroup.Unknown",
    );
  });

  it("keeps the end of an image", async () => {
    const client = openEc2();
    const time = new Date("2030-01-02T03:04:05Z");
    await client.send(new EnableImageDeprecationCommand({ ImageId: seeded.imageIds.amd64, DeprecateAt: time }));
    client.destroy();
    const [image] = await api.ec2.describeImages({ ImageIds: [seeded.imageIds.amd64] });
    assert.equal(new Date(image?.DeprecationTime ?? "").getTime(), time.getTime());
  });
});

describe("machines", () => {
  it("take their time to run and to be gone, if told so", async () => {
    await control.setTiming({ pendingMilliseconds: 300, stoppingMilliseconds: 300 });
    const [id = ""] = await launch();
    assert.equal(await stateOf(id), "pending");
    await new Promise((resolve) => setTimeout(resolve, 350));
    assert.equal(await stateOf(id), "running");
    await api.ec2.terminateInstances({ InstanceIds: [id] });
    assert.equal(await stateOf(id), "shutting-down");
    await new Promise((resolve) => setTimeout(resolve, 350));
    assert.equal(await stateOf(id), "terminated");
  });

  it("do not show up at once, if told so", async () => {
    await control.setTiming({ hiddenCalls: 2 });
    const [id = ""] = await launch();
    assert.deepEqual(await api.ec2.describeInstances({}), []);
    await assert.rejects(stateOf(id), (error) => errorCodeOf(error) === "InvalidInstanceID.NotFound");
    assert.equal(await stateOf(id), "running");
  });

  it("can be impaired, and can be taken away", async () => {
    const [id = "", other = ""] = await launch(2);
    const since = "2026-01-01T00:00:00Z";
    await control.setStatuses({
      [id]: {
        InstanceStatus: {
          Status: "impaired",
          Details: [{ Name: "reachability", Status: "failed", ImpairedSince: since }],
        },
        Events: [{ Code: "instance-stop", NotBefore: since }],
      },
    });
    for (const filter of [
      { Name: "instance-status.status", Values: ["impaired"] },
      { Name: "event.code", Values: ["instance-stop", "system-reboot"] },
    ]) {
      const found = await api.ec2.describeInstanceStatus({ Filters: [filter] });
      assert.deepEqual(
        found.map(({ InstanceId }) => InstanceId),
        [id],
      );
      assert.equal(found[0]?.InstanceStatus?.Details?.[0]?.ImpairedSince?.getTime(), Date.parse(since));
    }
    await control.endInstances([other]);
    assert.equal(await stateOf(other), "terminated");
    assert.equal(await stateOf(id), "running");
  });

  it("can be tagged as long as somebody knows them", async () => {
    const [id = ""] = await launch();
    const Tags = [{ Key: "Name", Value: "n" }];
    await api.ec2.createTags({ Resources: [id], Tags });
    assert.equal((await control.instances())[0]?.tags.Name, "n");
    await assert.rejects(
      api.ec2.createTags({ Resources: ["i-0123456789abcdef0"], Tags }),
      (error) => errorCodeOf(error) === "InvalidInstanceID.NotFound",
    );
  });

  it("take no more user data than they can", async () => {
    const template = (bytes: number) =>
      api.ec2.createLaunchTemplate({
        LaunchTemplateName: `of-${bytes}`,
        LaunchTemplateData: { UserData: Buffer.alloc(bytes, "x").toString("base64") },
      });
    await template(16384);
    await assert.rejects(template(16385), /User data is limited to 16384 bytes/);
  });
});

describe("profiles", () => {
  it("must be there, and so must their role", async () => {
    await assert.rejects(
      api.ec2.runInstances({ DryRun: true, MinCount: 1, MaxCount: 1, IamInstanceProfile: { Name: "none" } }),
      /iamInstanceProfile.name is invalid/,
    );
    await api.iam.createInstanceProfile({ InstanceProfileName: "a" });
    await assert.rejects(
      api.iam.addRoleToInstanceProfile({ InstanceProfileName: "a", RoleName: "none" }),
      /The role with name none cannot be found/,
    );
    await api.iam.addRoleToInstanceProfile({ InstanceProfileName: "a", RoleName: seeded.roleName });
  });

  it("are listed below a path", async () => {
    await api.iam.createInstanceProfile({ InstanceProfileName: "a", Path: "/karpenter/us-west-2/x/" });
    await api.iam.createInstanceProfile({ InstanceProfileName: "b", Path: "/karpenter/us-west-2/y/" });
    const found = await api.iam.listInstanceProfiles("/karpenter/us-west-2/x/");
    assert.deepEqual(
      found.map(({ InstanceProfileName }) => InstanceProfileName),
      ["a"],
    );
  });
});

describe("faults", () => {
  it("are throttling for a while, and throttling of those who ask too often", async () => {
    await control.throttle("DescribeSubnets", { times: 2 });
    assert.equal((await api.ec2.describeSubnets({ Filters: discovery })).length, 3);
    const calls = await control.calls("DescribeSubnets");
    assert.deepEqual(
      calls.map(({ status }) => status),
      [503, 503, 200],
    );
    await control.throttleBeyond("DescribeImages", { capacity: 1, refill: 2 });
    await api.ec2.describeImages({});
    await api.ec2.describeImages({});
    assert.equal((await control.calls("DescribeImages"))[1]?.status, 503);
  });

  it("are refusals of every service, and errors of one's own", async () => {
    await control.deny("DescribeSecurityGroups");
    await assert.rejects(api.ec2.describeSecurityGroups({}), isUnauthorized);
    for (const [action, call] of [
      ["GetParameter", () => api.ssm.getParameter("/a")],
      ["GetInstanceProfile", () => api.iam.getInstanceProfile("a")],
      ["DescribeCluster", () => api.eks.describeCluster("a")],
      ["GetQueueUrl", () => api.sqs.getQueueUrl("a")],
      ["GetProducts", () => gather(api.pricing.getProducts({ ServiceCode: "AmazonEC2" }))],
    ] as const) {
      await control.fail(action, { code: "AccessDeniedException", message: `not ${action}` });
      await assert.rejects(call, (error) => isUnauthorized(error) && String(error).includes(`not ${action}`), action);
    }
    await control.clearFaults();
    await api.ec2.describeSecurityGroups({});
  });

  it("are calls that get lost before or after, and calls that take long", async () => {
    await control.dropCalls("TerminateInstances", { times: 1 });
    await control.dropAnswers("TerminateInstances", { times: 1, skip: 1 });
    const [id = ""] = await launch();
    await api.ec2.terminateInstances({ InstanceIds: [id] });
    assert.deepEqual(
      (await control.calls("TerminateInstances")).map(({ status, isDropped = false }) => [status, isDropped]),
      [
        [0, false],
        [200, true],
        [200, false],
      ],
    );
    await control.delay("DescribeSubnets", 300, { times: 1 });
    const started = performance.now();
    await api.ec2.describeSubnets({});
    assert.ok(performance.now() - started >= 300);
  });
});
