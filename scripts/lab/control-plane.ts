// A real Kubernetes control plane on loopback, without containers and without nodes of its own.
import { mkdtemp, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureControlPlanePrograms, type Progress } from "./binaries.ts";
import { type Certificates, createCertificates } from "./certificates.ts";
import { createProcessGroup, findFreePorts, type ProcessGroup } from "./process-group.ts";

export interface ControlPlaneOptions {
  /** Runs kube-controller-manager; without it nothing but the API server acts. */
  readonly hasControllerManager?: boolean;
  readonly hasScheduler?: boolean;
  /** Runs kwok, which plays kubelet for nodes with the annotation `kwok.x-k8s.io/node: fake`. */
  readonly hasKwok?: boolean;
  /** How kwok plays kubelet, as a text with Stages; in place of the way that is built into it. */
  readonly kwokStages?: string;
  readonly apiserverFlags?: readonly string[];
  readonly controllerManagerFlags?: readonly string[];
  readonly schedulerFlags?: readonly string[];
  /** A KubeSchedulerConfiguration, to which the kubeconfig is added. */
  readonly schedulerConfiguration?: Readonly<Record<string, unknown>>;
  readonly progress?: Progress;
}

export interface ControlPlane {
  readonly server: string;
  readonly kubeconfigPath: string;
  /** For clients that take PEM and not a kubeconfig. */
  readonly credentials: { readonly ca: string; readonly cert: string; readonly key: string };
  /** The key-value store below the API server, as in `http://127.0.0.1:2379`. */
  readonly etcd: string;
  /** Logs of the programs, while it runs. */
  readonly folder: string;
  readonly apiserver: Apiserver;
  /** Ends all of it and removes the folder. */
  stop(): Promise<void>;
}

/** For those who want to see what becomes of the others without it. */
export interface Apiserver {
  readonly processId: number;
  /** Starts it again after somebody has killed it, with the same port and the same data; ready when it returns. */
  restart(): Promise<void>;
}

const patienceMs = 180_000;

