// Holds that fleets of the AWS endpoint of the tests do what the other suites rely on.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { errorCodeOf } from "../../../src/adapters/aws/api/aws-error.ts";
import type { Seeded } from "../seed.ts";
import { control, openApi, seed } from "../stage.ts";

let api: AwsApi;
let seeded: Seeded;
before(async () => {
  api = await openApi();
});
after(() => api.close());
beforeEach(async () => {
  seeded = await seed();
});

async function makeTemplate(extra: object = {}) {
  await api.ec2.createLaunchTemplate({
    LaunchTemplateName: "karpenter.k8s.aws/1",
    LaunchTemplateData: {
      ImageId: seeded.imageIds.amd64,
      SecurityGroupIds: [...seeded.securityGroupIds],
      UserData: Buffer.from("hello").toString("base64"),
      MetadataOptions: { HttpTokens: "required" },
      BlockDeviceMappings: [{ DeviceName: "/dev/xvda", Ebs: { VolumeSize: 33, VolumeType: "gp3" } }],
      ...extra,
    },
  });
}

function fleet(
  types: readonly string[],
  options: { capacityType?: "spot" | "on-demand"; count?: number; token?: string } = {},
) {
  const { capacityType = "on-demand", count = 1, token } = options;
  return api.ec2.createFleet({
    Type: "instant",
    ...(token === undefined ? {} : { ClientToken: token }),
    TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType: capacityType },
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: "karpenter.k8s.aws/1", Version: "$Latest" },
        Overrides: types.flatMap((InstanceType) =>
          Object.entries(seeded.subnetIds).map(([AvailabilityZone, SubnetId]) => ({
            InstanceType: InstanceType as "m5.large",
            AvailabilityZone,
            SubnetId,
          })),
        ),
      },
    ],
    TagSpecifications: [
      { ResourceType: "instance", Tags: [{ Key: "owner", Value: "me" }] },
      { ResourceType: "volume", Tags: [{ Key: "owner", Value: "me" }] },
    ],
  });
}

const idsOf = ({ Instances = [] }: Awaited<ReturnType<typeof fleet>>) =>
  Instances.flatMap(({ InstanceIds = [] }) => InstanceIds);

