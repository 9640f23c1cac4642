import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InstanceTypeInfo } from "@aws-sdk/client-ec2";
import { instanceTypeInfo } from "../../../../test/support/instance-type-info.ts";
import { modelEc2NodeClass } from "../../../../test/support/model-ec2-node-class.ts";
import { formatAmount } from "../../../core/model/quantity.ts";
import type { Ec2NodeClassSpec } from "../node-class/ec2-node-class.ts";
import { machineResourcesOf, reckonedMemory } from "./machine-resources.ts";
import { type MachineType, readMachineType } from "./machine-type.ts";
import { RequirementPool } from "./requirement-pool.ts";

const settings = { vmMemoryOverheadPercent: 0.075, reservedEnis: 0, isNodeClassCelEnabled: false };
const gibibyte = 2 ** 30;

function machine(info: InstanceTypeInfo): MachineType {
  const read = readMachineType(info, new RequirementPool(), () => ["us-west-2a"]);
  assert.ok(read !== undefined);
  return read;
}

function resourcesOf(info: InstanceTypeInfo, spec: Partial<Ec2NodeClassSpec> = {}, reservedEnis = 0) {
  const type = machine(info);
  const chosen = { ...settings, reservedEnis };
  const memory = reckonedMemory(type, chosen);
  return machineResourcesOf(type, modelEc2NodeClass({ spec }), { settings: chosen, memory });
}

/** As in the table of vectors: pods, memory; allocatable cpu, memory and ephemeral storage. */
function row(...args: Parameters<typeof resourcesOf>): string {
  const { capacity, allocatable } = resourcesOf(...args);
  const written = (of: ReadonlyMap<string, number>, name: string) => formatAmount(name, of.get(name) ?? 0);
  const mebibytes = (of: ReadonlyMap<string, number>) => `${(of.get("memory") ?? 0) / 2 ** 20}Mi`;
  return [
    written(capacity, "pods"),
    mebibytes(capacity),
    `${allocatable.get("cpu")}m`,
    mebibytes(allocatable),
    written(allocatable, "ephemeral-storage"),
  ].join(" ");
}

const c5Xlarge = instanceTypeInfo("c5.xlarge", { vcpus: 4, interfaces: [4, 15] });
const g5Xlarge = instanceTypeInfo("g5.xlarge", {
  vcpus: 4,
  mebibytes: 16384,
  interfaces: [4, 15],
  InstanceStorageInfo: { TotalSizeInGB: 250, NvmeSupport: "required" },
  GpuInfo: { Gpus: [{ Name: "A10G", Manufacturer: "NVIDIA", Count: 1, MemoryInfo: { SizeInMiB: 22888 } }] },
});
const m5Large = instanceTypeInfo("m5.large");

