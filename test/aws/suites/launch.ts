// Holds that claims become machines of EC2: one each, whatever AWS says or does not say.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { nodeClaims } from "../../../src/core/api/karpenter-resources.ts";
import type { NodeClaim } from "../../../src/core/model/node-claim.ts";
import type { Instance } from "../../../src/ports/cloud-provider.ts";
import { NotLeadingError } from "../../../src/runtime/kube-client.ts";
import { ProviderBench } from "../provider-bench.ts";
import { control, openApi, seed } from "../stage.ts";

let api: AwsApi;
let bench: ProviderBench;
before(async () => {
  api = await openApi();
});
after(() => api.close());
beforeEach(async () => {
  bench = await ProviderBench.open({ api, seeded: await seed() });
});
afterEach(() => bench.stop());

const only = (key: string, ...values: string[]) => ({ key, operator: "In", values });
const onDemand = only("karpenter.sh/capacity-type", "on-demand");
const types = (...names: string[]) => only("node.kubernetes.io/instance-type", ...names);
const zones = (...letters: string[]) => only("topology.kubernetes.io/zone", ...letters.map((one) => `us-west-2${one}`));

const ready = {
  type: "Ready",
  status: "True",
  reason: "Ready",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  observedGeneration: 1,
};

function claimsOf(count: number, fields: Record<string, unknown>): Promise<readonly NodeClaim[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => bench.createClaim(`default-${i}`, fields)));
}

function byClaim(instances: readonly Instance[]): Record<string, string> {
  return Object.fromEntries(instances.map(({ claimName, providerId }) => [claimName, providerId]).sort());
}

async function reserve(count: number): Promise<{ readonly id: string }> {
  const id = "cr-1";
  await control.setReservations([
    {
      CapacityReservationId: id,
      OwnerId: "123456789012",
      InstanceType: "m5.large",
      AvailabilityZone: "us-west-2a",
      InstanceMatchCriteria: "targeted",
      ReservationType: "default",
      State: "active",
      TotalInstanceCount: count,
      AvailableInstanceCount: count,
    },
  ]);
  const found = {
    id,
    ownerID: "123456789012",
    instanceType: "m5.large",
    availabilityZone: "us-west-2a",
    instanceMatchCriteria: "targeted",
    reservationType: "default",
    state: "active",
    interruptible: false,
  };
  await bench.patchNodeClass({ spec: { capacityReservationSelectorTerms: [{ id }] } });
  const conditions = [{ ...ready, observedGeneration: 2 }];
  await bench.patchNodeClass({ status: { capacityReservations: [found], conditions } }, "status");
  await bench.parts.reservations.find(bench.nodeClass);
  return { id };
}

/** AWS does not count its own. */
const isCounted = (tag: string): boolean => !tag.startsWith("aws:");

async function liveInstances() {
  return (await control.instances()).filter(({ state }) => state === "running" || state === "pending");
}

