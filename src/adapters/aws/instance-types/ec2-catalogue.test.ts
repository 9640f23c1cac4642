import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CatalogueStage, nodeClassOf, zones } from "../../../../test/support/catalogue-stage.ts";
import { instanceTypeInfo } from "../../../../test/support/instance-type-info.ts";
import type { InstanceType, Offering } from "../../../core/model/instance-type.ts";
import type { Ec2NodeClass, StatusReservation } from "../node-class/ec2-node-class.ts";

const day = 24 * 3_600_000;

const reservation: StatusReservation = {
  id: "cr-1",
  ownerID: "1",
  instanceType: "m5.large",
  availabilityZone: "us-west-2b",
  instanceMatchCriteria: "targeted",
  reservationType: "default",
  state: "active",
  interruptible: false,
  endTime: undefined,
};

/** As in `us-west-2a spot 0.03`, in parentheses when it cannot be had. */
function show({ requirements, price, isAvailable, reservationCapacity }: Offering): string {
  const valueAt = (key: string) => [...(requirements.get(key)?.values ?? [])].join("|");
  const words = [valueAt("topology.kubernetes.io/zone"), valueAt("karpenter.sh/capacity-type"), String(price)];
  const partition = valueAt("karpenter.k8s.aws/placement-group-partition");
  if (partition !== "") words.push(`in ${partition}`);
  if (reservationCapacity !== undefined) words.push(`${reservationCapacity} left`);
  return isAvailable ? words.join(" ") : `(${words.join(" ")})`;
}

function shown(types: readonly InstanceType[], name: string): string[] {
  return types.find((type) => type.name === name)?.offerings.map(show) ?? [];
}

function valuesOf(types: readonly InstanceType[], name: string, key: string): string[] | undefined {
  const requirement = types.find((type) => type.name === name)?.requirements.get(key);
  return requirement && [...requirement.values];
}

