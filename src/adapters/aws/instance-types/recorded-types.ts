import { readFileSync } from "node:fs";
import type { InstanceTypeInfo, NetworkCardInfo } from "@aws-sdk/client-ec2";

/**
 * What EC2 tells of its machines, for whoever cannot ask it: facts of DescribeInstanceTypes, as moto 5.2.5 of October
 * 2026 holds them, and 5.2.1 those of dl1 and g4ad. Made by scripts/record-instance-types.ts.
 */
const file = new URL("recorded-types.csv", import.meta.url);

/** When it was recorded, for people. */
export const recordedOn = "October 2026";

/** Only what is made use of here. Types that cannot be nodes are left out. */
export function recordedTypes(): readonly InstanceTypeInfo[] {
  const [, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map(decodeType);
}

export const columns =
  "type,vcpus,memory MiB,architecture,processor,GHz,hypervisor,features,EBS Mbps,network,cards,addresses,EFAs,disks GB,devices";

/** A letter for each thing that a machine has or is. */
export const features = {
  metal: "b",
  onDemand: "d",
  spot: "s",
  cluster: "c",
  ena: "e",
  encryption: "t",
  enclaves: "n",
  nesting: "v",
  slowDisks: "h",
};

/** The other way round than `columns` say. */
export function decodeType(line: string): InstanceTypeInfo {
  const cells = line.split(",");
  const text = (column: number): string => cells[column] ?? "";
  const amount = (column: number): number => Number(text(column));
  const has = (feature: string): boolean => text(7).includes(feature);
  const usage = [...(has(features.onDemand) ? ["on-demand"] : []), ...(has(features.spot) ? ["spot"] : [])];
  const strategies = [...(has(features.cluster) ? ["cluster"] : []), "partition", "spread"];
  const info = {
    InstanceType: text(0),
    VCpuInfo: { DefaultVCpus: amount(1) },
    MemoryInfo: { SizeInMiB: amount(2) },
    ProcessorInfo: {
      SupportedArchitectures: [text(3)],
      Manufacturer: text(4),
      ...(text(5) === "" ? {} : { SustainedClockSpeedInGhz: amount(5) }),
      SupportedFeatures: has(features.nesting) ? ["nested-virtualization"] : [],
    },
    ...(text(6) === "" ? {} : { Hypervisor: text(6) }),
    BareMetal: has(features.metal),
    SupportedUsageClasses: usage,
    PlacementGroupInfo: { SupportedStrategies: strategies },
    EbsInfo:
      text(8) === "" ? {} : { EbsOptimizedSupport: "default", EbsOptimizedInfo: { MaximumBandwidthInMbps: amount(8) } },
    NetworkInfo: {
      NetworkPerformance: text(9).replace(/^~/, "Up to ").replace(/G$/, " Gigabit"),
      NetworkCards: text(10).split(" ").flatMap(decodeCards),
      Ipv4AddressesPerInterface: amount(11),
      ...(text(12) === "" ? {} : { EfaInfo: { MaximumEfaInterfaces: amount(12) } }),
      EnaSupport: has(features.ena) ? "supported" : "unsupported",
      EncryptionInTransitSupported: has(features.encryption),
    },
    NitroEnclavesSupport: has(features.enclaves) ? "supported" : "unsupported",
    ...(text(13) === ""
      ? {}
      : {
          InstanceStorageInfo: {
            TotalSizeInGB: amount(13),
            NvmeSupport: has(features.slowDisks) ? "unsupported" : "required",
          },
        }),
    ...decodeDevices(text(14)),
  };
  return info as InstanceTypeInfo;
}

/** As in `4@12.5`, interfaces and gigabits a second that are always there, or `32*2@100` for many alike. */
function decodeCards(text: string): NetworkCardInfo[] {
  const [, count = "1", interfaces, bandwidth] = /^(?:(\d+)\*)?(\d+)@([\d.]*)$/.exec(text) ?? [];
  const card = {
    MaximumNetworkInterfaces: Number(interfaces),
    ...(bandwidth === "" ? {} : { BaselineBandwidthInGbps: Number(bandwidth) }),
  };
  return Array.from({ length: Number(count) }, () => card);
}

/** As in `gpu:NVIDIA:T4:1:16384`, `neuron:Inferentia:16:4` or `accelerator:Qualcomm:Qualcomm AI100:8`. */
function decodeDevices(text: string): Partial<InstanceTypeInfo> {
  const [kind, first = "", second = "", third, fourth] = text.split(":");
  switch (kind) {
    case "gpu": {
      const memory = { SizeInMiB: Number(fourth) };
      return { GpuInfo: { Gpus: [{ Manufacturer: first, Name: second, Count: Number(third), MemoryInfo: memory }] } };
    }
    case "neuron": {
      const cores = { Count: Number(third) };
      return { NeuronInfo: { NeuronDevices: [{ Name: first, Count: Number(second), CoreInfo: cores }] } };
    }
    case "accelerator":
      return {
        InferenceAcceleratorInfo: { Accelerators: [{ Manufacturer: first, Name: second, Count: Number(third) }] },
      };
    default:
      return {};
  }
}
