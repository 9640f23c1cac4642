import type { InstanceTypeInfo } from "@aws-sdk/client-ec2";

export interface InfoParts extends Partial<Omit<InstanceTypeInfo, "InstanceType">> {
  readonly vcpus?: number;
  readonly mebibytes?: number;
  /** Of the first network card, and addresses of each. */
  readonly interfaces?: readonly [count: number, addresses: number];
  readonly arch?: "x86_64" | "arm64";
}

/** What EC2 tells of an instance type: of m5.large, unless something else is said. */
export function instanceTypeInfo(name: string, parts: InfoParts = {}): InstanceTypeInfo {
  const { vcpus = 2, mebibytes = 8192, interfaces = [3, 10], arch = "x86_64", ...rest } = parts;
  const [MaximumNetworkInterfaces, Ipv4AddressesPerInterface] = interfaces;
  return {
    InstanceType: name as "m5.large",
    BareMetal: false,
    Hypervisor: "nitro",
    SupportedUsageClasses: ["on-demand", "spot"],
    VCpuInfo: { DefaultVCpus: vcpus },
    MemoryInfo: { SizeInMiB: mebibytes },
    ProcessorInfo: {
      Manufacturer: arch === "arm64" ? "AWS" : "Intel",
      SupportedArchitectures: [arch],
      SustainedClockSpeedInGhz: 3.1,
    },
    EbsInfo: { EbsOptimizedSupport: "default", EbsOptimizedInfo: { MaximumBandwidthInMbps: 4750 } },
    NetworkInfo: {
      DefaultNetworkCardIndex: 0,
      NetworkPerformance: "Up to 10 Gigabit",
      NetworkCards: [{ NetworkCardIndex: 0, MaximumNetworkInterfaces, BaselineBandwidthInGbps: 0.75 }],
      Ipv4AddressesPerInterface,
      EnaSupport: "required",
      EncryptionInTransitSupported: false,
    },
    NitroEnclavesSupport: "unsupported",
    PlacementGroupInfo: { SupportedStrategies: ["cluster", "partition", "spread"] },
    ...rest,
  };
}
