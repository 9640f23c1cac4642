import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureProgram, moduleFolder } from "../../../scripts/lab/binaries.ts";
import { createProcessGroup, findFreePorts, type ProcessGroup } from "../../../scripts/lab/process-group.ts";
import { type ClusterPart, EmbeddedCluster } from "../../../src/embedded/cluster.ts";
import { serveCluster } from "../../../src/embedded/server/serve-cluster.ts";
import { systemClock } from "../../../src/embedded/time/system-clock.ts";
import { type Command, runCommand } from "../kubectl/kubectl.ts";
import { type Suite, type SuiteContext, timed } from "../suite.ts";

/** Programs that nobody here wrote work on the embedded cluster: kwok as its kubelets, and the Go Karpenter. */
export const foreignSuite: Suite = {
  name: "foreign",
  run: async (context) => [
    ...(await timed(context.took, "kwok", () => tryKwok(context))),
    ...(await timed(context.took, "the Go Karpenter", () => tryKarpenter(context))),
  ],
};

const web = (replicas: number): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: main, image: "registry.example.com/web:1", resources: {requests: {cpu: "1"}}}]
`;

const kwokNode = `
apiVersion: v1
kind: Node
metadata: {name: kwok-1, annotations: {kwok.x-k8s.io/node: fake}, labels: {kubernetes.io/hostname: kwok-1}}
status:
  allocatable: {cpu: "32", memory: 256Gi, pods: "110"}
  capacity: {cpu: "32", memory: 256Gi, pods: "110"}
`;

const pool = `
apiVersion: karpenter.kwok.sh/v1alpha1
kind: KWOKNodeClass
metadata: {name: default}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption: {consolidateAfter: 0s, consolidationPolicy: WhenEmptyOrUnderutilized}
  template:
    spec:
      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}
      requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]
`;

interface Stage {
  readonly kubeconfig: string;
  readonly group: ProcessGroup;
}

async function tryKwok({ progress }: SuiteContext): Promise<string[]> {
  const program = await ensureProgram("kwok", progress);
  const manifests = join(await moduleFolder("kwok"), "kustomize");
  return await onStage(["kubelet"], async ({ kubeconfig, group }) => {
    const [port = 0] = await findFreePorts(1);
    const address = `127.0.0.1:${port}`;
    const arguments_ = [
      `--kubeconfig=${kubeconfig}`,
      "--manage-all-nodes=false",
      "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
      "--node-ip=127.0.0.1",
      `--node-port=${port}`,
      `--server-address=${address}`,
      "--node-lease-duration-seconds=40",
      "--enable-crds=Stage",
    ];
    const problems = await follow(kubeconfig, [
      { line: `apply -f ${join(manifests, "crd/bases/kwok.x-k8s.io_stages.yaml")}` },
      { line: "wait --for=condition=Established crd/stages.kwok.x-k8s.io --timeout=180s" },
      { line: `apply -k ${join(manifests, "stage/fast")}` },
    ]);
    group.start("kwok", program, arguments_);
    progress("kwok runs the nodes of the embedded cluster");
    return [
      ...problems,
      ...(await follow(kubeconfig, [
        { line: "apply -f -", input: kwokNode },
        { line: "wait --for=condition=Ready node/kwok-1 --timeout=180s" },
        { line: "apply -f -", input: web(3) },
        { line: "wait --for=condition=Available deployment/web --timeout=180s" },
        { line: "drain kwok-1 --timeout=180s" },
        { line: "delete deployment web" },
        { line: "wait --for=delete pod -l app=web --timeout=180s" },
      ])),
    ];
  });
}

async function tryKarpenter({ progress }: SuiteContext): Promise<string[]> {
  const program = await ensureProgram("karpenter-kwok", progress);
  const source = await moduleFolder("karpenter");
  const folders = [join(source, "pkg/apis/crds"), join(source, "kwok/apis/crds")];
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".yaml"))
      .map((name) => join(folder, name)),
  );
  return await onStage([], async ({ kubeconfig, group }) => {
    const problems = await follow(kubeconfig, [
      ...files.map((file) => ({ line: `apply -f ${file}` })),
      { line: "wait --for=condition=Established crd --all --timeout=180s" },
      { line: "apply -f -", input: pool },
    ]);
    const [metrics = 0, health = 0] = await findFreePorts(2);
    group.start("karpenter", "env", [
      `KUBECONFIG=${kubeconfig}`,
      "LEADER_ELECTION_NAMESPACE=kube-system",
      "LEADER_ELECTION_NAME=karpenter-leader-election",
      "SYSTEM_NAMESPACE=kube-system",
      "KARPENTER_SERVICE=karpenter",
      "DISABLE_WEBHOOK=true",
      `METRICS_PORT=${metrics}`,
      `HEALTH_PROBE_PORT=${health}`,
      program,
    ]);
    progress("the Go Karpenter provisions for the embedded cluster");
    return [
      ...problems,
      ...(await follow(kubeconfig, [
        { line: "apply -f -", input: web(5) },
        { line: "wait --for=condition=Available deployment/web --timeout=180s" },
        { line: "wait --for=condition=Initialized nodeclaim --all --timeout=180s" },
        {
          line: "get nodeclaims -o jsonpath='{.items[*].status.conditions[?(@.type==\"Ready\")].status}'",
          until: /^True/,
        },
        { line: "scale deployment web --replicas=0" },
        { line: "get nodeclaims,nodes", until: /No resources found/ },
      ])),
    ];
  });
}

/** What a command said that should have worked, or did not come to say. */
async function follow(kubeconfig: string, commands: readonly Command[]): Promise<string[]> {
  const problems: string[] = [];
  for (const command of commands) {
    const { status, output } = await runCommand(command, kubeconfig);
    const isGood = status === 0 && (command.until?.test(output) ?? true);
    if (!isGood) problems.push(`kubectl ${command.line}\nended with ${status} and said: ${output}`);
  }
  return problems;
}

async function onStage(without: readonly ClusterPart[], play: (stage: Stage) => Promise<string[]>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "karpenter-foreign-"));
  const cluster = new EmbeddedCluster({ clock: systemClock, seed: 1, without });
  const served = await serveCluster(cluster);
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, served.kubeconfig, { mode: 0o600 });
  const group = createProcessGroup(folder);
  try {
    return await play({ kubeconfig, group });
  } finally {
    await group.stop();
    await served.close();
    cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
