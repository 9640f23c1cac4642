import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "../../../scripts/lab/control-plane.ts";
import { EmbeddedCluster } from "../../../src/embedded/cluster.ts";
import { serveCluster } from "../../../src/embedded/server/serve-cluster.ts";
import { systemClock } from "../../../src/embedded/time/system-clock.ts";
import { type Suite, type SuiteContext, timed } from "../suite.ts";
import { knownDifferences } from "./known-differences.ts";
import { type Ran, runCommand, withoutChance } from "./kubectl.ts";
import { story } from "./story.ts";

/** Real kubectl does a day's work on a real control plane and on the embedded cluster, and hears the same from both. */
export const kubectlSuite: Suite = { name: "kubectl", run };

const node = (name: string): string => `
apiVersion: v1
kind: Node
metadata:
  name: ${name}
  annotations: {kwok.x-k8s.io/node: fake}
  labels: {kubernetes.io/hostname: ${name}, kubernetes.io/os: linux, kubernetes.io/arch: amd64}
status:
  allocatable: {cpu: "8", memory: 32Gi, pods: "110"}
  capacity: {cpu: "8", memory: 32Gi, pods: "110"}
`;

async function run({ progress, took }: SuiteContext): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "karpenter-kubectl-"));
  const embeddedKubeconfig = join(folder, "kubeconfig");
  const cluster = new EmbeddedCluster({ clock: systemClock, seed: 1 });
  const served = await serveCluster(cluster);
  writeFileSync(embeddedKubeconfig, served.kubeconfig, { mode: 0o600 });
  let real: ControlPlane | undefined;
  try {
    real = await startControlPlane({ hasControllerManager: true, hasScheduler: true, hasKwok: true, progress });
    for (const name of ["node-a", "node-b"]) {
      for (const kubeconfig of [real.kubeconfigPath, embeddedKubeconfig])
        await runCommand({ line: "create -f -", input: node(name) }, kubeconfig);
    }
    return [
      ...(await compare(real.kubeconfigPath, embeddedKubeconfig, { progress, took })),
      ...(await followLog(cluster, embeddedKubeconfig)),
    ];
  } finally {
    await real?.stop();
    await served.close();
    cluster.stop();
    rmSync(folder, { recursive: true });
  }
}

async function compare(
  real: string,
  embedded: string,
  { progress, took }: Pick<SuiteContext, "progress" | "took">,
): Promise<string[]> {
  const problems: string[] = [];
  const unused = new Set(knownDifferences.keys());
  for (const [i, command] of story.entries()) {
    const [expected, found] = await timed(took, `kubectl ${command.line}`, () =>
      Promise.all([runCommand(command, real), runCommand(command, embedded)]),
    );
    const isSame = isAlike(expected, found, command.isUnspoken === true);
    const isKnown = knownDifferences.has(command.line);
    if (isKnown && !isSame) unused.delete(command.line);
    if (isSame || isKnown) continue;
    problems.push(
      `kubectl ${command.line}\n--- real (${expected.status})\n${withoutChance(expected.output)}\n+++ embedded (${found.status})\n${withoutChance(found.output)}`,
    );
    progress(`${i + 1} of ${story.length}: kubectl ${command.line} differs`);
  }
  progress(`${story.length} commands compared`);
  return [...problems, ...[...unused].map((line) => `known-differences.ts lists "${line}", which does not differ`)];
}

function isAlike(expected: Ran, found: Ran, isUnspoken: boolean): boolean {
  return (
    expected.status === found.status && (isUnspoken || withoutChance(expected.output) === withoutChance(found.output))
  );
}

/** `kubectl logs -f deployment/karpenter` shows what the controller writes, before and while somebody follows. */
async function followLog(cluster: EmbeddedCluster, kubeconfig: string): Promise<string[]> {
  const log = cluster.logs.attach(({ metadata }) => metadata?.labels?.app === "karpenter");
  const create = "-n kube-system create deployment karpenter --image=registry.example.com/karpenter:1";
  await runCommand({ line: create }, kubeconfig);
  await runCommand(
    { line: "-n kube-system wait --for=condition=Available deployment/karpenter --timeout=180s" },
    kubeconfig,
  );
  log.write("first line");
  const following = runCommand(
    { line: "-n kube-system logs -f deployment/karpenter --pod-running-timeout=5s" },
    kubeconfig,
  );
  setTimeout(() => log.write("second line"), 1_000);
  setTimeout(() => void runCommand({ line: "-n kube-system delete deployment karpenter" }, kubeconfig), 2_000);
  const { output } = await following;
  return output === "first line\nsecond line\n"
    ? []
    : [`kubectl logs -f deployment/karpenter showed ${JSON.stringify(output)}`];
}
