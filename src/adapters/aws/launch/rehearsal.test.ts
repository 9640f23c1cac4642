import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { awsError } from "../../../../test/support/memory-iam.ts";
import { modelEc2NodeClass } from "../../../../test/support/model-ec2-node-class.ts";
import { makeRequirement } from "../../../core/model/requirements.ts";
import type { PlacementGroups } from "../aws-parts.ts";
import type { Ec2NodeClassSpec } from "../node-class/ec2-node-class.ts";
import { Rehearsal, type RehearsalOptions } from "./rehearsal.ts";

const arch = "kubernetes.io/arch";
const allowed = awsError("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412);
const badProfile = awsError(
  "InvalidParameterValue",
  "Value (mine) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name",
);

describe("the rehearsal of a launch", () => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });

  it("finds that it is allowed", async () => {
    assert.deepEqual(await stage.rehearse(), { kind: "allowed" });
  });

  for (const action of ["CreateLaunchTemplate", "CreateFleet", "RunInstances"] as const) {
    it(`is refused when the role lacks ${action}`, async () => {
      stage.answers[action] = awsError("UnauthorizedOperation", "You are not authorized.", 403);
      const outcome = await stage.rehearse();
      assert.equal(outcome.kind === "refused" && outcome.reason, `${action}AuthCheckFailed`);
      assert.match("message" in outcome ? outcome.message : "", new RegExp(`AWS refuses ec2:${action}: allow it`));
    });

    for (const error of [
      awsError("RequestLimitExceeded", "Request limit exceeded.", 503),
      awsError("InternalError", "An internal error has occurred", 500),
      awsError("InsufficientFreeAddressesInSubnet", "There are not enough free addresses in subnet"),
      awsError("VcpuLimitExceeded", "You have requested more vCPU capacity"),
      awsError("InvalidParameterValue", "Something is not right"),
      awsError("ExpiredToken", "The security token included in the request is expired", 403),
      Object.assign(new Error("connect ECONNREFUSED"), { name: "CredentialsProviderError" }),
      new Error("socket hang up"),
    ]) {
      it(`does not know when ${action} is answered with: ${error.message}`, async () => {
        stage.answers[action] = error;
        const outcome = await stage.rehearse();
        assert.equal(outcome.kind, "unknown");
        assert.match("message" in outcome ? outcome.message : "", new RegExp(error.message));
      });
    }
  }

  it("says where credentials come from when they have expired, and nothing of policies", async () => {
    stage.answers.CreateFleet = awsError("ExpiredToken", "The security token included in the request is expired", 403);
    const outcome = await stage.rehearse();
    assert.match("message" in outcome ? outcome.message : "", /IRSA.*Pod Identity/);
    assert.doesNotMatch("message" in outcome ? outcome.message : "", /policy/);
  });

  it("makes sure of the launch template anew when AWS does not find it", async () => {
    stage.answers.CreateFleet = awsError("InvalidLaunchTemplateName.NotFoundException", "It does not exist.");
    assert.equal((await stage.rehearse()).kind, "unknown");
    stage.answers.CreateFleet = allowed;
    assert.equal((await stage.rehearse()).kind, "allowed");
    assert.deepEqual([stage.made.length, stage.forgotten], [2, stage.made.slice(0, 1)]);
  });

  it("is refused for user data that AWS finds too long", async () => {
    stage.answers.CreateLaunchTemplate = awsError("InvalidUserData.Malformed", "User data is limited to 16384 bytes");
    const outcome = await stage.rehearse();
    assert.equal(outcome.kind === "refused" && outcome.reason, "UserDataSizeLimitExceeded");
  });

  it("is refused for a profile that a user names and that is not there, and waits for one that we make", async () => {
    stage.answers.RunInstances = badProfile;
    assert.equal((await stage.rehearse()).kind, "unknown");
    const outcome = await stage.rehearse({ role: undefined, instanceProfile: "mine" });
    assert.equal(outcome.kind === "refused" && outcome.reason, "InstanceProfileNotFound");
    assert.match("message" in outcome ? outcome.message : "", /no instance profile "mine": create it/);
  });

  it("goes on in another subnet, and is refused only when it is in all of them", async () => {
    stage.machineAnswers = [awsError("InsufficientFreeAddressesInSubnet", "None left"), allowed];
    assert.equal((await stage.rehearse()).kind, "allowed");
    const denied = awsError("UnauthorizedOperation", "You are not authorized.", 403);
    stage.machineAnswers = [denied, awsError("InsufficientFreeAddressesInSubnet", "None left")];
    assert.equal((await stage.rehearse()).kind, "unknown");
    stage.machineAnswers = [denied, denied];
    assert.equal((await stage.rehearse()).kind, "refused");
  });

  it("does not begin before the placement group is known", async () => {
    stage.group = "unknown";
    assert.equal((await stage.rehearse()).kind, "unknown");
    assert.deepEqual(stage.made, []);
  });
});