describe("a launch", () => {
  it("makes one machine that says whose it is, and tells what it is", async () => {
    const claim = await bench.createClaim("default-1", {
      labels: { team: "a" },
      requirements: [onDemand, types("m5.large"), zones("b")],
      resources: { requests: { cpu: "1" } },
    });
    const instance = await bench.launch(claim);
    const [machine, ...others] = await liveInstances();
    assert.deepEqual(others, []);
    assert.ok(machine);
    assert.equal(instance.providerId, `aws:///us-west-2b/${machine.id}`);
    assert.equal(machine.tags["karpenter.sh/nodeclaim"], "default-1");
    assert.equal(machine.tags["karpenter.sh/nodepool"], "default");
    assert.equal(machine.tags["karpenter.k8s.aws/ec2nodeclass"], "default");
    assert.equal(machine.tags[`kubernetes.io/cluster/${bench.settings.clusterName}`], "owned");
    assert.equal(machine.imageId, instance.imageId);
    assert.match(machine.userData, /NodeConfig/);
    assert.match(machine.userData, /team=a/);
    const told = [
      "node.kubernetes.io/instance-type",
      "topology.kubernetes.io/zone",
      "topology.k8s.aws/zone-id",
      "karpenter.sh/capacity-type",
      "kubernetes.io/arch",
      "karpenter.k8s.aws/instance-family",
      "karpenter.k8s.aws/instance-tenancy",
    ].map((key) => instance.labels.get(key));
    const expected = ["m5.large", "us-west-2b", "id-of-us-west-2b", "on-demand", "amd64", "m5", "default"];
    assert.deepEqual(told, expected);
    assert.equal(instance.allocatable.get("cpu"), 1930);
    assert.equal(instance.capacity.get("pods"), 29);
  });

  it("buys alike machines together, and each claim keeps its own", async () => {
    const claims = await claimsOf(12, { requirements: [onDemand, types("m5.large")] });
    const instances = await Promise.all(claims.map((claim) => bench.launch(claim)));
    assert.equal(new Set(instances.map(({ providerId }) => providerId)).size, 12);
    const fleets = await control.calls("CreateFleet");
    assert.equal(fleets.length, 1);
    assert.equal(Number(fleets[0]?.params["TargetCapacitySpecification.TotalTargetCapacity"]), 12);
    const listed = await bench.provider.list();
    assert.deepEqual(byClaim(listed), byClaim(instances));
  });

  it("takes the fourth when the three cheapest cannot be had, in one pass, and does not ask for them again", async () => {
    const names = ["t3.small", "t3.medium", "m5.large", "m5.xlarge"];
    await control.limitPools(names.slice(0, 3).map((instanceType) => ({ instanceType })));
    const claim = await bench.createClaim("default-1", { requirements: [onDemand, types(...names)] });
    assert.equal((await bench.launch(claim)).labels.get("node.kubernetes.io/instance-type"), "m5.xlarge");
    await control.clearCalls();
    const next = await bench.createClaim("default-2", { requirements: [onDemand, types(...names)] });
    assert.equal((await bench.launch(next)).labels.get("node.kubernetes.io/instance-type"), "m5.xlarge");
    const [fleet, ...others] = await control.calls("CreateFleet");
    assert.deepEqual(others, []);
    const asked = Object.entries(fleet?.params ?? {}).filter(([key]) => key.endsWith(".InstanceType"));
    assert.deepEqual(new Set(asked.map(([, value]) => value)), new Set(["m5.xlarge"]));
  });

  it("goes on to what it had not named at first, and says so when nothing is left", async () => {
    await control.limitPools([{ capacityType: "spot" }]);
    const both = only("karpenter.sh/capacity-type", "spot", "on-demand");
    const claim = await bench.createClaim("default-1", { requirements: [both, types("m5.large", "m5.xlarge")] });
    assert.equal((await bench.launch(claim)).labels.get("karpenter.sh/capacity-type"), "on-demand");
    await control.limitPools([{}]);
    const last = await bench.createClaim("default-2", { requirements: [both, types("c5.large")] });
    const outcome = await bench.provider.launch(last);
    assert.equal(outcome.kind, "insufficient-capacity");
    assert.match("message" in outcome ? outcome.message : "", /InsufficientInstanceCapacity/);
    assert.equal((await liveInstances()).length, 1);
    assert.ok([...bench.telemetry.numbers.keys()].some((key) => key.includes("instance_launch_failures_total")));
  });

  it("gives what there is to some of a batch, and something else to the others", async () => {
    await control.limitPools([{ instanceType: "m5.large", capacity: 3 }]);
    const claims = await claimsOf(5, { requirements: [onDemand, types("m5.large", "m5.xlarge")] });
    const instances = await Promise.all(claims.map((claim) => bench.launch(claim)));
    assert.equal(new Set(instances.map(({ providerId }) => providerId)).size, 5);
    assert.equal((await liveInstances()).length, 5);
  });

  it("says what went wrong when AWS is busy, and doubles nothing once it is not", async () => {
    await control.throttle("CreateFleet");
    const claim = await bench.createClaim("default-1", { requirements: [onDemand, types("m5.large")] });
    const outcome = await bench.provider.launch(claim);
    assert.equal("reason" in outcome ? outcome.reason : outcome.kind, "RequestLimitExceeded");
    await control.clearFaults();
    await bench.launch(claim);
    assert.equal((await liveInstances()).length, 1);
  });

  it("names the action that the role lacks", async () => {
    await control.deny("CreateFleet");
    const claim = await bench.createClaim("default-1", { requirements: [onDemand, types("m5.large")] });
    const outcome = await bench.provider.launch(claim);
    assert.equal("reason" in outcome ? outcome.reason : outcome.kind, "Unauthorized");
    assert.match("message" in outcome ? outcome.message : "", /ec2:CreateFleet/);
  });

  it("makes its launch template again when somebody has deleted it", async () => {
    const fields = { requirements: [onDemand, types("m5.large")] };
    await bench.launch(await bench.createClaim("default-1", fields));
    const [template] = await api.ec2.describeLaunchTemplates({});
    await api.ec2.deleteLaunchTemplate({ LaunchTemplateId: template?.LaunchTemplateId });
    await bench.launch(await bench.createClaim("default-2", fields));
    assert.equal((await liveInstances()).length, 2);
  });

  it("waits for a node class that is not ready", async () => {
    const status = { conditions: [{ ...ready, status: "False", message: "SubnetsReady=False" }] };
    await bench.patchNodeClass({ status }, "status");
    const outcome = await bench.provider.launch(await bench.createClaim("default-1"));
    assert.deepEqual(outcome, {
      kind: "node-class-not-ready",
      message: 'EC2NodeClass "default" is not ready: SubnetsReady=False',
    });
    await bench.patchNodeClass({ status: { conditions: [{ ...ready, status: "Unknown" }] } }, "status");
    const unknown = await bench.provider.launch(await bench.createClaim("default-2"));
    assert.equal("reason" in unknown ? unknown.reason : "", "NodeClassReadinessUnknown");
    const elsewhere = { ...bench.nodeClassRef, name: "missing" };
    const missing = await bench.provider.launch(await bench.createClaim("default-3", { nodeClassRef: elsewhere }));
    assert.equal(missing.kind, "insufficient-capacity");
  });

  it("launches into a reservation first, and beside it when that is full", async () => {
    const reservation = { ...(await reserve(1)) };
    const any = only("karpenter.sh/capacity-type", "reserved", "on-demand");
    const fields = { requirements: [any, types("m5.large")] };
    const first = await bench.launch(await bench.createClaim("default-1", fields));
    assert.equal(first.labels.get("karpenter.sh/capacity-type"), "reserved");
    assert.equal(first.labels.get("karpenter.k8s.aws/capacity-reservation-id"), reservation.id);
    const second = await bench.launch(await bench.createClaim("default-2", fields));
    assert.equal(second.labels.get("karpenter.sh/capacity-type"), "on-demand");
  });
});