/** Ready when it returns. Several can run at once. It ends with this process, if nobody stops it before. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const progress = options.progress ?? (() => {});
  const programs = await ensureControlPlanePrograms(progress);
  const folder = await mkdtemp(join(tmpdir(), "karpenter-lab-"));
  const group = createProcessGroup(folder);
  try {
    return await start({ options, programs, folder, group, progress });
  } catch (cause) {
    await group.stop();
    throw cause;
  }
}

interface Start {
  readonly options: ControlPlaneOptions;
  readonly programs: string;
  readonly folder: string;
  readonly group: ProcessGroup;
  readonly progress: Progress;
}

async function start({ options, programs, folder, group, progress }: Start): Promise<ControlPlane> {
  const started = performance.now();
  const certificates = await createCertificates();
  const [port = 0, etcdPort = 0, peerPort = 0, kwokPort = 0] = await findFreePorts(4);
  const server = `https://127.0.0.1:${port}`;
  const etcd = `http://127.0.0.1:${etcdPort}`;
  const kubeconfigPath = join(folder, "kubeconfig");
  await writeFiles({ folder, certificates, server });

  const peer = `http://127.0.0.1:${peerPort}`;
  group.start("etcd", join(programs, "etcd"), [
    "--data-dir=etcd",
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    "--unsafe-no-fsync",
    "--log-level=error",
  ]);
  const startApiserver = () =>
    group.start("kube-apiserver", join(programs, "kube-apiserver"), [
      ...apiserverFlags(port, etcd),
      ...(options.apiserverFlags ?? []),
    ]);
  let apiserverProcess = startApiserver();
  const credentials = {
    ca: certificates.authority,
    cert: certificates.admin.certificate,
    key: certificates.admin.key,
  };
  const apiserver: Apiserver = {
    get processId() {
      return apiserverProcess;
    },
    async restart() {
      apiserverProcess = startApiserver();
      await waitUntilReady(() => isReady(server, credentials), group);
    },
  };
  await waitUntilReady(() => isReady(server, credentials), group);
  if (options.hasControllerManager) {
    group.start("kube-controller-manager", join(programs, "kube-controller-manager"), [
      ...controllerManagerFlags,
      ...(options.controllerManagerFlags ?? []),
    ]);
  }
  if (options.hasScheduler) {
    const flags = await schedulerFlags(folder, options.schedulerConfiguration);
    group.start("kube-scheduler", join(programs, "kube-scheduler"), [...flags, ...(options.schedulerFlags ?? [])]);
  }
  if (options.hasKwok) {
    const flags = kwokFlags(kwokPort);
    if (options.kwokStages !== undefined) {
      await writeFile(join(folder, "stages.yaml"), options.kwokStages);
      flags.push("--config=stages.yaml");
    }
    group.start("kwok", join(programs, "kwok"), flags);
  }
  await sleep(200);
  group.check();
  progress(`control plane ready at ${server} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return { server, kubeconfigPath, credentials, etcd, folder, apiserver, stop: () => group.stop() };
}

async function writeFiles({
  folder,
  certificates,
  server,
}: {
  folder: string;
  certificates: Certificates;
  server: string;
}) {
  const write = (name: string, text: string) => writeFile(join(folder, name), text, { mode: 0o600 });
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "lab", cluster: { server, "certificate-authority-data": base64(certificates.authority) } }],
    users: [
      {
        name: "admin",
        user: {
          "client-certificate-data": base64(certificates.admin.certificate),
          "client-key-data": base64(certificates.admin.key),
        },
      },
    ],
    contexts: [{ name: "lab", context: { cluster: "lab", user: "admin" } }],
    "current-context": "lab",
  };
  await Promise.all([
    write("ca.crt", certificates.authority),
    write("server.crt", certificates.server.certificate),
    write("server.key", certificates.server.key),
    write("service-account.key", certificates.serviceAccountKey),
    write("service-account.pub", certificates.serviceAccountPublicKey),
    write("kubeconfig", JSON.stringify(kubeconfig, undefined, 2)),
  ]);
}

function apiserverFlags(port: number, etcd: string): string[] {
  return [
    `--etcd-servers=${etcd}`,
    `--secure-port=${port}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    "--tls-cert-file=server.crt",
    "--tls-private-key-file=server.key",
    "--client-ca-file=ca.crt",
    "--service-account-key-file=service-account.pub",
    "--service-account-signing-key-file=service-account.key",
    "--service-account-issuer=https://kubernetes.default",
    "--authorization-mode=Node,RBAC",
    "--service-cluster-ip-range=10.0.0.0/16",
    "--allow-privileged",
    "--endpoint-reconciler-type=none",
    "--max-requests-inflight=2000",
    "--max-mutating-requests-inflight=1000",
  ];
}

const clientFlags = [
  "--kubeconfig=kubeconfig",
  "--leader-elect=false",
  "--secure-port=0",
  "--kube-api-qps=500",
  "--kube-api-burst=1000",
];

const controllerManagerFlags = [
  ...clientFlags,
  "--service-account-private-key-file=service-account.key",
  "--root-ca-file=ca.crt",
  "--use-service-account-credentials=false",
  "--controllers=*,-cloud-node-lifecycle-controller,-service-lb-controller,-node-route-controller",
];

async function schedulerFlags(folder: string, configuration: ControlPlaneOptions["schedulerConfiguration"]) {
  if (configuration === undefined) return clientFlags;
  const file = join(folder, "scheduler.json");
  const clientConnection = { kubeconfig: join(folder, "kubeconfig"), qps: 500, burst: 1000 };
  await writeFile(
    file,
    JSON.stringify({
      apiVersion: "kubescheduler.config.k8s.io/v1",
      kind: "KubeSchedulerConfiguration",
      leaderElection: { leaderElect: false },
      clientConnection,
      ...configuration,
    }),
  );
  return [`--config=${file}`, "--secure-port=0"];
}

function kwokFlags(port: number): string[] {
  return [
    "--kubeconfig=kubeconfig",
    "--manage-all-nodes=false",
    "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
    "--node-ip=127.0.0.1",
    `--node-port=${port}`,
    `--server-address=127.0.0.1:${port}`,
    // Without leases, nodes flap between Ready and Unknown.
    "--node-lease-duration-seconds=40",
  ];
}

async function waitUntilReady(isDone: () => Promise<boolean>, group: ProcessGroup): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isDone())) {
    group.check();
    if (performance.now() > deadline) throw new Error(`kube-apiserver is not ready after ${patienceMs / 1000} s`);
    await sleep(100);
  }
}

function isReady(server: string, credentials: ControlPlane["credentials"]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const attempt = request(`${server}/readyz`, { ...credentials, agent: false }, (response) => {
    response.resume();
    resolve(response.statusCode === 200);
  });
  attempt.on("error", () => resolve(false));
  attempt.end();
  return promise;
}
