import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InstanceTypeInfo } from "@aws-sdk/client-ec2";
import { instanceTypeInfo } from "../../../../test/support/instance-type-info.ts";
import { modelEc2NodeClass } from "../../../../test/support/model-ec2-node-class.ts";
import { RecordingTelemetry } from "../../../../test/support/recording-telemetry.ts";
import type { InstanceType, Offering } from "../../../core/model/instance-type.ts";
import type { PlacementGroup } from "../aws-parts.ts";
import type { Ec2NodeClass, StatusReservation } from "../node-class/ec2-node-class.ts";
import { RecentlyUnavailable } from "../offerings/unavailable-offerings.ts";
import { Ec2Catalogue } from "./ec2-catalogue.ts";

const day = 24 * 3_600_000;
const zones = ["us-west-2a", "us-west-2b"];

/** EC2 with two types in two zones, of which the node class has a subnet in each. */
class Stage {
  now = 0;
  infos: InstanceTypeInfo[] = [
    instanceTypeInfo("m5.large"),
    instanceTypeInfo("c5.xlarge", { vcpus: 4 }),
    instanceTypeInfo("mac2.metal", { ProcessorInfo: { SupportedArchitectures: ["arm64_mac"] } }),
  ];
  soldIn: Record<string, string[]> = { "m5.large": zones, "c5.xlarge": ["us-west-2a"], "mac2.metal": zones };
  asked: unknown[] = [];
  refusal: Error | undefined;
  onDemand: Record<string, number> = { "m5.large": 0.1, "c5.xlarge": 0.2 };
  spot: Record<string, number> = { "m5.large us-west-2a": 0.03, "m5.large us-west-2b": 0.04 };
  pricesVersion = 0;
  left = 2;
  countsVersion = 0;
  shifted = new Set<string>();
  shiftedVersion = 0;
  group: PlacementGroup | "none" = "none";
  readonly clock = { now: () => this.now, after: () => ({ cancel() {} }) };
  readonly unavailable = new RecentlyUnavailable({ clock: this.clock, log: new RecordingTelemetry().log });
  readonly catalogue: Ec2Catalogue;

  constructor() {
    const stage = this;
    this.catalogue = new Ec2Catalogue({
      region: "us-west-2",
      clock: this.clock,
      log: new RecordingTelemetry().log,
      settings: {
        vmMemoryOverheadPercent: 0.075,
        reservedEnis: 0,
        isNodeClassCelEnabled: false,
        isReservedCapacityEnabled: true,
      },
      ec2: {
        async *describeInstanceTypes(input) {
          stage.asked.push(input);
          if (stage.refusal !== undefined) throw stage.refusal;
          // Nothing that is read may be kept.
          for (const info of stage.infos) yield [structuredClone(info)];
        },
        async *describeInstanceTypeOfferings(input) {
          stage.asked.push(input);
          for (const [type, sold] of Object.entries(stage.soldIn)) {
            yield sold.map((Location) => ({ InstanceType: type as "m5.large", Location }));
          }
        },
      },
      market: {
        prices: {
          get version() {
            return stage.pricesVersion;
          },
          onDemand: (type) => stage.onDemand[type],
          spot: (type, zone) => stage.spot[`${type} ${zone}`],
        },
        unavailable: this.unavailable,
        reservations: {
          get version() {
            return stage.countsVersion;
          },
          available: () => stage.left,
          markLaunched() {},
          markTerminated() {},
          markUnavailable() {},
        },
        shiftedZones: {
          get version() {
            return stage.shiftedVersion;
          },
          has: (zoneId) => stage.shifted.has(zoneId),
        },
      },
      placementGroups: { version: 0, find: async () => undefined, known: () => stage.group },
    });
  }

  async list(nodeClass: Ec2NodeClass = nodeClassOf()): Promise<readonly InstanceType[]> {
    await this.catalogue.refresh();
    return this.catalogue.list(nodeClass);
  }
}

function nodeClassOf(parts: Parameters<typeof modelEc2NodeClass>[0] = {}): Ec2NodeClass {
  const subnets = zones.map((zone, index) => ({ id: `subnet-${index + 1}`, zone, zoneID: `usw2-az${index + 1}` }));
  return modelEc2NodeClass({ ...parts, status: { subnets, ...parts.status } });
}

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
    const stage = new Stage();
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
    const stage = new Stage();
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
    const types = await new Stage().list();
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
    const stage = new Stage();
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
    const stage = new Stage();
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
    const stage = new Stage();
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
    const stage = new Stage();
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
    const stage = new Stage();
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
    const stage = new Stage();
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
    const stage = new Stage();
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
    const stage = new Stage();
    stage.infos.push(instanceTypeInfo("m6g.large", { arch: "arm64" }));
    const types = await stage.list(nodeClassOf({ spec: { amiFamily: "Windows2022" } }));
    assert.deepEqual(valuesOf(types, "m5.large", "kubernetes.io/os"), ["windows"]);
    assert.deepEqual(valuesOf(types, "m6g.large", "kubernetes.io/os"), []);
    assert.deepEqual(valuesOf(types, "m5.large", "node.kubernetes.io/windows-build"), ["10.0.20348"]);
  });
});