describe("a launch that AWS tells little of", () => {
  it("warns beside claim and pool when the account lacks the role for spot, and takes something else", async () => {
    const code = "AuthFailure.ServiceLinkedRoleCreationNotPermitted";
    await control.limitPools([{ capacityType: "spot", code }]);
    const both = only("karpenter.sh/capacity-type", "spot", "on-demand");
    const claim = await bench.createClaim("default-1", { requirements: [both, types("m5.large")] });
    assert.equal((await bench.launch(claim)).labels.get("karpenter.sh/capacity-type"), "on-demand");
    const warnings = bench.telemetry.happenings.filter(({ reason }) => reason === "SpotSLRCreationFailed");
    assert.deepEqual(
      warnings.map(({ object, type }) => [object.kind, object.name, type]),
      [
        ["NodeClaim", "default-1", "Warning"],
        ["NodePool", "default", "Warning"],
      ],
    );
    assert.match(
      warnings[0]?.message ?? "",
      /aws iam create-service-linked-role --aws-service-name spot.amazonaws.com/,
    );
  });

  it("is over once AWS has said in which partition the machine is, and not before", async () => {
    await bench.stop();
    const GroupId = "pg-0123456789abcdef0";
    const seeded = await seed();
    await control.setPlacementGroups([{ GroupId, GroupName: "racks", Strategy: "partition", PartitionCount: 3 }]);
    bench = await ProviderBench.open({ api, seeded, spec: { placementGroupSelector: { id: GroupId } } });
    await control.setTiming({ hiddenCalls: 3 });
    const claim = await bench.createClaim("default-1", { requirements: [onDemand, types("m5.large")] });
    await assert.rejects(bench.provider.launch(claim), /in which partition/);
    const instance = await bench.launch(claim);
    assert.match(instance.labels.get("karpenter.k8s.aws/placement-group-partition") ?? "", /^[123]$/);
    assert.equal((await liveInstances()).length, 1);
  });

  it("asks for nothing once the provider is stopped", async () => {
    const claim = await bench.createClaim("default-1", { requirements: [onDemand, types("m5.large")] });
    await bench.provider.stop();
    await assert.rejects(bench.provider.launch(claim), NotLeadingError);
    assert.deepEqual(await control.calls("CreateFleet"), []);
  });

  it("leaves room for all tags of a machine, however many claims are bought together", async () => {
    await bench.stop();
    const tags = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`team-${i}`, "a"]));
    bench = await ProviderBench.open({ api, seeded: await seed(), spec: { tags } });
    const names = Array.from({ length: 40 }, (_, i) => `a-name-of-a-pool-that-is-long-and-yet-allowed-${i}`);
    const fields = { requirements: [onDemand, types("m5.large")] };
    const claims = await Promise.all(names.map((name) => bench.createClaim(name, fields)));
    await Promise.all(claims.map((claim) => bench.launch(claim)));
    const counts = (await liveInstances()).map((machine) => Object.keys(machine.tags).filter(isCounted).length);
    assert.equal(counts.length, 40);
    assert.ok(Math.max(...counts) + 2 <= 50);
  });
});

