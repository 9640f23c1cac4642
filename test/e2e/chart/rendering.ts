import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readSettings } from "../../../src/operator/settings/read-settings.ts";
import { chartFolder, permissionsOf, type Rule, readRules } from "../../chart/chart-files.ts";
import type { Findings } from "./findings.ts";
import { at, type Helm, pick, type Rendered } from "./helm.ts";
import { checkPools } from "./pools.ts";

export const valuesFolder = join(import.meta.dirname, "values");
const pod = "spec.template.spec";

export async function checkRendering(helm: Helm, findings: Findings): Promise<void> {
  checkDefaults(await helm.template(chartFolder, ["--set", "settings.clusterName=lab"]), findings);
  checkKwok(await helm.template(chartFolder, ["--set", "settings.cloudProvider=kwok"]), findings);
  const goValues = ["--values", join(valuesFolder, "go-chart.yaml"), "--api-versions", "monitoring.coreos.com/v1"];
  checkGoValues(await helm.template(chartFolder, goValues), findings);
  checkPools(await helm.template(chartFolder, ["--values", join(valuesFolder, "pools.yaml")]), findings);
}

interface Variable {
  readonly name: string;
  readonly value?: string;
}

/** The variables of the controller that have a value. */
export function environmentOf(deployment: object): Record<string, string> {
  const variables = at(deployment, `${pod}.containers.0.env`) as readonly Variable[];
  return Object.fromEntries(variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
}

function checkEnvironment(objects: readonly Rendered[], findings: Findings): void {
  const environment = environmentOf(pick(objects, "Deployment"));
  findings.same(readSettings([], environment).problems, undefined, "what the controller finds wrong with its settings");
}

function rulesOf(objects: readonly Rendered[], kind: string, name: string): readonly Rule[] {
  return at(pick(objects, kind, name), "rules") as readonly Rule[];
}

function checkRules(objects: readonly Rendered[], provider: "aws" | "kwok", findings: Findings): void {
  for (const [name, file] of [
    ["karpenter-core", "core"],
    ["karpenter", provider],
  ] as const) {
    const rules = rulesOf(objects, "ClusterRole", name);
    findings.same(permissionsOf(rules), permissionsOf(readRules(file)), `the rules of ${name} with ${provider}`);
  }
  findings.same(rulesOf(objects, "Role", "karpenter"), readRules("lease"), "the rules for the Lease");
}

/** Whoever administers a cluster can read and write all that users write. */
function checkAdmin(objects: readonly Rendered[], findings: Findings): void {
  const allowed = permissionsOf(rulesOf(objects, "ClusterRole", "karpenter-admin"));
  for (const file of readdirSync(join(chartFolder, "crds")).filter((name) =>
    /karpenter\.(?:sh|k8s\.aws)_/.test(name),
  )) {
    const [group = "", kind = ""] = file.replace(".yaml", "").split("_");
    for (const verb of ["list", "create", "delete"])
      findings.check(allowed.includes(`${verb} ${group} ${kind}`), `admins may not ${verb} ${kind} of ${group}`);
  }
}

function checkDefaults(objects: readonly Rendered[], findings: Findings): void {
  checkEnvironment(objects, findings);
  checkRules(objects, "aws", findings);
  checkAdmin(objects, findings);
  findings.same(rulesOf(objects, "Role", "karpenter-dns"), readRules("dns"), "what it may read in kube-system");
  const deployment = pick(objects, "Deployment");
  const matchLabels = { "app.kubernetes.io/instance": "karpenter", "app.kubernetes.io/name": "karpenter" };
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const elsewhere = [{ matchExpressions: [{ key: "karpenter.sh/nodepool", operator: "DoesNotExist" }] }];
  const expected: Readonly<Record<string, unknown>> = {
    "spec.replicas": 2,
    [`${pod}.serviceAccountName`]: "karpenter",
    [`${pod}.priorityClassName`]: "system-cluster-critical",
    [`${pod}.securityContext`]: { fsGroup: 65532, seccompProfile: { type: "RuntimeDefault" } },
    [`${pod}.containers.0.securityContext`]: {
      privileged: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      capabilities: { drop: ["ALL"] },
    },
    [`${pod}.affinity.nodeAffinity`]: { [required]: { nodeSelectorTerms: elsewhere } },
    [`${pod}.affinity.podAntiAffinity`]: {
      [required]: [{ labelSelector: { matchLabels }, topologyKey: "kubernetes.io/hostname" }],
    },
    [`${pod}.topologySpreadConstraints`]: [
      {
        labelSelector: { matchLabels },
        maxSkew: 1,
        topologyKey: "topology.kubernetes.io/zone",
        whenUnsatisfiable: "DoNotSchedule",
      },
    ],
    [`${pod}.tolerations`]: [{ key: "CriticalAddonsOnly", operator: "Exists" }],
    [`${pod}.containers.0.command.0`]: "node",
    [`${pod}.containers.0.args`]: ["controller"],
    [`${pod}.containers.0.livenessProbe.httpGet`]: { path: "/healthz", port: "http" },
    [`${pod}.containers.0.readinessProbe.httpGet`]: { path: "/readyz", port: "http" },
  };
  for (const [path, value] of Object.entries(expected)) findings.same(at(deployment, path), value, path);
  const unasked = objects.filter(({ kind }) => ["ServiceMonitor", "NodePool", "EC2NodeClass"].includes(kind));
  findings.same(unasked, [], "what nobody asked for");
}

function checkKwok(objects: readonly Rendered[], findings: Findings): void {
  checkEnvironment(objects, findings);
  checkRules(objects, "kwok", findings);
  const names = objects.filter(({ kind }) => kind === "Role").map(({ metadata }) => metadata.name);
  findings.same(names, ["karpenter"], "roles with kwok");
}

/** Whatever values of the Go chart say is heeded. */
function checkGoValues(objects: readonly Rendered[], findings: Findings): void {
  checkEnvironment(objects, findings);
  const deployment = pick(objects, "Deployment", "nodes");
  const variables = (at(deployment, `${pod}.containers.0.env`) as readonly Variable[]).map(({ name }) => name);
  findings.same(variables.length, new Set(variables).size, "the number of variables without repetition");
  const environment = environmentOf(deployment);
  for (const [name, value] of Object.entries(goVariables)) findings.same(environment[name], value, name);
  for (const [path, value] of Object.entries(goDeployment)) findings.same(at(deployment, path), value, path);
  const monitor = pick(objects, "ServiceMonitor");
  findings.same(at(monitor, "spec.sampleLimit"), 1_000_000, "the monitor's limit");
  findings.same(at(monitor, "spec.endpoints.0.interval"), "30s", "the monitor's interval");
  findings.same(at(monitor, "metadata.labels.release"), "prometheus", "the monitor's label");
  const account = pick(objects, "ServiceAccount", "nodes");
  findings.same(
    at(account, "metadata.annotations"),
    {
      "eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/KarpenterController",
      "example.com/contact": "platform",
    },
    "the service account's annotations",
  );
  const [lease] = rulesOf(objects, "Role", "nodes");
  findings.same(lease?.resourceNames, ["nodes-leader"], "the Lease that it may write");
  const additional = { apiGroups: ["example.com"], resources: ["things"], verbs: ["get"] };
  findings.same(rulesOf(objects, "ClusterRole", "nodes-core").at(-1), additional, "additional rules");
}

const goVariables = {
  CLUSTER_NAME: "karpenter",
  BATCH_MAX_DURATION: "30s",
  BATCH_IDLE_DURATION: "2s",
  RESERVED_ENIS: "1",
  VM_MEMORY_OVERHEAD_PERCENT: "0.05",
  ISOLATED_VPC: "true",
  DISABLE_DRY_RUN: "true",
  LOG_LEVEL: "debug",
  LOG_OUTPUT_PATHS: "stdout,/tmp/log",
  METRICS_PORT: "8000",
  FEATURE_GATES:
    "CapacityBuffer=false,NodeOverlay=false,NodeRepair=false,ReservedCapacity=false,SpotToSpotConsolidation=true,StaticCapacity=true",
  AWS_REGION: "eu-west-1",
};

const goDeployment: Readonly<Record<string, unknown>> = {
  "metadata.labels.team": "platform",
  "spec.replicas": 3,
  "spec.revisionHistoryLimit": 2,
  "spec.strategy": { rollingUpdate: { maxUnavailable: 0 } },
  "spec.template.metadata.labels.app": "karpenter",
  "spec.template.metadata.annotations": { "example.com/log": "json" },
  [`${pod}.hostNetwork`]: true,
  [`${pod}.dnsPolicy`]: "ClusterFirstWithHostNet",
  [`${pod}.dnsConfig`]: { options: [{ name: "ndots", value: "1" }] },
  [`${pod}.schedulerName`]: "other",
  [`${pod}.priorityClassName`]: "system-node-critical",
  [`${pod}.terminationGracePeriodSeconds`]: 60,
  [`${pod}.volumes`]: [{ name: "token", emptyDir: {} }],
  [`${pod}.tolerations`]: undefined,
  [`${pod}.initContainers.0.name`]: "wait",
  [`${pod}.imagePullSecrets`]: [{ name: "registry" }],
  [`${pod}.topologySpreadConstraints.0.labelSelector`]: { matchLabels: { own: "yes" } },
  [`${pod}.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution.0.podAffinityTerm`]: {
    labelSelector: {
      matchLabels: { "app.kubernetes.io/instance": "karpenter", "app.kubernetes.io/name": "karpenter" },
    },
    topologyKey: "kubernetes.io/hostname",
  },
  [`${pod}.containers.0.name`]: "karpenter",
  [`${pod}.containers.0.image`]: `example.com/karpenter:v9@sha256:${"a".repeat(64)}`,
  [`${pod}.containers.0.securityContext.seccompProfile.type`]: "Localhost",
  [`${pod}.containers.0.volumeMounts`]: [{ name: "token", mountPath: "/token" }],
  [`${pod}.containers.1.volumeMounts`]: [
    { name: "token", mountPath: "/token" },
    { name: "token", mountPath: "/more" },
  ],
};

/** The files of values that the chart's own page shows. */
export function documentedValues(): readonly string[] {
  const page = readFileSync(join(chartFolder, "README.md"), "utf8");
  return [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
}
