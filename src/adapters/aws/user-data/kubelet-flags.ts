import type { Labels } from "../../../core/model/labels.ts";
import type { Taint } from "../../../core/model/taints.ts";
import type { BootstrapInput } from "../aws-parts.ts";
import { kubeletSettingsOf } from "./kubelet-settings.ts";
import { UserDataProblem } from "./user-data-problem.ts";

/** What a kubelet is started with on families that take flags. */
export function kubeletFlags({ labels, taints, kubelet }: BootstrapInput): string[] {
  const settings = kubeletSettingsOf(kubelet);
  return [
    ...nodeLabelFlags(labels),
    `--register-with-taints="${taints.map(writeTaint).join(",")}"`,
    `--max-pods=${settings.maxPods}`,
    ...valueFlag("pods-per-core", settings.podsPerCore),
    ...mapFlag("system-reserved", settings.systemReserved, "="),
    ...mapFlag("kube-reserved", settings.kubeReserved, "="),
    ...mapFlag("eviction-hard", settings.evictionHard, "<"),
    ...mapFlag("eviction-soft", settings.evictionSoft, "<"),
    ...mapFlag("eviction-soft-grace-period", settings.evictionSoftGracePeriod, "="),
    ...valueFlag("eviction-max-pod-grace-period", settings.evictionMaxPodGracePeriod),
    ...valueFlag("image-gc-high-threshold", settings.imageGCHighThresholdPercent),
    ...valueFlag("image-gc-low-threshold", settings.imageGCLowThresholdPercent),
    ...valueFlag("cpu-cfs-quota", settings.cpuCFSQuota),
  ];
}

export function nodeLabelFlags(labels: Labels): string[] {
  return mapFlag("node-labels", labels, "=");
}

function valueFlag(name: string, value: number | boolean | undefined): string[] {
  return value === undefined ? [] : [`--${name}=${value}`];
}

function mapFlag(name: string, map: ReadonlyMap<string, string>, separator: string): string[] {
  if (map.size === 0) return [];
  const sorted = [...map].sort(([left], [right]) => (left < right ? -1 : 1));
  const pairs = sorted.map(([key, value]) => `${checkPiece(name, key)}${separator}${checkPiece(name, value)}`);
  return [`--${name}="${pairs.join(",")}"`];
}

function writeTaint({ key, value, effect }: Taint): string {
  const [safeKey, safeValue, safeEffect] = [key, value, effect].map((piece) =>
    checkPiece("register-with-taints", piece),
  );
  return safeValue === "" ? `${safeKey}:${safeEffect}` : `${safeKey}=${safeValue}:${safeEffect}`;
}

/**
 * Flags pass through a shell, a systemd unit and systemd's own splitting into words before the kubelet sees them, and
 * no quoting holds in all three. Nothing that Kubernetes accepts in these places needs any.
 */
function checkPiece(flag: string, piece: string): string {
  if (/^[A-Za-z0-9._/%+-]*$/.test(piece)) return piece;
  throw new UserDataProblem(
    `${JSON.stringify(piece)} cannot be given to a kubelet as part of --${flag}: only letters, digits and ._/%+- can`,
  );
}
