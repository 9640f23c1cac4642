import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { EmbeddedCluster } from "../embedded/cluster.ts";
import { loadManifests, saveManifests } from "../embedded/manifests.ts";
import { serveCluster } from "../embedded/server/serve-cluster.ts";
import { systemClock } from "../embedded/time/system-clock.ts";
import { CliError } from "./cli-error.ts";
import { type ClusterOptions, clusterParts } from "./cluster-options.ts";
import { styleFor } from "./style.ts";

/** Runs a cluster in this process until it is interrupted. */
export async function runCluster(options: ClusterOptions): Promise<number> {
  // From the very beginning, so that nothing is left behind whenever it comes.
  const interrupted = interruption();
  const manifests = options.load === undefined ? undefined : readText(options.load);
  const cluster = new EmbeddedCluster({
    clock: systemClock,
    seed: options.seed,
    without: clusterParts.filter((part) => options.without.includes(part)),
    onError: (error) => process.stderr.write(`error in the cluster: ${String(error)}\n`),
  });
  if (manifests !== undefined) load(cluster, options.load ?? "", manifests);
  for (let i = 1; i <= options.nodes; i++) createNode(cluster, i);
  for (const fault of options.fault) cluster.faults.inject(fault);
  const served = await serveCluster(cluster, { port: options.port, isPlain: options.http === true });
  const folder = options.kubeconfig === undefined ? mkdtempSync(join(tmpdir(), "karpenter-cluster-")) : undefined;
  const kubeconfigPath =
    options.kubeconfig === undefined ? join(folder ?? "", "kubeconfig") : resolve(options.kubeconfig);
  writeFileSync(kubeconfigPath, served.kubeconfig, { mode: 0o600 });
  announce(served.url, kubeconfigPath);
  await interrupted;
  await served.close();
  cluster.stop();
  if (options.save !== undefined) writeFileSync(options.save, saveManifests(cluster.api));
  if (folder !== undefined) rmSync(folder, { recursive: true });
  return 0;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CliError(`Cannot read ${path}: ${(error as Error).message}`);
  }
}

function load(cluster: EmbeddedCluster, path: string, text: string): void {
  const { count, problems } = loadManifests(cluster, text);
  if (problems.length > 0) throw new CliError(`Cannot load ${path}:\n  ${problems.join("\n  ")}`);
  process.stderr.write(`Loaded ${count} ${count === 1 ? "object" : "objects"} from ${path}\n`);
}

const zones = ["zone-a", "zone-b", "zone-c"];

function createNode(cluster: EmbeddedCluster, number: number): void {
  const name = `node-${number}`;
  const definition = cluster.api.registry.find("", "v1", "nodes");
  if (definition === undefined || cluster.api.find({ definition, name }) !== undefined) return;
  const resources = { cpu: "4", memory: "16Gi", "ephemeral-storage": "100Gi", pods: "110" };
  cluster.api.create(definition, {
    metadata: {
      name,
      labels: {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "topology.kubernetes.io/zone": zones[number % zones.length],
      },
    },
    status: { capacity: resources, allocatable: resources },
  });
}

function announce(url: string, kubeconfigPath: string): void {
  const { bold, dim } = styleFor(process.stdout);
  process.stdout.write(
    [
      bold(`export KUBECONFIG=${kubeconfigPath}`),
      dim(`# A Kubernetes cluster runs in this process, at ${url}. Try: kubectl get nodes`),
      dim("# Ctrl-C stops it; nothing of it stays unless you gave --save."),
      "",
    ].join("\n"),
  );
}

function interruption(): Promise<void> {
  return new Promise((done) => {
    process.once("SIGINT", () => done());
    process.once("SIGTERM", () => done());
  });
}
