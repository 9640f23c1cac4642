import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InstanceTypeInfo } from "@aws-sdk/client-ec2";
import { instanceTypeInfo } from "../../../../test/support/instance-type-info.ts";
import { machineLabelKeys, machineLabelsOf } from "./machine-labels.ts";
import { RequirementPool } from "./requirement-pool.ts";

const prefix = "karpenter.k8s.aws/";

/** Labels that have a value, without their domain. */
function labelsOf(info: InstanceTypeInfo): Record<string, string> {
  const requirements = machineLabelsOf(info, "amd64", new RequirementPool());
  const labels = requirements.map((requirement, index): [string, string] => {
    const key = machineLabelKeys[index] ?? "";
    return [key.startsWith(prefix) ? key.slice(prefix.length) : key, [...requirement.values].join("|")];
  });
  return Object.fromEntries(labels.filter((_, index) => requirements[index]?.values.size !== 0));
}

describe("the labels of a machine", () => {
  it("tell of m5.large", () => {
    assert.deepEqual(labelsOf(instanceTypeInfo("m5.large")), {
      "node.kubernetes.io/instance-type": "m5.large",
      "kubernetes.io/arch": "amd64",
      "instance-category": "m",
      "instance-generation": "5",
      "instance-family": "m5",
      "instance-size": "large",
      "instance-capability-flex": "false",
      "instance-cpu": "2",
      "instance-cpu-manufacturer": "intel",
      "instance-cpu-sustained-clock-speed-mhz": "3100",
      "instance-memory": "8192",
      "instance-ebs-bandwidth": "4750",
      "instance-network-bandwidth": "750",
      "instance-hypervisor": "nitro",
      "instance-encryption-in-transit-supported": "false",
      "nitro-sandbox": "false",
      "instance-tenancy": "default|dedicated",
    });
  });

  it("are read from every kind of name", () => {
    const names = [
      "c7i-flex.large",
      "u-6tb1.metal",
      "u7i-12tb.224xlarge",
      "mac2-m2pro.metal",
      "p6-b200.48xlarge",
      "trn1n.32xlarge",
      "mac-m4.metal",
    ];
    const read = names.map((name) => {
      const labels = labelsOf(instanceTypeInfo(name));
      const told = ["category", "generation", "family", "capability-flex"].map((label) => labels[`instance-${label}`]);
      return told.map((value) => value ?? "-").join(" ");
    });
    assert.deepEqual(read, [
      "c 7 c7i-flex true",
      "u 1 u-6tb1 false",
      "u 7 u7i-12tb false",
      "mac 2 mac2-m2pro false",
      "p 6 p6-b200 false",
      "trn 1 trn1n false",
      "- - mac-m4 false",
    ]);
  });

  it("tell of the one kind of GPU that it has", () => {
    const gpu = { Name: "RTX PRO", Manufacturer: "NVIDIA", Count: 4, MemoryInfo: { SizeInMiB: 16384 } };
    const { NetworkInfo, ...rest } = instanceTypeInfo("g4dn.12xlarge");
    const one = labelsOf({ ...rest, NetworkInfo, GpuInfo: { Gpus: [gpu] } });
    const gpuLabels = Object.entries(one).filter(([key]) => key.startsWith("instance-gpu"));
    assert.deepEqual(gpuLabels, [
      ["instance-gpu-name", "rtx-pro"],
      ["instance-gpu-manufacturer", "nvidia"],
      ["instance-gpu-count", "4"],
      ["instance-gpu-memory", "16384"],
    ]);
    const several = labelsOf({ ...rest, NetworkInfo, GpuInfo: { Gpus: [gpu, { ...gpu, Name: "T4" }] } });
    assert.deepEqual(
      Object.keys(several).filter((key) => key.startsWith("instance-gpu")),
      [],
    );
  });

  it("name Neuron devices before other accelerators", () => {
    const accelerators = { Accelerators: [{ Name: "Qualcomm AI100", Manufacturer: "Qualcomm", Count: 8 }] };
    const info = { ...instanceTypeInfo("dl2q.24xlarge"), InferenceAcceleratorInfo: accelerators };
    const told = (labels: Record<string, string>) =>
      ["name", "manufacturer", "count"].map((label) => labels[`instance-accelerator-${label}`]);
    assert.deepEqual(told(labelsOf(info)), ["qualcomm-ai100", "qualcomm", "8"]);
    const neuron = { NeuronDevices: [{ Name: "Inferentia", Count: 4 }] };
    assert.deepEqual(told(labelsOf({ ...info, NeuronInfo: neuron })), ["inferentia", "aws", "4"]);
  });

  it("leave out what EC2 does not say", () => {
    const info = instanceTypeInfo("i3.metal", {
      NetworkInfo: { ...instanceTypeInfo("i3.metal").NetworkInfo, NetworkPerformance: "High" },
      EbsInfo: { EbsOptimizedSupport: "supported", EbsOptimizedInfo: { MaximumBandwidthInMbps: 1 } },
      InstanceStorageInfo: { TotalSizeInGB: 160, NvmeSupport: "unsupported" },
    });
    const { Hypervisor: _none, ...metal } = info;
    const labels = labelsOf(metal);
    assert.equal(labels["instance-hypervisor"], "");
    for (const label of ["network-bandwidth", "ebs-bandwidth", "local-nvme"]) {
      assert.equal(labels[`instance-${label}`], undefined);
    }
  });

  it("tell the bandwidth of the machine, whatever its cards have together", () => {
    const card = { BaselineBandwidthInGbps: 200 };
    const bandwidth = (NetworkPerformance: string, cards: readonly object[]) =>
      labelsOf({
        ...instanceTypeInfo("c6in.32xlarge"),
        NetworkInfo: { NetworkPerformance, NetworkCards: [...cards] },
      })["instance-network-bandwidth"];
    assert.equal(bandwidth("200 Gigabit", [card, card]), "200000");
    assert.equal(bandwidth("4x 100 Gigabit", [card, card]), "400000");
    assert.equal(bandwidth("Up to 12.5 Gigabit", [{ BaselineBandwidthInGbps: 0.78125 }]), "781");
  });
});
