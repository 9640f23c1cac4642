import type { TomlValue } from "smol-toml";

export type TomlKind =
  | "a string"
  | "an integer"
  | "true or false"
  | "a list of strings"
  | "a table of strings"
  | "a table";

/** The settings below `settings.kubernetes` that Bottlerocket knows. A machine that is told of others does not start. */
export const bottlerocketKinds: ReadonlyMap<string, TomlKind> = new Map<string, TomlKind>([
  ...of("a string", [
    "api-server",
    "cloud-provider",
    "cluster-certificate",
    "cluster-name",
    "cluster-dns-ip",
    "cluster-domain",
    "container-log-max-size",
    "container-log-monitor-interval",
    "cpu-manager-policy",
    "cpu-manager-reconcile-period",
    "hostname-override-source",
    "image-gc-high-threshold-percent",
    "image-gc-low-threshold-percent",
    "memory-manager-policy",
    "shutdown-grace-period",
    "shutdown-grace-period-for-critical-pods",
    "topology-manager-policy",
    "topology-manager-scope",
  ]),
  ...of("an integer", [
    "container-log-max-files",
    "container-log-max-workers",
    "event-burst",
    "event-qps",
    "eviction-max-pod-grace-period",
    "ids-per-pod",
    "kube-api-burst",
    "kube-api-qps",
    "log-level",
    "max-pods",
    "pod-pids-limit",
    "registry-burst",
    "registry-qps",
  ]),
  ...of("true or false", [
    "cpu-cfs-quota-enforced",
    "device-ownership-from-security-context",
    "seccomp-default",
    "server-tls-bootstrap",
    "single-process-oom-kill",
  ]),
  ...of("a list of strings", ["allowed-unsafe-sysctls", "cpu-manager-policy-options"]),
  ...of("a table of strings", [
    "eviction-hard",
    "eviction-soft",
    "eviction-soft-grace-period",
    "kube-reserved",
    "node-labels",
    "system-reserved",
  ]),
  ...of("a table", [
    "credential-providers",
    "memory-manager-reserved-memory",
    "node-taints",
    "static-pods",
    "topology-manager-policy-options",
  ]),
]);

export function isOfKind(value: TomlValue, kind: TomlKind): boolean {
  switch (kind) {
    case "a string":
      return typeof value === "string";
    case "an integer":
      return typeof value === "bigint";
    case "true or false":
      return typeof value === "boolean";
    case "a list of strings":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "a table of strings":
      return isTable(value) && Object.values(value).every((item) => typeof item === "string");
    case "a table":
      return isTable(value);
  }
}

function isTable(value: TomlValue): boolean {
  return typeof value === "object" && !Array.isArray(value) && !(value instanceof Date);
}

function of(kind: TomlKind, keys: readonly string[]): [string, TomlKind][] {
  return keys.map((key) => [key, kind]);
}
