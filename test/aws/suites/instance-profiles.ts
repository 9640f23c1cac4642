// Makes and takes away instance profiles in IAM.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import {
  ManagedInstanceProfiles,
  RoleNotFoundError,
} from "../../../src/adapters/aws/instance-profiles/managed-instance-profiles.ts";
import { modelEc2NodeClass } from "../../support/model-ec2-node-class.ts";
import type { Seeded } from "../seed.ts";
import { control, openApi, region, seed } from "../stage.ts";

const clock = { now: () => Date.now(), after: () => assert.fail("nothing waits here") };

let api: AwsApi;
let seeded: Seeded;
before(async () => {
  api = await openApi();
});
after(() => api.close());
beforeEach(async () => {
  seeded = await seed();
});

const open = () => new ManagedInstanceProfiles({ api, clock, random: Math.random, settings: seeded });
const nodeClassOf = (role = seeded.roleName) =>
  modelEc2NodeClass({ spec: { role, tags: new Map([["team", "a <b>"]]) } });
const namesInIam = async () => (await api.iam.listInstanceProfiles("/")).map((profile) => profile.InstanceProfileName);

describe("instance profiles", () => {
  it("are made with path, tags and role, and go with their node class, and no others", async () => {
    await api.iam.createInstanceProfile({ InstanceProfileName: "theirs" });
    const profiles = open();
    const name = await profiles.ensure(nodeClassOf());
    const made = await api.iam.getInstanceProfile(name);
    assert.equal(made?.Path, `/karpenter/${region}/${seeded.clusterName}/uid-1/`);
    assert.deepEqual(
      made?.Roles?.map(({ RoleName }) => RoleName),
      [seeded.roleName],
    );
    assert.deepEqual(Object.fromEntries((made?.Tags ?? []).map(({ Key, Value }) => [Key, Value])), {
      team: "a <b>",
      [`kubernetes.io/cluster/${seeded.clusterName}`]: "owned",
      "eks:eks-cluster-name": seeded.clusterName,
      "karpenter.k8s.aws/ec2nodeclass": "default",
      "topology.kubernetes.io/region": region,
    });
    assert.deepEqual(await profiles.list(), [name]);
    await profiles.removeAllOf(nodeClassOf());
    assert.deepEqual(await namesInIam(), ["theirs"]);
    await profiles.removeAllOf(nodeClassOf());
  });

  it("are found again by whoever comes after a crash", async () => {
    assert.equal(await open().ensure(nodeClassOf()), await open().ensure(nodeClassOf()));
  });

  it("of a role that is not there are not left behind", async () => {
    await assert.rejects(open().ensure(nodeClassOf("nobody")), RoleNotFoundError);
    assert.deepEqual(await namesInIam(), []);
  });

  it("are not left behind when the role may not be added", async () => {
    const denied = {
      code: "AccessDenied",
      message: "not authorized to perform: iam:AddRoleToInstanceProfile",
      status: 403,
    };
    await control.fail("AddRoleToInstanceProfile", denied);
    await assert.rejects(open().ensure(nodeClassOf()), /not authorized/);
    await control.clearFaults();
    assert.deepEqual(await namesInIam(), []);
  });

  it("are made once although the answer was lost", async () => {
    await control.dropAnswers("CreateInstanceProfile", { times: 1 });
    const profiles = open();
    const name = await profiles.ensure(nodeClassOf()).catch(() => profiles.ensure(nodeClassOf()));
    assert.deepEqual(await namesInIam(), [name]);
  });
});
