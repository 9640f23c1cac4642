import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { ImageNotFoundError } from "../../src/adapters/aws/images/images.ts";
import { ec2NodeClasses } from "../../src/core/api/karpenter-resources.ts";
import { Ec2NodeClassStage } from "./ec2-node-class-stage.ts";

const minute = 60_000;

describe("the node-class controller", () => {
  let stage: Ec2NodeClassStage;
  beforeEach(async () => {
    stage = await Ec2NodeClassStage.open();
  });
  afterEach(() => stage.stop());

  it("writes what it has found, sorted, and that all is ready", async () => {
    stage.account.reservations = () => [
      {
        id: "cr-2",
        ownerID: "123456789012",
        instanceType: "m5.large",
        availabilityZone: "us-west-2a",
        instanceMatchCriteria: "targeted",
        reservationType: "capacity-block",
        state: "active",
        interruptible: false,
        endTime: Date.parse("2026-01-02T00:00:00Z"),
      },
    ];
    stage.controller();
    await stage.create("default");
    const { conditions, ...found } = await stage.status("default");
    assert.deepEqual(found, {
      subnets: [
        { id: "subnet-2", zone: "us-west-2b", zoneID: "usw2-az2" },
        { id: "subnet-1", zone: "us-west-2a", zoneID: "usw2-az1" },
      ],
      securityGroups: [
        { id: "sg-1", name: "cluster" },
        { id: "sg-2", name: "nodes" },
      ],
      amis: [
        {
          id: "ami-1",
          name: "al2023",
          requirements: [{ key: "kubernetes.io/arch", operator: "In", values: ["amd64"] }],
        },
      ],
      capacityReservations: [
        {
          id: "cr-2",
          ownerID: "123456789012",
          instanceType: "m5.large",
          availabilityZone: "us-west-2a",
          instanceMatchCriteria: "targeted",
          reservationType: "capacity-block",
          state: "active",
          interruptible: false,
          endTime: "2026-01-02T00:00:00Z",
        },
      ],
      instanceProfile: [...stage.account.iam.profiles.keys()][0],
    });
    assert.deepEqual(
      (conditions as { type: string; status: string; observedGeneration: number }[])
        .map(({ type, status, observedGeneration }) => `${type}=${status} ${observedGeneration}`)
        .sort(),
      [
        "AMIsReady=True 1",
        "CapacityReservationsReady=True 1",
        "InstanceProfileReady=True 1",
        "PlacementGroupReady=True 1",
        "Ready=True 1",
        "SecurityGroupsReady=True 1",
        "SubnetsReady=True 1",
        "ValidationSucceeded=True 1",
      ],
    );
    assert.deepEqual((await stage.read("default"))?.metadata.finalizers, ["karpenter.k8s.aws/termination"]);
  });

  it("writes nothing when nothing has changed", async () => {
    stage.controller();
    await stage.create("default");
    const before = await stage.version("default");
    await stage.clock.advance(25 * minute);
    assert.equal(await stage.version("default"), before);
    assert.equal(stage.account.rehearsals, 1);
    assert.deepEqual(stage.errors, []);
  });

  it("says of reservations nothing at all while they may not be used", async () => {
    stage.controller({ isReservedCapacityEnabled: false });
    await stage.create("default");
    const { conditions, capacityReservations } = await stage.status("default");
    const types = (conditions as { type: string }[]).map(({ type }) => type);
    assert.equal(types.includes("CapacityReservationsReady"), false);
    assert.equal(capacityReservations, undefined);
    assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
  });

  it("notices within a minute what has changed in the account", async () => {
    stage.controller();
    await stage.create("default");
    stage.account.subnets = stage.account.subnets.slice(0, 1);
    await stage.clock.advance(minute);
    assert.deepEqual((await stage.status("default")).subnets, [
      { id: "subnet-1", zone: "us-west-2a", zoneID: "usw2-az1" },
    ]);
  });

  it("looks at once when the spec changes, and makes a new profile for a new role", async () => {
    stage.controller();
    await stage.create("default");
    const before = (await stage.status("default")).instanceProfile;
    stage.account.iam.roles.add("other");
    await stage.patch("default", { spec: { role: "other" } });
    const after = (await stage.status("default")).instanceProfile;
    assert.notEqual(after, before);
    assert.equal(stage.account.iam.profiles.get(String(after))?.role, "other");
    assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
  });

  it("takes over from a process that died before it could write", async () => {
    const end = stage.embedded.faults.inject({
      effect: "refuse",
      status: 500,
      on: { methods: ["PATCH"], path: /status/ },
      probability: 1,
    });
    const crashed = stage.controller();
    await stage.create("default");
    await crashed.stop();
    end();
    stage.controller();
    await stage.clock.advance(100);
    assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
    assert.equal(stage.account.iam.profiles.size, 1);
  });

  for (const path of [/ec2nodeclasses\/default$/, /ec2nodeclasses\/default\/status/]) {
    it(`looks again when somebody else wrote first (${path.source})`, async () => {
      stage.embedded.faults.inject({
        effect: "refuse",
        status: 409,
        on: { methods: ["PATCH"], path },
        probability: 1,
        times: 2,
      });
      stage.controller();
      await stage.create("default");
      assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
      assert.equal(stage.account.iam.profiles.size, 1);
      assert.deepEqual(stage.errors, []);
    });
  }

  it("leaves other finalizers alone", async () => {
    stage.controller();
    await stage.create("default", {}, { finalizers: ["example.com/mine"] });
    assert.deepEqual((await stage.read("default"))?.metadata.finalizers, [
      "example.com/mine",
      "karpenter.k8s.aws/termination",
    ]);
  });

  describe("when something is missing", () => {
    it("names the terms that no subnet matches, and goes on once one does", async () => {
      const { subnets } = stage.account;
      stage.account.subnets = [];
      stage.controller();
      await stage.create("default");
      assert.deepEqual(await stage.conditions("default"), [
        "Ready=False UnhealthyDependents: SubnetsReady=False, ValidationSucceeded=False",
        'SubnetsReady=False SubnetsNotFound: no subnet matches subnetSelectorTerms [{"tags":{"team":"a"}}] in us-west-2: tag a subnet so, or correct the terms',
        "ValidationSucceeded=False DependenciesNotReady: waits for SubnetsReady",
      ]);
      assert.equal(stage.account.rehearsals, 0);
      stage.account.subnets = subnets;
      await stage.clock.advance(minute);
      assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
    });

    it("names the terms that no security group matches", async () => {
      stage.account.securityGroups = [];
      stage.controller();
      await stage.create("default", { securityGroupSelectorTerms: [{ name: "web" }] });
      assert.deepEqual(
        (await stage.conditions("default"))[1],
        [
          'SecurityGroupsReady=False SecurityGroupsNotFound: no security group matches securityGroupSelectorTerms [{"name":"web"}] in us-west-2: tag a security group so, or correct the terms',
        ].join(),
      );
    });

    it("takes back what is there no more", async () => {
      stage.controller();
      await stage.create("default");
      stage.account.securityGroups = [];
      stage.account.images = () => [];
      await stage.clock.advance(5 * minute);
      const { securityGroups, amis } = await stage.status("default");
      assert.deepEqual([securityGroups, amis], [undefined, undefined]);
      assert.match(
        (await stage.conditions("default")).join("\n"),
        /AMIsReady=False AMINotFound: .*al2023@latest.*us-west-2/,
      );
    });

    it("tells what is wrong with an alias that does not exist", async () => {
      stage.account.images = () => {
        throw new ImageNotFoundError('no image for alias "al2023@v1": correct the version');
      };
      stage.controller();
      await stage.create("default", { amiSelectorTerms: [{ alias: "al2023@v1" }] });
      assert.equal(
        (await stage.conditions("default"))[0],
        'AMIsReady=False AMINotFound: no image for alias "al2023@v1": correct the version',
      );
      assert.deepEqual(stage.errors, []);
    });

    it("tells that an alias is too old for the cluster", async () => {
      stage.controller({ version: "1.33" });
      await stage.create("default", { amiSelectorTerms: [{ alias: "al2@latest" }] });
      assert.match(
        (await stage.conditions("default"))[0] ?? "",
        /^AMIsReady=False UnsupportedAlias: .*al2@latest.*1\.33/,
      );
    });

    it("names the role that does not exist, leaves no profile behind, and goes on when it does", async () => {
      stage.controller();
      await stage.create("default", { role: "missing" });
      assert.equal(
        (await stage.conditions("default"))[0],
        'InstanceProfileReady=False RoleNotFound: IAM has no role "missing": create it, or correct spec.role',
      );
      assert.equal(stage.account.iam.profiles.size, 0);
      stage.account.iam.roles.add("missing");
      await stage.clock.advance(2 * minute);
      assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
    });

    it("names a placement group that is not there", async () => {
      stage.controller();
      await stage.create("default", { placementGroupSelector: { name: "fast" } });
      assert.equal(
        (await stage.conditions("default"))[0],
        'PlacementGroupReady=False PlacementGroupNotFound: no placement group {"name":"fast"} is available in us-west-2: create it, or correct placementGroupSelector',
      );
      stage.account.hasPlacementGroup = true;
      await stage.clock.advance(minute);
      assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
    });
  });

  describe("when the spec itself is wrong", () => {
    it("tells what is wrong with the kubelet's settings, and tries nothing", async () => {
      stage.controller();
      await stage.create("default", { kubelet: { maxPods: -1 } });
      assert.match(
        (await stage.conditions("default"))[1] ?? "",
        /^ValidationSucceeded=False InvalidKubeletConfiguration: maxPods/,
      );
      assert.deepEqual([stage.account.rehearsals, stage.errors], [0, []]);
      await stage.patch("default", { spec: { kubelet: { maxPods: 10 } } });
      assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
    });

    it("says so of one that got past the definition, and lets it go", async () => {
      await stage.loosenDefinition();
      await stage.create("broken", { subnetSelectorTerms: null }, { finalizers: ["karpenter.k8s.aws/termination"] });
      stage.controller();
      await stage.clock.advance(100);
      assert.match(
        (await stage.conditions("broken")).join("\n"),
        /ValidationSucceeded=False InvalidNodeClass: .*subnetSelectorTerms/,
      );
      await stage.user.delete(ec2NodeClasses, { name: "broken" });
      await stage.clock.advance(100);
      assert.equal(await stage.read("broken"), undefined);
    });
  });
});
