import { parse, stringify, TomlError, type TomlTable, type TomlValue } from "smol-toml";
import type { BootstrapInput } from "../aws-parts.ts";
import { bottlerocketKinds, isOfKind } from "./bottlerocket-kinds.ts";
import { dnsAddressesOf, kubeletSettingsOf } from "./kubelet-settings.ts";
import { UserDataProblem } from "./user-data-problem.ts";

/** The settings of a Bottlerocket machine: the user's own, and over them what joins it to the cluster. */
export function makeBottlerocketSettings(input: BootstrapInput): { text: string; ignored: string[] } {
  const own = parseSettings(input.userData ?? "");
  const settings = tableIn(own, "settings", "settings");
  const ownKubernetes = tableIn(settings, "kubernetes", "settings.kubernetes");
  const ignored = Object.keys(own)
    .filter((key) => key !== "settings")
    .concat(unknownKeys(ownKubernetes).map((key) => `settings.kubernetes.${key}`));
  const merged: TomlTable = {
    ...settings,
    kubernetes: { ...knownSettings(ownKubernetes), ...kubernetesOf(input, ownKubernetes) },
  };
  if (input.instanceStorePolicy === "RAID0") {
    merged["bootstrap-commands"] = {
      ...tableIn(settings, "bootstrap-commands", "settings.bootstrap-commands"),
      "000-mount-instance-storage": mountCommand(input.imageVersion),
    };
  }
  // Integers are BigInts here and numbers are floats, so that each stays what the user wrote.
  return { text: stringify({ settings: merged }, { numbersAsFloat: true }), ignored };
}

function parseSettings(text: string): TomlTable {
  try {
    return parse(text, { integersAsBigInt: true, unsafeKeyBehaviour: "throw" });
  } catch (error) {
    // The whole message would quote the user data.
    const where = error instanceof TomlError ? ` at line ${error.line}, column ${error.column}` : "";
    throw new UserDataProblem(`the user data of a Bottlerocket node class must be TOML, and are not${where}`);
  }
}

function kubernetesOf(input: BootstrapInput, own: TomlTable): TomlTable {
  const { clusterName, facts, labels, taints } = input;
  const [dns] = dnsAddressesOf(input);
  const kubelet = kubeletSettingsOf(input.kubelet);
  const taintsByKey = new Map<string, string[]>();
  for (const { key, value, effect } of taints) {
    taintsByKey.set(key, [...(taintsByKey.get(key) ?? []), `${value}:${effect}`]);
  }
  const candidates: Record<string, TomlValue | undefined> = {
    "cluster-name": clusterName,
    "api-server": facts.endpoint,
    "cluster-certificate": facts.caBundle === "" ? undefined : facts.caBundle,
    "cluster-dns-ip": dns,
    "max-pods": BigInt(kubelet.maxPods),
    "node-labels": sorted({
      ...tableIn(own, "node-labels", "settings.kubernetes.node-labels"),
      ...Object.fromEntries(labels),
    }),
    "node-taints": Object.fromEntries(taintsByKey),
    "kube-reserved": textsUnlessEmpty(kubelet.kubeReserved),
    "system-reserved": textsUnlessEmpty(kubelet.systemReserved),
    "eviction-hard": textsUnlessEmpty(kubelet.evictionHard),
    "eviction-soft": textsUnlessEmpty(kubelet.evictionSoft),
    "eviction-soft-grace-period": textsUnlessEmpty(kubelet.evictionSoftGracePeriod),
    "eviction-max-pod-grace-period": integer(kubelet.evictionMaxPodGracePeriod),
    "image-gc-high-threshold-percent": kubelet.imageGCHighThresholdPercent?.toString(),
    "image-gc-low-threshold-percent": kubelet.imageGCLowThresholdPercent?.toString(),
    "cpu-cfs-quota-enforced": kubelet.cpuCFSQuota,
  };
  const written: TomlTable = {};
  for (const [key, value] of Object.entries(candidates)) if (value !== undefined) written[key] = value;
  return written;
}

function knownSettings(own: TomlTable): TomlTable {
  const known: TomlTable = {};
  for (const [key, value] of Object.entries(own)) {
    const kind = bottlerocketKinds.get(key);
    if (kind === undefined) continue;
    if (!isOfKind(value, kind))
      throw new UserDataProblem(`settings.kubernetes.${key} in the user data must be ${kind}`);
    known[key] = value;
  }
  return known;
}

function unknownKeys(own: TomlTable): string[] {
  return Object.keys(own).filter((key) => !bottlerocketKinds.has(key));
}

function tableIn(table: TomlTable, key: string, path: string): TomlTable {
  const value = Object.hasOwn(table, key) ? table[key] : undefined;
  if (value === undefined) return {};
  if (isOfKind(value, "a table")) return value as TomlTable;
  throw new UserDataProblem(`${path} in the user data must be a table`);
}

/** The same labels give the same text, and so the same launch template. */
function sorted(table: TomlTable): TomlTable {
  return Object.fromEntries(Object.entries(table).sort(([left], [right]) => (left < right ? -1 : 1)));
}

function textsUnlessEmpty(map: ReadonlyMap<string, string>): TomlTable | undefined {
  return map.size === 0 ? undefined : Object.fromEntries(map);
}

function integer(value: number | undefined): bigint | undefined {
  return value === undefined ? undefined : BigInt(value);
}

/** Old versions must be told which folders to keep on the disks. */
function mountCommand(imageVersion: string | undefined): TomlTable {
  const folders = ["--dirs", "/var/lib/containerd", "/var/lib/kubelet", "/var/log/pods"];
  return {
    commands: [
      ["apiclient", "ephemeral-storage", "init"],
      ["apiclient", "ephemeral-storage", "bind", ...(knowsItsFolders(imageVersion) ? [] : folders)],
    ],
    essential: true,
    mode: "always",
  };
}

function knowsItsFolders(imageVersion: string | undefined): boolean {
  if (imageVersion === "latest") return true;
  const [, major, minor] = /^v?(\d+)\.(\d+)\.\d/.exec(imageVersion ?? "") ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 46);
}
