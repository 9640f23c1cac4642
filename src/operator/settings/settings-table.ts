import { awsSettingsTable } from "./aws-settings-table.ts";
import { featureGates } from "./feature-gates.ts";
import { schedulerConfig } from "./scheduler-config.ts";
import { boolean, choice, duration, durations, integer, list, percentage, type Setting, text } from "./setting.ts";

/** Every setting. The flags, variables and defaults of the Go version, and some of our own; help and docs come from here. */
export const settingsTable = {
  cloudProvider: choice({
    flag: "cloud-provider",
    variable: "CLOUD_PROVIDER",
    choices: ["kwok", "aws"],
    help: "Who sells machines. (The Go version is built anew for each.)",
  }),
  instanceTypes: choice({
    flag: "instance-types",
    variable: "INSTANCE_TYPES",
    choices: ["generic", "aws"],
    help: "With kwok, the catalogue of machines: the generic one of the Go version, or that of AWS.",
  }),
  instanceTypesFilePath: text({
    flag: "instance-types-file-path",
    variable: "INSTANCE_TYPES_FILE_PATH",
    placeholder: "file",
    help: "With kwok, a catalogue of one's own, which takes the place of the built-in ones.",
  }),
  kubeconfig: text({
    flag: "kubeconfig",
    variable: "KUBECONFIG",
    placeholder: "file",
    help: "The cluster to work for. When empty, the one that the pod runs in, or else that of `~/.kube/config`.",
  }),
  placementPolicy: choice({
    flag: "placement-policy",
    variable: "PLACEMENT_POLICY",
    choices: ["Nominate", "Bind", "Suggest"],
    help: "How planned pods get to their node: `Nominate` names it in `status.nominatedNodeName`, which kube-scheduler tries first; `Bind` binds them, which is exact and leaves kube-scheduler out; `Suggest` only says it in an event, as the Go version does.",
  }),
  preferencePolicy: choice({
    flag: "preference-policy",
    variable: "PREFERENCE_POLICY",
    choices: ["Respect", "Ignore"],
    help: "Whether the preferences of pods (preferred affinities, ScheduleAnyway) are met as far as possible, or ignored.",
  }),
  minValuesPolicy: choice({
    flag: "min-values-policy",
    variable: "MIN_VALUES_POLICY",
    choices: ["Strict", "BestEffort"],
    help: "Whether minValues of a NodePool gives way when it cannot be met.",
  }),
  batchMaxMilliseconds: duration({
    flag: "batch-max-duration",
    variable: "BATCH_MAX_DURATION",
    default: "10s",
    help: "The longest that pending pods are collected before they are planned together.",
  }),
  batchIdleMilliseconds: duration({
    flag: "batch-idle-duration",
    variable: "BATCH_IDLE_DURATION",
    default: "1s",
    help: "Pending pods are planned once no other has come for so long; after a dense burst half of it is enough.",
  }),
  defaultSpread: schedulerConfig,
  ignoreDraRequests: boolean({
    flag: "ignore-dra-requests",
    variable: "IGNORE_DRA_REQUESTS",
    default: "true",
    help: "Pods with resource claims get no node, and an event says so. `false`, which would plan for their devices, is without effect yet.",
  }),
  featureGates,
  nodeRepairMaxUnhealthyPercent: percentage({
    flag: "node-repair-max-unhealthy",
    variable: "NODE_REPAIR_MAX_UNHEALTHY",
    default: "20%",
    help: "With more unhealthy nodes than this share of a NodePool's nodes, rounded up, none of them is repaired: something else is probably the matter.",
  }),
  nodeRepairAfter: durations({
    flag: "node-repair-after",
    variable: "NODE_REPAIR_AFTER",
    placeholder: "ConditionType=duration,…",
    help: "How long a node may have a condition that the cloud provider repairs nodes for, in place of what the provider says; `Ready=30m`, say.",
  }),
  mostPodMovesPercentPerHour: percentage({
    flag: "most-pod-moves-per-hour",
    variable: "MOST_POD_MOVES_PER_HOUR",
    default: "100%",
    min: 1,
    max: 10_000,
    help: "How many pods may be moved within an hour because they cost less elsewhere, as a share of the pods that run; 20 in any case. Beyond that, such moves stop for a while.",
  }),
  metricsPort: integer({
    flag: "metrics-port",
    variable: "METRICS_PORT",
    default: "8080",
    placeholder: "port",
    min: 0,
    max: 65_535,
    help: "The port of /metrics.",
  }),
  healthProbePort: integer({
    flag: "health-probe-port",
    variable: "HEALTH_PROBE_PORT",
    default: "8081",
    placeholder: "port",
    min: 0,
    max: 65_535,
    help: "The port of /healthz and /readyz.",
  }),
  enableProfiling: boolean({
    flag: "enable-profiling",
    variable: "ENABLE_PROFILING",
    help: "Serve CPU profiles and heap snapshots below /debug/pprof on the metrics port, in the formats of Chrome's developer tools.",
  }),
  logLevel: choice({
    flag: "log-level",
    variable: "LOG_LEVEL",
    default: "info",
    choices: ["debug", "info", "error"],
    help: "How much is logged.",
  }),
  logOutputPaths: list({
    flag: "log-output-paths",
    variable: "LOG_OUTPUT_PATHS",
    default: "stdout",
    placeholder: "path,…",
    help: "Where the log goes: `stdout`, `stderr` or files.",
  }),
  logErrorOutputPaths: list({
    flag: "log-error-output-paths",
    variable: "LOG_ERROR_OUTPUT_PATHS",
    default: "stderr",
    placeholder: "path,…",
    help: "Where it is said that the log cannot be written.",
  }),
  disableLeaderElection: boolean({
    flag: "disable-leader-election",
    variable: "DISABLE_LEADER_ELECTION",
    help: "Act without being elected. Only for a single process.",
  }),
  leaderElectionName: text({
    flag: "leader-election-name",
    variable: "LEADER_ELECTION_NAME",
    default: "karpenter-leader-election",
    placeholder: "name",
    help: "The Lease that tells who leads.",
  }),
  leaderElectionNamespace: text({
    flag: "leader-election-namespace",
    variable: "LEADER_ELECTION_NAMESPACE",
    placeholder: "namespace",
    help: "The namespace of the Lease; that of the controller when empty.",
  }),
  systemNamespace: text({
    flag: "system-namespace",
    variable: "SYSTEM_NAMESPACE",
    placeholder: "namespace",
    help: "The namespace of the controller; that of its pod when empty.",
  }),
  disableClusterStateObservability: boolean({
    flag: "disable-cluster-state-observability",
    variable: "DISABLE_CLUSTER_STATE_OBSERVABILITY",
    help: "Leave out the metrics of single pods, nodes, pools and conditions, and the events about conditions; for very large clusters.",
  }),
  karpenterService: text({
    flag: "karpenter-service",
    variable: "KARPENTER_SERVICE",
    placeholder: "name",
    help: "Without effect: there is no webhook.",
  }),
  kubeClientQps: integer({
    flag: "kube-client-qps",
    variable: "KUBE_CLIENT_QPS",
    default: "200",
    placeholder: "number",
    min: 1,
    max: 1_000_000,
    help: "Requests a second to the API server in the long run; watches and the Lease do not count.",
  }),
  kubeClientBurst: integer({
    flag: "kube-client-burst",
    variable: "KUBE_CLIENT_BURST",
    default: "300",
    placeholder: "number",
    min: 1,
    max: 1_000_000,
    help: "Requests to the API server at once after a rest.",
  }),
  disableControllerWarmup: boolean({
    flag: "disable-controller-warmup",
    variable: "DISABLE_CONTROLLER_WARMUP",
    default: "true",
    help: "Without effect.",
  }),
  memoryLimit: integer({
    flag: "memory-limit",
    variable: "MEMORY_LIMIT",
    default: "-1",
    placeholder: "bytes",
    help: "Without effect: Node heeds the limit of its container by itself.",
  }),
  cpuRequests: integer({
    flag: "cpu-requests",
    variable: "CPU_REQUESTS",
    default: "1000",
    placeholder: "millicores",
    help: "Without effect: how much is done at once does not depend on the number of cores.",
  }),
  ...awsSettingsTable,
};

type Table = typeof settingsTable;

export type Settings = { readonly [Name in keyof Table]: Table[Name] extends Setting<infer Value> ? Value : never };
