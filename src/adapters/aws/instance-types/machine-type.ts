import type { InstanceTypeInfo } from "@aws-sdk/client-ec2";
import type { Requirement } from "../../../core/model/requirements.ts";
import { noResources, type Resources } from "../../../core/model/resources.ts";
import type { MachineFacts } from "../aws-parts.ts";
import { machineLabelsOf } from "./machine-labels.ts";
import { copyText, type RequirementPool } from "./requirement-pool.ts";

/** All that we keep of what EC2 tells of an instance type: there are more than a thousand. */
export interface MachineType extends MachineFacts {
  /** Where it is sold, sorted. */
  readonly zones: readonly string[];
  /** In the order of `machineLabelKeys`. */
  readonly labels: readonly Requirement[];
  /** Of those that are bought as they come: on-demand, spot. */
  readonly capacityTypes: readonly string[];
  /** How many interfaces each network card takes. */
  readonly cards: readonly number[];
  /** What placement groups it can be in. */
  readonly strategies: readonly string[];
  readonly hasEna: boolean;
  readonly isNitro: boolean;
  readonly hasNestedVirtualization: boolean;
  /** Of its own disks, in decimal gigabytes; 0 when it has none. */
  readonly instanceStoreGigabytes: number;
  /** GPUs and other devices; only what there is. */
  readonly devices: Resources;
}

const architectures: ReadonlyMap<string, MachineFacts["arch"]> = new Map([
  ["x86_64", "amd64"],
  ["arm64", "arm64"],
]);

type SoldIn = (instanceType: string) => readonly string[];

/** Undefined for machines that cannot be nodes, such as those of Apple, and for those that EC2 tells too little of. */
export function readMachineType(
  info: InstanceTypeInfo,
  pool: RequirementPool,
  soldIn: SoldIn,
): MachineType | undefined {
  const { InstanceType: type = "", VCpuInfo, MemoryInfo, NetworkInfo, ProcessorInfo } = info;
  const arch = firstOf(ProcessorInfo?.SupportedArchitectures, architectures);
  const vcpus = VCpuInfo?.DefaultVCpus;
  const memoryMib = MemoryInfo?.SizeInMiB;
  const cards = (NetworkInfo?.NetworkCards ?? []).map(({ MaximumNetworkInterfaces = 0 }) => MaximumNetworkInterfaces);
  const interfaces = cards[NetworkInfo?.DefaultNetworkCardIndex ?? 0];
  if (type === "" || arch === undefined || vcpus === undefined || memoryMib === undefined) return undefined;
  if (NetworkInfo === undefined || interfaces === undefined) return undefined;
  const name = copyText(type);
  return {
    name,
    arch,
    vcpus,
    memoryMib,
    interfaces,
    addressesPerInterface: NetworkInfo.Ipv4AddressesPerInterface ?? 1,
    efaInterfaces: NetworkInfo.EfaInfo?.MaximumEfaInterfaces ?? 0,
    isMetal: info.BareMetal ?? false,
    zones: soldIn(name),
    labels: machineLabelsOf(info, arch, pool),
    capacityTypes: capacityTypesOf(info),
    cards: cards.length === 1 ? singleCard(interfaces) : cards,
    strategies: strategiesOf(info),
    hasEna: NetworkInfo.EnaSupport !== "unsupported",
    isNitro: info.Hypervisor === "nitro",
    hasNestedVirtualization: (ProcessorInfo?.SupportedFeatures ?? []).some(
      (feature) => String(feature) === "nested-virtualization",
    ),
    instanceStoreGigabytes: info.InstanceStorageInfo?.TotalSizeInGB ?? 0,
    devices: devicesOf(info),
  };
}

function firstOf<T>(keys: readonly string[] | undefined, values: ReadonlyMap<string, T>): T | undefined {
  for (const key of keys ?? []) {
    const value = values.get(key);
    if (value !== undefined) return value;
  }
  return undefined;
}

const singleCards = new Map<number, readonly number[]>();

/** Most machines have one card with one of a few numbers of interfaces. */
function singleCard(interfaces: number): readonly number[] {
  const known = singleCards.get(interfaces) ?? [interfaces];
  if (singleCards.size < 100) singleCards.set(interfaces, known);
  return known;
}

const combinations = (names: readonly string[]): readonly (readonly string[])[] => {
  let all: readonly (readonly string[])[] = [[]];
  for (const name of names) all = [...all, ...all.map((chosen) => [...chosen, name])];
  return all;
};
const capacityTypes = combinations(["on-demand", "spot"]);
const strategies = combinations(["cluster", "partition", "spread"]);

/** The one array that has just these. */
function chosenFrom(all: readonly (readonly string[])[], chosen: readonly string[]): readonly string[] {
  const known = all.at(-1)?.filter((name) => chosen.includes(name)) ?? [];
  return all.find((some) => some.length === known.length && some.every((name) => known.includes(name))) ?? known;
}

function capacityTypesOf({ SupportedUsageClasses = [] }: InstanceTypeInfo): readonly string[] {
  return chosenFrom(capacityTypes, SupportedUsageClasses);
}

function strategiesOf({ PlacementGroupInfo }: InstanceTypeInfo): readonly string[] {
  return chosenFrom(strategies, PlacementGroupInfo?.SupportedStrategies ?? []);
}

const gpuResources: ReadonlyMap<string, string> = new Map([
  ["NVIDIA", "nvidia.com/gpu"],
  ["AMD", "amd.com/gpu"],
  ["Habana", "habana.ai/gaudi"],
]);

function devicesOf({ GpuInfo, NeuronInfo }: InstanceTypeInfo): Resources {
  const devices = new Map<string, number>();
  const add = (resource: string | undefined, count: number) => {
    if (resource !== undefined && count > 0) devices.set(resource, (devices.get(resource) ?? 0) + count);
  };
  for (const { Manufacturer = "", Count = 0 } of GpuInfo?.Gpus ?? []) add(gpuResources.get(Manufacturer), Count);
  const neurons = NeuronInfo?.NeuronDevices ?? [];
  for (const { Count = 0 } of neurons) add("aws.amazon.com/neuron", Count);
  add("aws.amazon.com/neuroncore", (neurons[0]?.Count ?? 0) * (neurons[0]?.CoreInfo?.Count ?? 0));
  return devices.size === 0 ? noResources : devices;
}
