// Makes src/adapters/aws/instance-types/recorded-types.csv of what EC2 tells:
//   aws ec2 describe-instance-types --output json > types.json
//   npx node scripts/record-instance-types.ts types.json
// A region does not sell every type: join the answers of several, and say in recorded-types.ts when they were given.
import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { InstanceTypeInfo, NetworkCardInfo } from "@aws-sdk/client-ec2";
import { readMachineType } from "../src/adapters/aws/instance-types/machine-type.ts";
import { columns, decodeType, features } from "../src/adapters/aws/instance-types/recorded-types.ts";
import { RequirementPool } from "../src/adapters/aws/instance-types/requirement-pool.ts";

const target = new URL("../src/adapters/aws/instance-types/recorded-types.csv", import.meta.url);
const pool = new RequirementPool();
const [file = ""] = process.argv.slice(2);
const told = JSON.parse(readFileSync(file, "utf8")) as { readonly InstanceTypes: readonly InstanceTypeInfo[] };
const lines = told.InstanceTypes.flatMap((info) => {
  const machine = readMachineType(info, pool, () => []);
  if (machine === undefined || !info.SupportedVirtualizationTypes?.includes("hvm")) return [];
  const line = encodeType(info, machine.arch);
  if (
    !isDeepStrictEqual(
      readMachineType(decodeType(line), pool, () => []),
      machine,
    )
  ) {
    throw new Error(`Cannot record ${machine.name}: the file has no room for something that is read of it`);
  }
  return [line];
});
writeFileSync(target, `${columns}\n${lines.sort().join("\n")}\n`);
console.log(`Recorded ${lines.length} instance types`);

function encodeType(info: InstanceTypeInfo, arch: "amd64" | "arm64"): string {
  const { ProcessorInfo: processor, EbsInfo: ebs, NetworkInfo: network, InstanceStorageInfo: storage } = info;
  const flags: readonly (readonly [string, boolean | undefined])[] = [
    [features.metal, info.BareMetal],
    [features.onDemand, info.SupportedUsageClasses?.includes("on-demand")],
    [features.spot, info.SupportedUsageClasses?.includes("spot")],
    [features.cluster, info.PlacementGroupInfo?.SupportedStrategies?.includes("cluster")],
    [features.ena, network?.EnaSupport !== "unsupported"],
    [features.encryption, network?.EncryptionInTransitSupported],
    [features.enclaves, info.NitroEnclavesSupport === "supported"],
    [features.nesting, processor?.SupportedFeatures?.some((name) => String(name) === "nested-virtualization")],
    [features.slowDisks, storage?.NvmeSupport === "unsupported"],
  ];
  return [
    info.InstanceType,
    info.VCpuInfo?.DefaultVCpus,
    info.MemoryInfo?.SizeInMiB,
    arch === "arm64" ? arch : "x86_64",
    processor?.Manufacturer,
    processor?.SustainedClockSpeedInGhz,
    info.Hypervisor,
    flags.map(([letter, isSet]) => (isSet ? letter : "")).join(""),
    ebs?.EbsOptimizedSupport === "default" ? ebs.EbsOptimizedInfo?.MaximumBandwidthInMbps : undefined,
    network?.NetworkPerformance?.replace(/^Up to /, "~").replace(/ Gigabit$/, "G"),
    encodeCards(network?.NetworkCards ?? []),
    network?.Ipv4AddressesPerInterface,
    network?.EfaInfo?.MaximumEfaInterfaces,
    storage?.TotalSizeInGB,
    encodeDevices(info),
  ]
    .map((cell) => cell ?? "")
    .join(",");
}

function encodeCards(cards: readonly NetworkCardInfo[]): string {
  const runs: { text: string; count: number }[] = [];
  for (const { MaximumNetworkInterfaces, BaselineBandwidthInGbps = "" } of cards) {
    const text = `${MaximumNetworkInterfaces}@${BaselineBandwidthInGbps}`;
    const last = runs.at(-1);
    if (last?.text === text) last.count++;
    else runs.push({ text, count: 1 });
  }
  return runs.map(({ text, count }) => (count === 1 ? text : `${count}*${text}`)).join(" ");
}

function encodeDevices({ GpuInfo, NeuronInfo, InferenceAcceleratorInfo }: InstanceTypeInfo): string {
  const [gpu] = GpuInfo?.Gpus ?? [];
  const [neuron] = NeuronInfo?.NeuronDevices ?? [];
  const [accelerator] = InferenceAcceleratorInfo?.Accelerators ?? [];
  if (gpu !== undefined) {
    return ["gpu", gpu.Manufacturer, gpu.Name, gpu.Count, gpu.MemoryInfo?.SizeInMiB].join(":");
  }
  if (neuron !== undefined) return ["neuron", neuron.Name, neuron.Count, neuron.CoreInfo?.Count].join(":");
  if (accelerator === undefined) return "";
  return ["accelerator", accelerator.Manufacturer, accelerator.Name, accelerator.Count].join(":");
}
