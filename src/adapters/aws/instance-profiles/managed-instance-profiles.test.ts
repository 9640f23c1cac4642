import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { awsError, MemoryIam } from "../../../../test/support/memory-iam.ts";
import { modelEc2NodeClass } from "../../../../test/support/model-ec2-node-class.ts";
import { ManagedInstanceProfiles, RoleNotFoundError } from "./managed-instance-profiles.ts";

const path = "/karpenter/us-west-2/prod/uid-1/";

describe("managed instance profiles", () => {
  const clock = { time: 0, now: () => clock.time, after: () => assert.fail("nothing waits here") };
  let iam: MemoryIam;
  let profiles: ManagedInstanceProfiles;
  const open = () => {
    let drawn = 0;
    const random = () => (++drawn % 1000) / 1000;
    return new ManagedInstanceProfiles({
      api: { region: "us-west-2", iam },
      clock,
      random,
      settings: { clusterName: "prod" },
    });
  };
  beforeEach(() => {
    clock.time = 0;
    iam = new MemoryIam();
    iam.roles.add("node-role");
    profiles = open();
  });

  it("are made for a role, with its path and tags", async () => {
    const name = await profiles.ensure(modelEc2NodeClass({ spec: { role: "teams/node-role" } }));
    assert.deepEqual(iam.profiles.get(name), {
      path,
      role: "node-role",
      tags: {
        "kubernetes.io/cluster/prod": "owned",
        "eks:eks-cluster-name": "prod",
        "karpenter.k8s.aws/ec2nodeclass": "default",
        "topology.kubernetes.io/region": "us-west-2",
      },
    });
    assert.equal(profiles.isProtected(name), true);
    clock.time = 60 * 60_000;
    assert.equal(profiles.isProtected(name), false);
  });

  it("are not asked for where the node class names one", async () => {
    const nodeClass = modelEc2NodeClass({
      spec: { role: undefined, instanceProfile: "mine" },
      status: { instanceProfile: "old" },
    });
    assert.equal(await profiles.ensure(nodeClass), "mine");
    assert.deepEqual(iam.calls, []);
    assert.equal(profiles.isProtected("old"), true);
  });

  it("are made once although their name did not get into the status", async () => {
    const name = await profiles.ensure(modelEc2NodeClass());
    assert.equal(await profiles.ensure(modelEc2NodeClass()), name);
    assert.equal(iam.profiles.size, 1);
  });

  it("are found again after a crash, with or without their role", async () => {
    const name = await profiles.ensure(modelEc2NodeClass());
    assert.equal(await open().ensure(modelEc2NodeClass()), name);
    const profile = iam.profiles.get(name);
    assert.ok(profile);
    profile.role = undefined;
    assert.equal(await open().ensure(modelEc2NodeClass()), name);
    assert.equal(profile.role, "node-role");
    assert.equal(iam.profiles.size, 1);
  });

  it("are looked at once in 15 minutes", async () => {
    const instanceProfile = await profiles.ensure(modelEc2NodeClass());
    const nodeClass = modelEc2NodeClass({ status: { instanceProfile } });
    iam.calls.length = 0;
    clock.time = 14 * 60_000;
    await profiles.ensure(nodeClass);
    assert.deepEqual(iam.calls, []);
    clock.time = 15 * 60_000;
    assert.equal(await profiles.ensure(nodeClass), instanceProfile);
    assert.deepEqual(iam.calls, ["getInstanceProfile"]);
  });

  it("are made anew when somebody has deleted them", async () => {
    const instanceProfile = await profiles.ensure(modelEc2NodeClass());
    iam.profiles.clear();
    clock.time = 15 * 60_000;
    const other = await profiles.ensure(modelEc2NodeClass({ status: { instanceProfile } }));
    assert.notEqual(other, instanceProfile);
    assert.deepEqual([...iam.profiles.keys()], [other]);
  });

  it("change with the role, and the old one stays for the machines that have it", async () => {
    iam.roles.add("other");
    const before = await profiles.ensure(modelEc2NodeClass());
    const nodeClass = modelEc2NodeClass({ spec: { role: "other" }, status: { instanceProfile: before } });
    const after = await profiles.ensure(nodeClass);
    assert.equal(iam.profiles.get(before)?.role, "node-role");
    assert.equal(iam.profiles.get(after)?.role, "other");
    assert.deepEqual([profiles.isProtected(before), profiles.isProtected(after)], [true, true]);
  });

  it("of a role that is not there are not left behind, and not tried again for a minute", async () => {
    iam.roles.clear();
    const refusal = { message: 'IAM has no role "node-role": create it, or correct spec.role' };
    await assert.rejects(profiles.ensure(modelEc2NodeClass()), refusal);
    assert.equal(iam.profiles.size, 0);
    iam.calls.length = 0;
    await assert.rejects(profiles.ensure(modelEc2NodeClass()), RoleNotFoundError);
    assert.deepEqual(iam.calls, []);
    iam.roles.add("node-role");
    clock.time = 60_000;
    await profiles.ensure(modelEc2NodeClass());
    assert.equal(iam.profiles.size, 1);
  });

  for (const call of ["createInstanceProfile", "addRoleToInstanceProfile"] as const) {
    it(`are not left behind when ${call} fails`, async () => {
      iam.failures.set(call, awsError("AccessDenied", `not authorized to perform: iam:${call}`, 403));
      await assert.rejects(profiles.ensure(modelEc2NodeClass()), /not authorized/);
      assert.equal(iam.profiles.size, 0);
    });
  }

  it("need no permission to list", async () => {
    iam.failures.set("listInstanceProfiles", awsError("AccessDenied", "no", 403));
    await profiles.ensure(modelEc2NodeClass());
    assert.equal(iam.profiles.size, 1);
  });

  it("of a node class all go, and nobody else's although the endpoint lists everything", async () => {
    await profiles.ensure(modelEc2NodeClass());
    await profiles.ensure(modelEc2NodeClass({ uid: "uid-2", name: "other" }));
    const theirs = { path: "/", tags: {}, role: "admin" };
    iam.profiles.set("theirs", theirs);
    iam.profiles.set("prod_4067990795380418201", { path: "/", tags: {}, role: "node-role" });
    await profiles.removeAllOf(modelEc2NodeClass());
    assert.deepEqual(
      [...iam.profiles.values()].map((profile) => profile.path),
      ["/karpenter/us-west-2/prod/uid-2/", "/"],
    );
    assert.equal(iam.profiles.get("theirs"), theirs);
    assert.equal((await profiles.list()).length, 1);
  });
});