describe("the catalogue", () => {
  it("asks EC2 for what can be a node, and lists it by name", async () => {
    const stage = new CatalogueStage();
    const types = await stage.list();
    assert.deepEqual(
      types.map(({ name }) => name),
      ["c5.xlarge", "m5.large"],
    );
    assert.deepEqual(stage.asked, [
      { LocationType: "availability-zone" },
      {
        Filters: [
          { Name: "supported-virtualization-type", Values: ["hvm"] },
          { Name: "processor-info.supported-architecture", Values: ["x86_64", "arm64"] },
        ],
      },
    ]);
    assert.equal(stage.catalogue.facts("m5.large")?.addressesPerInterface, 10);
    assert.equal(stage.catalogue.facts("mac2.metal"), undefined);
  });

  it("names the action that is not allowed, and keeps what it knows", async () => {
    const stage = new CatalogueStage();
    const before = await stage.list();
    stage.refusal = Object.assign(new Error("no"), {
      name: "UnauthorizedOperation",
      $metadata: { httpStatusCode: 403 },
    });
    await assert.rejects(stage.catalogue.refresh(), /ec2:DescribeInstanceTypes/);
    assert.equal(stage.catalogue.list(nodeClassOf())[0], before[0]);
    stage.refusal = undefined;
    stage.infos = [];
    await assert.rejects(stage.catalogue.refresh(), /EC2 names none in us-west-2/);
  });

  it("sells each type in every zone, and says what cannot be had", async () => {
    const types = await new CatalogueStage().list();
    assert.deepEqual(shown(types, "m5.large"), [
      "us-west-2a on-demand 0.1",
      "us-west-2a spot 0.03",
      "us-west-2b on-demand 0.1",
      "us-west-2b spot 0.04",
    ]);
    assert.deepEqual(shown(types, "c5.xlarge"), [
      "us-west-2a on-demand 0.2",
      "(us-west-2a spot 0)",
      "(us-west-2b on-demand 0.2)",
      "(us-west-2b spot 0)",
    ]);
    assert.deepEqual(valuesOf(types, "c5.xlarge", "topology.kubernetes.io/zone"), ["us-west-2a"]);
    assert.deepEqual(valuesOf(types, "c5.xlarge", "topology.k8s.aws/zone-id"), ["usw2-az1"]);
  });

  it("sells nothing where the node class has no subnet, nor in a zone that is shifted away from", async () => {
    const stage = new CatalogueStage();
    const subnets = [{ id: "subnet-1", zone: "us-west-2a", zoneID: "usw2-az1" }];
    const inOneZone = nodeClassOf({ status: { subnets } });
    assert.deepEqual(shown(await stage.list(inOneZone), "m5.large").slice(2), [
      "(us-west-2b on-demand 0.1)",
      "(us-west-2b spot 0.04)",
    ]);
    stage.shifted.add("usw2-az1");
    stage.shiftedVersion++;
    assert.deepEqual(shown(stage.catalogue.list(inOneZone), "m5.large").slice(0, 2), [
      "(us-west-2a on-demand 0.1)",
      "(us-west-2a spot 0.03)",
    ]);
    assert.deepEqual(stage.catalogue.list(nodeClassOf({ status: { subnets: [] } })), []);
  });

  it("sells what is reserved for next to nothing, as long as something is left", async () => {
    const stage = new CatalogueStage();
    const nodeClass = nodeClassOf({ status: { capacityReservations: [reservation] } });
    const types = await stage.list(nodeClass);
    assert.deepEqual(shown(types, "m5.large").slice(4), ["us-west-2b reserved 1e-8 2 left"]);
    assert.deepEqual(valuesOf(types, "m5.large", "karpenter.sh/capacity-type"), ["on-demand", "spot", "reserved"]);
    assert.deepEqual(valuesOf(types, "m5.large", "karpenter.k8s.aws/capacity-reservation-id"), ["cr-1"]);
    assert.deepEqual(valuesOf(types, "c5.xlarge", "karpenter.k8s.aws/capacity-reservation-id"), []);
    assert.equal(types[1]?.offerings[4]?.reservationId, "cr-1");
    stage.left = 0;
    stage.countsVersion++;
    const later = stage.catalogue.list(nodeClass);
    assert.deepEqual(shown(later, "m5.large").slice(4), ["(us-west-2b reserved 1e-8 0 left)"]);
    assert.equal(later[0], types[0]);
    const expiring = nodeClassOf({ status: { capacityReservations: [{ ...reservation, state: "expiring" }] } });
    stage.left = 1;
    stage.countsVersion++;
    assert.deepEqual(shown(stage.catalogue.list(expiring), "m5.large").slice(4), ["(us-west-2b reserved 1e-8 1 left)"]);
  });

  it("sells each partition of a placement group apart", async () => {
    const stage = new CatalogueStage();
    stage.group = { id: "pg-1", name: "racks", strategy: "partition", partitions: 2 };
    const types = await stage.list();
    assert.deepEqual(shown(types, "m5.large").slice(0, 4), [
      "us-west-2a on-demand 0.1 in 1",
      "us-west-2a on-demand 0.1 in 2",
      "us-west-2a spot 0.03 in 1",
      "us-west-2a spot 0.03 in 2",
    ]);
    assert.deepEqual(valuesOf(types, "m5.large", "karpenter.k8s.aws/placement-group-partition"), ["1", "2"]);
    assert.deepEqual(valuesOf(types, "m5.large", "karpenter.k8s.aws/placement-group-id"), ["pg-1"]);
  });

  it("lists the same until something changes, and then only what did anew", async () => {
    const stage = new CatalogueStage();
    const nodeClass = nodeClassOf();
    const types = await stage.list(nodeClass);
    assert.equal(await stage.list(nodeClass), types);
    assert.equal(stage.catalogue.list(nodeClassOf({ resourceVersion: "2" })), types);
    stage.pricesVersion++;
    assert.equal(stage.catalogue.list(nodeClass), types);
    stage.unavailable.mark({ capacityType: "spot", instanceType: "m5.large", zone: "us-west-2a" }, "");
    const marked = stage.catalogue.list(nodeClass);
    assert.equal(marked[0], types[0]);
    assert.equal(shown(marked, "m5.large")[1], "(us-west-2a spot 0.03)");
    stage.now += 180_000;
    assert.equal(shown(stage.catalogue.list(nodeClass), "m5.large")[1], "us-west-2a spot 0.03");
  });

  it("lists anew what EC2 tells otherwise than before", async () => {
    const stage = new CatalogueStage();
    const types = await stage.list();
    const { version } = stage.catalogue;
    stage.infos = [instanceTypeInfo("m5.large", { mebibytes: 9000 }), stage.infos[1] ?? {}];
    const later = await stage.list();
    assert.equal(stage.catalogue.version, version + 1);
    assert.equal(later[0], types[0]);
    assert.deepEqual(valuesOf(later, "m5.large", "karpenter.k8s.aws/instance-memory"), ["9000"]);
    stage.soldIn = { ...stage.soldIn, "c5.xlarge": zones };
    assert.deepEqual(valuesOf(await stage.list(), "c5.xlarge", "topology.kubernetes.io/zone"), zones);
  });

  it("shares between node classes what they have in common", async () => {
    const stage = new CatalogueStage();
    const types = await stage.list();
    const alike = stage.catalogue.list(nodeClassOf({ uid: "uid-2", name: "alike" }));
    assert.equal(alike[1], types[1]);
    const kubelet = { systemReserved: { memory: "1Gi" } };
    const smaller = stage.catalogue.list(nodeClassOf({ uid: "uid-3", spec: { kubelet } }));
    assert.equal(smaller[1]?.requirements, types[1]?.requirements);
    assert.equal(smaller[1]?.offerings, types[1]?.offerings);
    assert.notDeepEqual(smaller[1]?.allocatable, types[1]?.allocatable);
  });

  it("reckons with the least memory that a node of the same images had, for two months", async () => {
    const stage = new CatalogueStage();
    const images = (id: string) => ({ amis: [{ id, name: undefined, deprecated: false, requirements: [] }] });
    const nodeClass = nodeClassOf({ status: images("ami-1") });
    const memoryOf = (of: Ec2NodeClass) =>
      stage.catalogue
        .list(of)
        .find(({ name }) => name === "m5.large")
        ?.capacity.get("memory");
    await stage.list();
    const reckoned = memoryOf(nodeClass);
    const learn = (bytes: number) => {
      stage.catalogue.learnMemory(nodeClass, "m5.large", bytes);
      return memoryOf(nodeClass);
    };
    assert.deepEqual([learn(8e9), learn(9e9), learn(7e9)], [8e9, 8e9, 7e9]);
    const { version } = stage.catalogue;
    stage.now += 59 * day;
    assert.deepEqual([learn(7e9), stage.catalogue.version], [7e9, version]);
    assert.equal(memoryOf(nodeClassOf({ uid: "uid-2", status: images("ami-2") })), reckoned);
    stage.now += 60 * day;
    stage.pricesVersion++;
    assert.equal(memoryOf(nodeClass), reckoned);
  });

  it("runs Windows on machines that it knows, and nothing on the others", async () => {
    const stage = new CatalogueStage();
    stage.infos.push(instanceTypeInfo("m6g.large", { arch: "arm64" }));
    const types = await stage.list(nodeClassOf({ spec: { amiFamily: "Windows2022" } }));
    assert.deepEqual(valuesOf(types, "m5.large", "kubernetes.io/os"), ["windows"]);
    assert.deepEqual(valuesOf(types, "m6g.large", "kubernetes.io/os"), []);
    assert.deepEqual(valuesOf(types, "m5.large", "node.kubernetes.io/windows-build"), ["10.0.20348"]);
  });
});