describe("CreateFleet", () => {
  it("takes the cheapest type, and what the template says of its machine", async () => {
    await makeTemplate();
    await control.setPrices({ onDemand: { "m5.large": 2, "c5.large": 1 } });
    const made = await fleet(["m5.large", "c5.large"], { count: 2 });
    assert.equal(made.Instances?.[0]?.InstanceType, "c5.large");
    const instances = await api.ec2.describeInstances({ InstanceIds: idsOf(made) });
    assert.equal(instances.length, 2);
    for (const instance of instances) {
      assert.deepEqual(
        new Set(instance.SecurityGroups?.map(({ GroupId }) => GroupId)),
        new Set(seeded.securityGroupIds),
      );
      assert.equal(instance.MetadataOptions?.HttpTokens, "required");
      assert.equal(instance.BlockDeviceMappings?.[0]?.DeviceName, "/dev/xvda");
      assert.match(instance.Placement?.AvailabilityZoneId ?? "", /^usw2-az\d$/);
      assert.equal(instance.Tags?.find(({ Key }) => Key === "owner")?.Value, "me");
    }
    const staged = await control.instances();
    assert.deepEqual(
      staged.map(({ userData }) => userData),
      ["hello", "hello"],
    );
  });

  it("takes the cheapest zone for spot, with the id of a spot request", async () => {
    await makeTemplate();
    await control.setPrices({ spot: [{ instanceType: "m5.large", zone: "us-west-2c", price: 0.0001 }] });
    const [instance] = await api.ec2.describeInstances({
      InstanceIds: idsOf(await fleet(["m5.large"], { capacityType: "spot" })),
    });
    assert.equal(instance?.Placement?.AvailabilityZone, "us-west-2c");
    assert.equal(instance?.InstanceLifecycle, "spot");
    assert.match(instance?.SpotInstanceRequestId ?? "", /^sir-/);
  });

  it("says what there is too little of, and goes on with the next", async () => {
    await makeTemplate();
    await control.setPrices({ onDemand: { "m5.large": 2, "c5.large": 1 } });
    await control.limitPools([
      { instanceType: "c5.large", zone: "us-west-2a", capacity: 1 },
      { instanceType: "c5.large", zone: "us-west-2b" },
      { instanceType: "c5.large", zone: "us-west-2c" },
    ]);
    const made = await fleet(["m5.large", "c5.large"], { count: 3 });
    assert.deepEqual(
      made.Instances?.map(({ InstanceType, InstanceIds }) => [InstanceType, InstanceIds?.length]),
      [
        ["c5.large", 1],
        ["m5.large", 2],
      ],
    );
    assert.deepEqual(
      made.Errors?.map(({ ErrorCode }) => ErrorCode),
      Array(3).fill("InsufficientInstanceCapacity"),
    );
    await control.limitPools([{ code: "VcpuLimitExceeded" }]);
    const refused = await fleet(["m5.large"]);
    assert.deepEqual(idsOf(refused), []);
    assert.equal(refused.Errors?.[0]?.ErrorCode, "VcpuLimitExceeded");
    assert.equal(refused.Errors?.[0]?.LaunchTemplateAndOverrides?.Overrides?.InstanceType, "m5.large");
  });

  it("gives the same answer to the same token, and refuses it for something else", async () => {
    await makeTemplate();
    const first = await fleet(["m5.large"], { token: "t" });
    assert.deepEqual(idsOf(await fleet(["m5.large"], { token: "t" })), idsOf(first));
    await assert.rejects(
      fleet(["c5.large"], { token: "t" }),
      (error) => errorCodeOf(error) === "IdempotentParameterMismatch",
    );
    assert.equal((await control.instances()).length, 1);
  });

  it("launches once when the answer is lost, however often it is asked", async () => {
    await makeTemplate();
    await control.dropAnswers("CreateFleet", { times: 2 });
    const ask = () => fleet(["m5.large"], { token: "t" });
    await assert.rejects(ask());
    await assert.rejects(ask());
    assert.equal(idsOf(await ask()).length, 1);
    assert.equal((await control.instances()).length, 1);
    assert.equal((await control.calls("CreateFleet")).length, 3);
  });

  it("rejects when the template is gone", async () => {
    await assert.rejects(
      fleet(["m5.large"]),
      (error) => errorCodeOf(error) === "InvalidLaunchTemplateName.NotFoundException",
    );
  });

  it("counts machines in reservations", async () => {
    const CapacityReservationId = "cr-1";
    await control.setReservations([
      {
        CapacityReservationId,
        InstanceType: "m5.large",
        AvailabilityZone: "us-west-2a",
        AvailableInstanceCount: 1,
        TotalInstanceCount: 1,
        InstanceMatchCriteria: "targeted",
      },
    ]);
    await makeTemplate({ CapacityReservationSpecification: { CapacityReservationTarget: { CapacityReservationId } } });
    const made = await fleet(["m5.large"], { count: 2 });
    assert.equal(idsOf(made).length, 1);
    assert.ok(made.Errors?.some(({ ErrorCode }) => ErrorCode === "ReservationCapacityExceeded"));
    const count = async () =>
      (await api.ec2.describeCapacityReservations({ Filters: [{ Name: "state", Values: ["active"] }] }))[0]
        ?.AvailableInstanceCount;
    assert.equal(await count(), 0);
    const [instance] = await api.ec2.describeInstances({ InstanceIds: idsOf(made) });
    assert.equal(instance?.CapacityReservationId, CapacityReservationId);
    await api.ec2.terminateInstances({ InstanceIds: idsOf(made) });
    assert.equal(await count(), 1);
  });
});
