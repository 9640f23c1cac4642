import { Worker } from "node:worker_threads";
import { parse } from "yaml";
import { startControlPlane } from "../../scripts/lab/control-plane.ts";
import { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import { serveCluster } from "../../src/embedded/server/serve-cluster.ts";
import { systemClock } from "../../src/embedded/time/system-clock.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import type { Endpoint } from "./https-transport.ts";
import { nodeNamed, podNamed } from "./objects.ts";
import { measureRates, type Rates } from "./rates.ts";

const newYear = Date.parse("2026-01-01T00:00:00Z");
/** What such a cluster may take. */
const mostResidentMb = 600;
const alone = ["scheduler", "workloads", "kubelet"] as const;

export const measures = {
  "in-process": measureInProcess,
  https: measureHttps,
  "real-https": measureReal,
  hold: measureHold,
  day: measureDay,
} as const;

async function measureInProcess(): Promise<Rates> {
  const cluster = new EmbeddedCluster({ clock: systemClock, seed: 1, without: alone });
  return await measureRates(cluster.transport, { count: 20_000, parallel: 1 });
}

async function measureHttps(): Promise<Rates> {
  const cluster = new EmbeddedCluster({ clock: systemClock, seed: 1, without: alone });
  const served = await serveCluster(cluster);
  const { clusters, users } = parse(served.kubeconfig) as Kubeconfig;
  const ca = Buffer.from(clusters[0].cluster["certificate-authority-data"], "base64").toString();
  const rates = await measureFromOutside({ url: served.url, ca, token: users[0].user.token });
  await served.close();
  return rates;
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly "certificate-authority-data": string } }];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/** The same client with a real kube-apiserver and etcd, for comparison. */
async function measureReal(): Promise<Rates> {
  const plane = await startControlPlane({ apiserverFlags: ["--disable-admission-plugins=ServiceAccount"] });
  const rates = await measureFromOutside({ url: plane.server, ...plane.credentials });
  await plane.stop();
  return rates;
}

/** In a thread of its own, so that client and server do not take turns. */
function measureFromOutside(endpoint: Endpoint): Promise<Rates> {
  return new Promise((resolve, reject) => {
    const workerData = { endpoint, count: 5_000 };
    const client = new Worker(new URL("./https-client.ts", import.meta.url), { workerData });
    client.on("message", resolve);
    client.on("error", reject);
  });
}

/** A whole cluster, with everything in it running, and how much memory that takes. */
async function measureHold() {
  const [nodes, pods] = [5_000, 50_000];
  const clock = new VirtualClock(newYear);
  const cluster = new EmbeddedCluster({ clock, seed: 1 });
  const start = performance.now();
  for (let i = 0; i < nodes; i++) await create(cluster, "/api/v1/nodes", nodeNamed(`node-${i}`));
  await clock.advance(30_000);
  for (let i = 0; i < pods; i++) {
    await create(cluster, "/api/v1/namespaces/default/pods", podNamed(`pod-${i}`, "default", `node-${i % nodes}`));
  }
  await clock.advance(30_000);
  const seconds = (performance.now() - start) / 1000;
  const running = countRunning(cluster);
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  global.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20);
  return {
    nodes,
    pods,
    running,
    seconds: round(seconds),
    heapMb: megabytes(heapUsed),
    residentMb: megabytes(rss),
    mostResidentMb,
    peakMb,
  };
}

/** A day in the life of a hundred nodes: leases, statuses, a rollout every hour, pods that come and go. */
async function measureDay() {
  const nodes = 100;
  const clock = new VirtualClock(newYear);
  const cluster = new EmbeddedCluster({ clock, seed: 1 });
  for (let i = 0; i < nodes; i++) await create(cluster, "/api/v1/nodes", nodeNamed(`node-${i}`));
  for (let i = 0; i < 10; i++) await create(cluster, "/apis/apps/v1/namespaces/default/deployments", deployment(i));
  const start = performance.now();
  for (let hour = 0; hour < 24; hour++) {
    const path = `/apis/apps/v1/namespaces/default/deployments/web-${hour % 10}`;
    const template = { metadata: { annotations: { "example.com/restarted": String(hour) } } };
    const body = { spec: { replicas: 20 + (hour % 5) * 10, template } };
    await cluster.transport.send({ method: "PATCH", path, contentType: "application/merge-patch+json", body });
    await clock.advance(3_600_000);
  }
  const seconds = (performance.now() - start) / 1000;
  const result = {
    nodes,
    hours: 24,
    seconds: round(seconds),
    writes: cluster.api.store.version,
    running: countRunning(cluster),
  };
  cluster.stop();
  return result;
}

function deployment(i: number): object {
  const labels = { app: `web-${i}` };
  const container = {
    name: "main",
    image: "registry.example.com/web:1",
    resources: { requests: { cpu: "500m", memory: "512Mi" } },
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `web-${i}` },
    spec: {
      replicas: 30,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

async function create(cluster: EmbeddedCluster, path: string, body: object): Promise<void> {
  const response = await cluster.transport.send({ method: "POST", path, contentType: "application/json", body });
  if (response.status !== 201) throw new Error(`Cannot create: ${JSON.stringify(response.body)}`);
}

function countRunning({ api }: EmbeddedCluster): number {
  const definition = api.registry.find("", "v1", "pods");
  if (definition === undefined) return 0;
  return [...api.collection(definition).list()].filter(
    ({ status }) => (status as { phase?: string })?.phase === "Running",
  ).length;
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
