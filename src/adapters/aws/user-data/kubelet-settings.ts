import { isIP } from "node:net";
import type { BootstrapInput, ResolvedKubelet } from "../aws-parts.ts";
import { UserDataProblem } from "./user-data-problem.ts";

/** What all families can tell a kubelet. Maps are empty where nothing is set. */
export interface KubeletSettings {
  readonly maxPods: number;
  readonly podsPerCore: number | undefined;
  readonly systemReserved: ReadonlyMap<string, string>;
  readonly kubeReserved: ReadonlyMap<string, string>;
  readonly evictionHard: ReadonlyMap<string, string>;
  readonly evictionSoft: ReadonlyMap<string, string>;
  readonly evictionSoftGracePeriod: ReadonlyMap<string, string>;
  readonly evictionMaxPodGracePeriod: number | undefined;
  readonly imageGCHighThresholdPercent: number | undefined;
  readonly imageGCLowThresholdPercent: number | undefined;
  readonly cpuCFSQuota: boolean | undefined;
}

export function kubeletSettingsOf({ config, maxPods, kubeReserved, systemReserved }: ResolvedKubelet): KubeletSettings {
  return {
    maxPods,
    podsPerCore: integerIn(config, "podsPerCore"),
    systemReserved,
    kubeReserved,
    evictionHard: textsIn(config, "evictionHard"),
    evictionSoft: textsIn(config, "evictionSoft"),
    evictionSoftGracePeriod: textsIn(config, "evictionSoftGracePeriod"),
    evictionMaxPodGracePeriod: integerIn(config, "evictionMaxPodGracePeriod"),
    imageGCHighThresholdPercent: integerIn(config, "imageGCHighThresholdPercent"),
    imageGCLowThresholdPercent: integerIn(config, "imageGCLowThresholdPercent"),
    cpuCFSQuota: booleanIn(config, "cpuCFSQuota"),
  };
}

/** The addresses that pods ask for names: those of the node class, or that of the cluster. */
export function dnsAddressesOf({ kubelet, facts }: Pick<BootstrapInput, "kubelet" | "facts">): readonly string[] {
  const own = facts.dnsAddress === undefined ? [] : [facts.dnsAddress];
  const addresses = kubelet.clusterDns.length > 0 ? kubelet.clusterDns : own;
  const wrong = addresses.find((address) => isIP(address) === 0);
  if (wrong === undefined) return addresses;
  throw new UserDataProblem(`spec.kubelet.clusterDNS has ${JSON.stringify(wrong)}, which is not an IP address`);
}

type Config = ResolvedKubelet["config"];

function integerIn(config: Config, key: string): number | undefined {
  const value = valueIn(config, key);
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new UserDataProblem(`spec.kubelet.${key} must be an integer`);
}

function booleanIn(config: Config, key: string): boolean | undefined {
  const value = valueIn(config, key);
  if (value === undefined || typeof value === "boolean") return value;
  throw new UserDataProblem(`spec.kubelet.${key} must be true or false`);
}

function textsIn(config: Config, key: string): ReadonlyMap<string, string> {
  const value = valueIn(config, key);
  if (value === undefined) return new Map();
  const entries = typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : undefined;
  if (entries?.every((entry): entry is [string, string] => typeof entry[1] === "string")) return new Map(entries);
  throw new UserDataProblem(`spec.kubelet.${key} must be a map of strings`);
}

function valueIn(config: Config, key: string): NonNullable<unknown> | undefined {
  return Object.hasOwn(config, key) ? (config[key] ?? undefined) : undefined;
}
