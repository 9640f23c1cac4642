import type { InstanceTypeInfo } from "@aws-sdk/client-ec2";
import { archLabel, instanceTypeLabel } from "../../../core/model/labels.ts";
import type { Requirement } from "../../../core/model/requirements.ts";
import * as names from "../names.ts";
import { networkBandwidthOf } from "./network-bandwidth.ts";
import type { RequirementPool } from "./requirement-pool.ts";

type Value = string | number | boolean | undefined;

/** The labels of a machine that do not depend on how it is launched, each made of what EC2 tells; undefined is absence. */
const labels: readonly (readonly [string, (info: InstanceTypeInfo, arch: string) => Value | readonly string[]])[] = [
  [instanceTypeLabel, ({ InstanceType }) => InstanceType],
  [archLabel, (_info, arch) => arch],
  [names.instanceCategoryLabel, (info) => scheme.exec(nameOf(info))?.[1]],
  [names.instanceGenerationLabel, (info) => scheme.exec(nameOf(info))?.[2]],
  [names.instanceFamilyLabel, (info) => partsOf(info)?.[0]],
  [names.instanceSizeLabel, (info) => partsOf(info)?.[1]],
  [names.instanceCapabilityFlexLabel, (info) => nameOf(info).split(".")[0]?.includes("-flex") ?? false],
  [names.instanceCpuLabel, ({ VCpuInfo }) => VCpuInfo?.DefaultVCpus],
  [names.instanceCpuManufacturerLabel, ({ ProcessorInfo }) => kebab(ProcessorInfo?.Manufacturer)],
  [
    names.instanceClockSpeedLabel,
    ({ ProcessorInfo }) => Math.round((ProcessorInfo?.SustainedClockSpeedInGhz ?? 0) * 1000),
  ],
  [names.instanceMemoryLabel, ({ MemoryInfo }) => MemoryInfo?.SizeInMiB],
  [
    names.instanceEbsBandwidthLabel,
    ({ EbsInfo }) =>
      EbsInfo?.EbsOptimizedSupport === "default" ? EbsInfo.EbsOptimizedInfo?.MaximumBandwidthInMbps : undefined,
  ],
  [names.instanceNetworkBandwidthLabel, ({ NetworkInfo = {} }) => networkBandwidthOf(NetworkInfo)],
  [
    names.instanceLocalNvmeLabel,
    ({ InstanceStorageInfo: storage }) => (storage?.NvmeSupport === "unsupported" ? undefined : storage?.TotalSizeInGB),
  ],
  // Metal has none, which is a value of its own.
  [names.instanceHypervisorLabel, ({ Hypervisor }) => Hypervisor ?? ""],
  [names.instanceEncryptionInTransitLabel, ({ NetworkInfo }) => NetworkInfo?.EncryptionInTransitSupported ?? false],
  [names.nitroSandboxLabel, ({ NitroEnclavesSupport }) => NitroEnclavesSupport === "supported"],
  [names.instanceGpuNameLabel, (info) => kebab(gpuOf(info)?.Name)],
  [names.instanceGpuManufacturerLabel, (info) => kebab(gpuOf(info)?.Manufacturer)],
  [names.instanceGpuCountLabel, (info) => gpuOf(info)?.Count],
  [names.instanceGpuMemoryLabel, (info) => gpuOf(info)?.MemoryInfo?.SizeInMiB],
  [names.instanceAcceleratorNameLabel, (info) => kebab(acceleratorOf(info)?.Name)],
  [names.instanceAcceleratorManufacturerLabel, (info) => kebab(acceleratorOf(info)?.Manufacturer)],
  [names.instanceAcceleratorCountLabel, (info) => acceleratorOf(info)?.Count],
  [names.instanceTenancyLabel, () => ["default", "dedicated"]],
];

export const machineLabelKeys: readonly string[] = labels.map(([key]) => key);

/** In the order of `machineLabelKeys`. */
export function machineLabelsOf(info: InstanceTypeInfo, arch: string, pool: RequirementPool): readonly Requirement[] {
  return labels.map(([, read]) => {
    const value = read(info, arch);
    if (value === undefined) return pool.absent;
    return typeof value === "object" ? pool.oneOf(value) : pool.only(String(value));
  });
}

/** Letters, perhaps a size in terabytes, and a generation, before a dot: `m5.large`, `u-6tb1.metal`. */
const scheme = /^([a-z]+)(?:-[0-9]+tb)?([0-9]+).*\./;

function nameOf({ InstanceType: name }: InstanceTypeInfo): string {
  return name ?? "";
}

function partsOf(info: InstanceTypeInfo): readonly string[] | undefined {
  const parts = nameOf(info).split(".");
  return parts.length === 2 ? parts : undefined;
}

function kebab(name: string | undefined): string | undefined {
  return name?.replaceAll(" ", "-").toLowerCase();
}

/** Machines with several kinds of GPU have no labels for them. */
function gpuOf({ GpuInfo }: InstanceTypeInfo) {
  return singleOf(GpuInfo?.Gpus);
}

function acceleratorOf({ NeuronInfo, InferenceAcceleratorInfo }: InstanceTypeInfo) {
  if (NeuronInfo === undefined) return singleOf(InferenceAcceleratorInfo?.Accelerators);
  const device = singleOf(NeuronInfo.NeuronDevices);
  return device && { ...device, Manufacturer: "aws" };
}

function singleOf<T>(list: readonly T[] | undefined): T | undefined {
  return list?.length === 1 ? list[0] : undefined;
}