describe("what a node on a machine has", () => {
  it("is what Karpenter's users reckon with", () => {
    const large = { vcpus: 96, interfaces: [15, 50] as const };
    const rows = {
      "t3.micro": row(instanceTypeInfo("t3.micro", { mebibytes: 1024, interfaces: [2, 2] })),
      "t3.medium": row(instanceTypeInfo("t3.medium", { mebibytes: 4096, interfaces: [3, 6] })),
      "m5.large": row(m5Large),
      "m5.large, an interface reserved": row(m5Large, {}, 1),
      "m5.large, Windows": row(m5Large, { amiFamily: "Windows2022" }),
      "m6g.large": row(instanceTypeInfo("m6g.large", { arch: "arm64" })),
      "c5.xlarge": row(c5Xlarge),
      "g5.xlarge": row(g5Xlarge),
      "m5.24xlarge": row(instanceTypeInfo("m5.24xlarge", { ...large, mebibytes: 393216 })),
      "p4d.24xlarge": row(instanceTypeInfo("p4d.24xlarge", { ...large, mebibytes: 1179648 })),
    };
    assert.deepEqual(rows, {
      "t3.micro": "4 947Mi 1930m 548Mi 17Gi",
      "t3.medium": "17 3788Mi 1930m 3246Mi 17Gi",
      "m5.large": "29 7577Mi 1930m 6903Mi 17Gi",
      "m5.large, an interface reserved": "20 7577Mi 1930m 6903Mi 17Gi",
      "m5.large, Windows": "110 7577Mi 1930m 6012Mi 44Gi",
      "m6g.large": "29 7518Mi 1930m 6844Mi 17Gi",
      "c5.xlarge": "58 7577Mi 3920m 6584Mi 17Gi",
      "g5.xlarge": "58 15155Mi 3920m 14162Mi 17Gi",
      "m5.24xlarge": "737 363724Mi 95690m 355262Mi 17Gi",
      "p4d.24xlarge": "737 1091174Mi 95690m 1082712Mi 17Gi",
    });
  });

  it("is the machine's own disks where they are put together", () => {
    const { allocatable } = resourcesOf(g5Xlarge, { instanceStorePolicy: "RAID0" });
    assert.equal(allocatable.get("ephemeral-storage"), 223926258176);
  });

  it("is the volume that the node class says", () => {
    const ebs = (gibibytes: number) => ({
      ebs: { volumeSize: gibibytes * gibibyte } as NonNullable<Ec2NodeClassSpec["blockDeviceMappings"][0]["ebs"]>,
    });
    const system = { deviceName: "/dev/xvda", rootVolume: false, ...ebs(30) };
    const other = { deviceName: "/dev/xvdb", rootVolume: false, ...ebs(50) };
    const sizeOf = (spec: Partial<Ec2NodeClassSpec>) =>
      (resourcesOf(m5Large, spec).capacity.get("ephemeral-storage") ?? 0) / gibibyte;
    const devices = { blockDeviceMappings: [system, other] };
    assert.deepEqual(
      {
        system: sizeOf(devices),
        bottlerocket: sizeOf({ ...devices, amiFamily: "Bottlerocket" }),
        marked: sizeOf({ blockDeviceMappings: [system, { ...other, rootVolume: true }] }),
        custom: sizeOf({ ...devices, amiFamily: "Custom" }),
        "custom without": sizeOf({ amiFamily: "Custom" }),
        elsewhere: sizeOf({ blockDeviceMappings: [other] }),
      },
      { system: 30, bottlerocket: 50, marked: 50, custom: 50, "custom without": 20, elsewhere: 20 },
    );
  });

  it("names devices only where there are some", () => {
    const { capacity } = resourcesOf(g5Xlarge);
    assert.deepEqual([...capacity.keys()].slice(4), ["nvidia.com/gpu", "vpc.amazonaws.com/pod-eni"]);
    const neuron = { Name: "Trainium", Count: 16, CoreInfo: { Count: 2 } };
    const trainium = instanceTypeInfo("trn1.32xlarge", { NeuronInfo: { NeuronDevices: [neuron] } });
    const devices = [...resourcesOf(trainium).capacity].filter(([name]) => name.startsWith("aws."));
    assert.deepEqual(devices, [
      ["aws.amazon.com/neuron", 16],
      ["aws.amazon.com/neuroncore", 32],
    ]);
  });

  it("has addresses to give to pods of Windows, but not where Windows does not run", () => {
    const resource = "vpc.amazonaws.com/PrivateIPv4Address";
    const onArm = instanceTypeInfo("m6g.large", { arch: "arm64" });
    assert.equal(resourcesOf(m5Large, { amiFamily: "Windows2019" }).capacity.get(resource), 9);
    assert.equal(resourcesOf(onArm, { amiFamily: "Windows2019" }).capacity.get(resource), undefined);
    assert.equal(resourcesOf(m5Large).capacity.get(resource), undefined);
  });

  it("loses interfaces of the first card to those that have no addresses", () => {
    const info = instanceTypeInfo("p5.48xlarge", {
      NetworkInfo: { ...m5Large.NetworkInfo, EfaInfo: { MaximumEfaInterfaces: 4 } },
    });
    const networkInterfaces = [
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" as const },
      { networkCardIndex: 0, deviceIndex: 1, interfaceType: "efa-only" as const },
    ];
    const { capacity } = resourcesOf(info, { networkInterfaces });
    assert.deepEqual([capacity.get("pods"), capacity.get("vpc.amazonaws.com/efa")], [20, 1]);
    assert.equal(resourcesOf(info).capacity.get("vpc.amazonaws.com/efa"), 4);
  });

  it("has as many pods as cores allow, where the family heeds that", () => {
    const podsOf = (amiFamily: Ec2NodeClassSpec["amiFamily"]) =>
      resourcesOf(m5Large, { amiFamily, kubelet: { podsPerCore: 5 } }).capacity.get("pods");
    assert.deepEqual([podsOf("AL2023"), podsOf("Bottlerocket"), podsOf("Windows2022")], [10, 29, 10]);
  });

  it("is what the user wrote for the kubelet", () => {
    const kubelet = {
      maxPods: 20,
      kubeReserved: { cpu: "1", pid: "100" },
      systemReserved: { memory: "1Gi", cpu: "100m" },
    };
    assert.equal(row(m5Large, { kubelet }), "20 7577Mi 900m 5879Mi 17Gi");
    assert.equal(row(m5Large, { kubelet, amiFamily: "Bottlerocket" }), "20 7577Mi 900m 5978Mi 17Gi");
  });

  it("is what the user's expressions make of the machine", () => {
    const type = machine(c5Xlarge);
    const kubelet = { maxPods: "vcpus * 5", kubeReserved: { memory: "max_pods * 10" } };
    const { capacity, allocatable } = machineResourcesOf(type, modelEc2NodeClass({ spec: { kubelet } }), {
      settings: { ...settings, isNodeClassCelEnabled: true },
      memory: 1000 * 2 ** 20,
    });
    assert.deepEqual([capacity.get("pods"), (allocatable.get("memory") ?? 0) / 2 ** 20], [20, 1000 - 208 - 100]);
  });

  it("is less what must stay free before pods are evicted", () => {
    const memoryOf = (available: string) =>
      resourcesOf(m5Large, { kubelet: { evictionHard: { "memory.available": available } } }).allocatable.get("memory");
    const kept = (7577 - 574) * 2 ** 20;
    assert.equal(memoryOf("5%"), kept - Math.ceil((7577 * 2 ** 20 * 5) / 100));
    assert.equal(memoryOf("100%"), kept);
    assert.equal(memoryOf("1Gi"), kept - gibibyte);
    assert.equal(memoryOf("nonsense"), kept - 100 * 2 ** 20);
  });

  it("is below nothing on a machine that is too small to be a node", () => {
    const nano = instanceTypeInfo("t2.nano", { vcpus: 1, mebibytes: 512, interfaces: [2, 2] });
    assert.ok(
      (resourcesOf(nano, { kubelet: { evictionHard: { "memory.available": "1Gi" } } }).allocatable.get("memory") ?? 0) <
        0,
    );
  });
});