describe("a launch that nobody heard the end of", () => {
  it("is found again, and not bought twice", async () => {
    await control.dropAnswers("CreateFleet");
    const claims = await claimsOf(3, { requirements: [onDemand, types("m5.large")] });
    const outcomes = await Promise.allSettled(claims.map((claim) => bench.provider.launch(claim)));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["rejected", "rejected", "rejected"],
    );
    const bought = (await liveInstances()).length;
    await control.clearFaults();
    const instances = await Promise.all(claims.map((claim) => bench.launch(claim)));
    assert.equal(new Set(instances.map(({ providerId }) => providerId)).size, 3);
    assert.equal((await liveInstances()).length, bought);
  });

  it("is made up for when nothing was bought", async () => {
    await control.dropCalls("CreateFleet");
    const claim = await bench.createClaim("default-1", { requirements: [onDemand, types("m5.large")] });
    await assert.rejects(bench.provider.launch(claim));
    await control.clearFaults();
    await bench.launch(claim);
    assert.equal((await liveInstances()).length, 1);
  });

  it("is found by the next process, whichever claims have been told of their machine", async () => {
    const claims = await claimsOf(4, { requirements: [onDemand, types("m5.large")] });
    const before = await Promise.all(claims.map((claim) => bench.launch(claim)));
    await bench.record(claims[2] as NodeClaim, before[2] as Instance);
    await control.setTiming({ hiddenCalls: 1 });
    await bench.crash();
    const after = await Promise.all([0, 1, 3].map((index) => bench.launch(claims[index] as NodeClaim)));
    const all = new Set([...after, before[2]].map((instance) => instance?.providerId));
    assert.deepEqual(all, new Set(before.map(({ providerId }) => providerId)));
    assert.equal((await liveInstances()).length, 4);
    const names = (await bench.provider.list()).map(({ claimName }) => claimName).sort();
    assert.deepEqual(names, claims.map(({ name }) => name).sort());
  });

  it("leaves a machine to the collector whose claim is gone", async () => {
    const claim = await bench.createClaim("default-1", { requirements: [onDemand, types("m5.large")] });
    await bench.launch(claim);
    await bench.kube.patch(nodeClaims, { name: claim.name }, { body: { metadata: { finalizers: null } } });
    await bench.kube.delete(nodeClaims, { name: claim.name });
    await bench.crash();
    const [instance] = await bench.provider.list();
    assert.equal(instance?.claimName, "default-1");
    assert.equal(bench.cluster.claims.get("default-1"), undefined);
  });
});
