import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Scene, Story } from "../scene.ts";

const pool = "operate";

/** What those who run the controller see of it. */
export const operateStory: Story = {
  name: pool,
  about: "probes, metrics and logs are what dashboards and collectors expect, and bad settings are named all at once",
  async play(scene) {
    await scene.addPool(pool);
    await scene.addDeployment("web", 1, { pool });
    await scene.untilRunning("web", 1);
    const { healthUrl } = scene.controller;
    for (const path of ["/healthz", "/readyz", "/healthz/ping", "/readyz?verbose"]) {
      scene.same((await fetch(`${healthUrl}${path}`)).status, 200, `the answer to ${path}`);
    }
    checkLog(scene);
    await Promise.all([checkMetrics(scene), checkSettings(scene)]);
  },
};

/** Each is looked for with these labels, in any order and among others. */
const metrics: readonly (readonly [name: string, labels: Readonly<Record<string, string>>])[] = [
  ["karpenter_build_info", { version: ".+", commit: ".+" }],
  ["karpenter_cluster_state_synced", {}],
  ["karpenter_cluster_state_node_count", {}],
  ["karpenter_scheduler_scheduling_duration_seconds_count", { controller: "provisioner" }],
  ["karpenter_scheduler_unschedulable_pods_count", { controller: "provisioner" }],
  ["karpenter_nodeclaims_created_total", { nodepool: pool, reason: "provisioned", min_values_relaxed: "false" }],
  ["karpenter_nodes_created_total", { nodepool: pool, zone: "test-zone-." }],
  ["karpenter_nodepools_limit", { nodepool: pool, resource_type: "cpu" }],
  ["karpenter_nodepools_usage", { nodepool: pool, resource_type: "cpu" }],
  ["karpenter_nodes_allocatable", { nodepool: pool, node_name: "kwok-.+", resource_type: "cpu", zone: "test-zone-." }],
  ["karpenter_pods_state", { namespace: pool, phase: "Running", nodepool: pool, instance_type: "c-4x-amd64-linux" }],
  ["karpenter_pods_startup_duration_seconds_count", {}],
  ["karpenter_pods_bound_duration_seconds_count", {}],
  [
    "karpenter_cloudprovider_duration_seconds_count",
    { controller: "nodeclaim.lifecycle", method: "Create", provider: "kwok" },
  ],
  ["karpenter_pods_expected", {}],
  ["controller_runtime_reconcile_total", { controller: "nodeclaim.lifecycle", result: "success" }],
  ["workqueue_depth", { controller: "nodepool.validation", name: "nodepool.validation" }],
  ["workqueue_adds_total", { controller: "nodeclaim.lifecycle", name: "nodeclaim.lifecycle" }],
  ["client_go_request_total", { code: "201", method: "POST" }],
  [
    "client_go_request_duration_seconds_count",
    { verb: "CREATE", group: "karpenter.sh", version: "v1", kind: "nodeclaims" },
  ],
  ["leader_election_master_status", { name: "karpenter-leader-election" }],
  ["operator_nodeclaim_status_condition_count", { type: "Ready", status: "True", name: `${pool}-.+` }],
  ["operator_nodepool_status_condition_count", { type: "Ready", status: "True", name: pool }],
  ["operator_status_condition_transitions_total", { kind: "NodeClaim", type: "Registered", status: "True" }],
  ["process_resident_memory_bytes", {}],
];

async function checkMetrics(scene: Scene): Promise<void> {
  const unseen = new Map(metrics.map((metric) => [metric[0], metric]));
  try {
    // Gauges of pods are refreshed every half minute.
    await scene.until(
      "all metrics are there",
      async () => {
        const lines = (await (await fetch(scene.controller.metricsUrl)).text()).split("\n");
        for (const [name, labels] of unseen.values()) {
          if (lines.some((line) => isOf(line, name, labels))) unseen.delete(name);
        }
        return unseen.size === 0;
      },
      40,
    );
  } catch {
    for (const [name, labels] of unseen.values()) scene.check(false, `no metric ${name}${JSON.stringify(labels)}`);
  }
}

function isOf(line: string, name: string, labels: Readonly<Record<string, string>>): boolean {
  if (!line.startsWith(`${name}{`) && !line.startsWith(`${name} `)) return false;
  return Object.entries(labels).every(([key, value]) => new RegExp(`[{,]${key}="${value}"[,}]`).test(line));
}

function checkLog(scene: Scene): void {
  const lines = scene.logLines();
  for (const line of lines) {
    const isWhole =
      /^(DEBUG|INFO|WARN|ERROR)$/.test(String(line.level)) &&
      !Number.isNaN(Date.parse(String(line.time))) &&
      line.logger === "controller" &&
      typeof line.message === "string";
    scene.check(isWhole, `a line of the log lacks something: ${JSON.stringify(line)}`);
  }
  const messages = [
    "found provisionable pod(s)",
    "created nodeclaim",
    "launched nodeclaim",
    "registered nodeclaim",
    "initialized nodeclaim",
  ];
  for (const message of messages) {
    const line = lines.find((one) => one.message === message);
    scene.check(typeof line?.controller === "string", `the log has no "${message}" that names a controller`);
  }
}

async function checkSettings(scene: Scene): Promise<void> {
  const main = join(import.meta.dirname, "../../../../src/cli/main.ts");
  const flags = ["--metrics-port=many", "--batch-idle-duration=soon", "--no-such-flag=1"];
  const environment = { LOG_LEVEL: "loud", PREFERENCE_POLICY: "Maybe", FEATURE_GATES: "StaticCapacity=perhaps" };
  const child = spawn(process.execPath, [main, "controller", ...flags], {
    env: { ...process.env, ...environment, KUBECONFIG: scene.controlPlane.kubeconfigPath },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const timer = setTimeout(() => child.kill("SIGKILL"), 15_000);
  const [status] = await once(child, "close");
  clearTimeout(timer);
  scene.check(typeof status === "number" && status > 0, `bad settings end the controller with ${status}`);
  for (const name of ["metrics-port", "batch-idle-duration", "no-such-flag", ...Object.keys(environment)]) {
    scene.check(said.includes(name), `bad settings are answered without a word about ${name}: ${said}`);
  }
}
