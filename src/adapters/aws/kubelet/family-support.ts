import { quote } from "../../../core/api/field.ts";
import type { ImageFamily } from "../node-class/ec2-node-class.ts";

type Kubelet = Readonly<Record<string, unknown>>;

/** Settings that can be passed to a kubelet other than in a file of its own. */
const passable: ReadonlySet<string> = new Set([
  "clusterDNS",
  "maxPods",
  "podsPerCore",
  "systemReserved",
  "kubeReserved",
  "evictionHard",
  "evictionSoft",
  "evictionSoftGracePeriod",
  "evictionMaxPodGracePeriod",
  "imageGCHighThresholdPercent",
  "imageGCLowThresholdPercent",
  "cpuCFSQuota",
]);

/** Whoever has more wrong than this has something else wrong. */
const mostProblems = 20;

/** Settings that nodes of the family would not get, one message each. */
export function unsupportedKubeletFields(kubelet: Kubelet, family: ImageFamily): string[] {
  if (family === "Custom" || family === "AL2023") return [];
  const given = Object.keys(kubelet).filter((name) => kubelet[name] !== undefined && kubelet[name] !== null);
  const problems = given
    .filter((name) => !passable.has(name) || (name === "podsPerCore" && family === "Bottlerocket"))
    .map(
      (name) =>
        `${/^\w{1,63}$/.test(name) ? name : quote(name)} cannot be passed to nodes of ${family}: remove it, or set it in userData`,
    );
  const { clusterDNS } = kubelet;
  if (Array.isArray(clusterDNS) && clusterDNS.length > 1) {
    problems.push(`clusterDNS can be one address with ${family}: remove ${clusterDNS.length - 1} of them`);
  }
  return problems.slice(0, mostProblems);
}