/** An AWS that answers as it is told, and a node class with two subnets and one image. */
class Stage {
  readonly answers: Record<"CreateLaunchTemplate" | "CreateFleet" | "RunInstances", Error | undefined> = {
    CreateLaunchTemplate: undefined,
    CreateFleet: allowed,
    RunInstances: allowed,
  };
  /** One for each subnet, before what is told for all. */
  machineAnswers: Error[] = [];
  group: ReturnType<PlacementGroups["known"]> = "none";
  /** Names of launch templates. */
  readonly made: string[] = [];
  readonly forgotten: string[] = [];

  rehearse(spec: Partial<Ec2NodeClassSpec> = {}) {
    const type = {
      name: "m5.large",
      requirements: new Map([[arch, makeRequirement("In", ["amd64"])]]),
      capacity: new Map([["pods", 29]]),
      allocatable: new Map(),
      offerings: [],
    };
    const machine = { name: type.name, arch: "amd64", vcpus: 2, memoryMib: 8192, interfaces: 3 } as const;
    const more = { addressesPerInterface: 10, efaInterfaces: 0, isMetal: false };
    const requirements = [{ key: arch, operator: "In", values: ["amd64"], minValues: undefined }] as const;
    const nodeClass = modelEc2NodeClass({
      spec,
      status: {
        amis: [{ id: "ami-1", name: "a", deprecated: false, requirements }],
        securityGroups: [{ id: "sg-1", name: "a" }],
        subnets: ["subnet-1", "subnet-2"].map((id) => ({ id, zone: "a", zoneID: "z" })),
        instanceProfile: "mine",
      },
    });
    const rehearsal = new Rehearsal({
      ec2: {
        createFleet: async () => Promise.reject(this.answers.CreateFleet),
        runInstances: async () => Promise.reject(this.machineAnswers.shift() ?? this.answers.RunInstances),
      } as Partial<RehearsalOptions["ec2"]> as RehearsalOptions["ec2"],
      region: "us-west-2",
      cluster: { pools: new Map() } as unknown as RehearsalOptions["cluster"],
      settings: { clusterName: "c", reservedEnis: 0 } as RehearsalOptions["settings"],
      facts: () => ({
        endpoint: "https://cluster.example",
        caBundle: "Y2E=",
        dnsAddress: "10.0.0.10",
        version: "1.36",
        serviceCidr: "10.0.0.0/16",
      }),
      catalogue: {
        version: 0,
        list: () => [type],
        facts: () => ({ ...machine, ...more }),
      } as Partial<RehearsalOptions["catalogue"]> as RehearsalOptions["catalogue"],
      placementGroups: { version: 0, find: async () => undefined, known: () => this.group },
      templates: {
        ensure: async ({ LaunchTemplateName }: { LaunchTemplateName: string }) => {
          if (this.answers.CreateLaunchTemplate !== undefined) throw this.answers.CreateLaunchTemplate;
          this.made.push(LaunchTemplateName);
        },
        forget: (names: Iterable<string>) => this.forgotten.push(...names),
      } as unknown as RehearsalOptions["templates"],
      userDataSizes: { note: () => {} },
    });
    return rehearsal.rehearse(nodeClass);
  }
}
