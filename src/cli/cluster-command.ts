import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { EmbeddedCluster } from "../embedded/cluster.ts";
import { loadManifests, saveManifests } from "../embedded/manifests.ts";
import { type ServedCluster, serveCluster } from "../embedded/server/serve-cluster.ts";
import { systemClock } from "../embedded/time/system-clock.ts";
import { CliError } from "./cli-error.ts";
import { type ClusterOptions, clusterParts } from "./cluster-options.ts";
import { interruption } from "./interruption.ts";
import { styleFor } from "./style.ts";

/** Runs a cluster in this process until it is interrupted. */
export async function runCluster(options: ClusterOptions): Promise<number> {
  // From the very beginning, so that nothing is left behind whenever it comes.
  const interrupted = interruption();
  const manifests = options.load === undefined ? undefined : readText(options.load);
  // Better now than when there is something to lose.
  if (options.save !== undefined) writePrivate(options.save, "");
  const cluster = new EmbeddedCluster({
    clock: systemClock,
    seed: options.seed,
    without: clusterParts.filter((part) => options.without?.includes(part)),
    onError: (error) => process.stderr.write(`error in the cluster: ${String(error)}\n`),
  });
  if (manifests !== undefined) load(cluster, options.load ?? "", manifests);
  for (let i = 1; i <= options.nodes; i++) createNode(cluster, i);
  for (const fault of options.fault ?? []) {
    if ("share" in fault) cluster.afflict(fault);
    else cluster.faults.inject(fault);
  }
  const served = await serve(cluster, options);
  const folder = options.kubeconfig === undefined ? mkdtempSync(join(tmpdir(), "karpenter-cluster-")) : undefined;
  const kubeconfigPath = resolve(options.kubeconfig ?? join(folder ?? "", "kubeconfig"));
  writePrivate(kubeconfigPath, served.kubeconfig);
  announce(served.url, kubeconfigPath);
  await interrupted;
  await served.close();
  cluster.stop();
  if (options.save !== undefined) writePrivate(options.save, saveManifests(cluster.api));
  if (folder !== undefined) rmSync(folder, { recursive: true });
  return 0;
}

async function serve(cluster: EmbeddedCluster, { port, http }: ClusterOptions): Promise<ServedCluster> {
  try {
    return await serveCluster(cluster, { port, isPlain: http === true });
  } catch (error) {
    throw new CliError((error as Error).message);
  }
}

/** Tokens and secrets are for the owner's eyes, also where a file was there before. */
function writePrivate(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: 0o600 });
    chmodSync(path, 0o600);
  } catch (error) {
    throw new CliError(`Cannot write ${path}: ${(error as Error).message}`);
  }
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
  const definition = cluster.api.registry.builtIn("", "nodes");
  if (cluster.api.find({ definition, name }) !== undefined) return;
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
