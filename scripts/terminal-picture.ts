// Makes the pictures in docs/images from what the programs really print: the screen of `karpenter start` some minutes
// into the sample, what `karpenter nodes`, `explain` and `lint` say of it, and kubectl (which must be at hand) on
// `karpenter cluster`. Names of pictures as arguments make only those.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { InProcessPlanner } from "../src/adapters/planner/in-process-planner.ts";
import { openCatalogue } from "../src/cli/ask/catalogue.ts";
import { readControllerSettings } from "../src/cli/ask/running-controller.ts";
import { printSections, type Section } from "../src/cli/ask/sections.ts";
import { explainNode } from "../src/cli/explain/explain-node.ts";
import { explainPod } from "../src/cli/explain/explain-pod.ts";
import { drawNodes } from "../src/cli/nodes/draw-nodes.ts";
import { lookAtFleet } from "../src/cli/nodes/fleet.ts";
import { claimOf, labelledPrice } from "../src/cli/nodes/look-at-cluster.ts";
import { firstView } from "../src/cli/nodes/view-state.ts";
import { drawFrame } from "../src/cli/start/draw-frame.ts";
import { EmbeddedKarpenter } from "../src/cli/start/embedded-karpenter.ts";
import { sampleNodeClass, samplePools } from "../src/cli/start/samples/pools.ts";
import { Traffic } from "../src/cli/start/samples/traffic.ts";
import { sampleObjects } from "../src/cli/start/samples/workloads.ts";
import type { Style } from "../src/cli/style.ts";
import { seededRandom } from "../src/core/model/seeded-random.ts";
import { VirtualClock } from "../src/embedded/time/virtual-clock.ts";
import { pictureOf } from "./draw-picture.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const paint =
  (name: Parameters<typeof styleText>[0]) =>
  (text: string): string =>
    styleText(name, text, { validateStream: false });
const paints: Style = {
  bold: paint("bold"),
  dim: paint("dim"),
  red: paint("red"),
  green: paint("green"),
  yellow: paint("yellow"),
  cyan: paint("cyan"),
};
const images = new URL("../docs/images/", import.meta.url);
const server = "https://127.0.0.1:6443";

const faultyPool = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: web}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: karpenter.k8s.aws/instance-category, operator: In, values: [C]}
`;

interface Picture {
  readonly title: string;
  readonly show: (sample: Sample) => Promise<string> | string;
}

interface Sample {
  readonly karpenter: EmbeddedKarpenter;
  readonly clock: VirtualClock;
  stop(): Promise<void>;
}

const pictures: Readonly<Record<string, Picture>> = {
  start: {
    title:
      "The screen of npm start: what the cluster costs, its nodes and pools, the pods that wait, the last decisions",
    show: showStart,
  },
  nodes: {
    title: "The screen of karpenter nodes: every node by pool, what it is, costs and holds, and its state",
    show: showNodes,
  },
  "explain-pod": {
    title: "karpenter explain pod: why a pod waits, pool by pool and node by node, and the nearest miss",
    show: showPod,
  },
  "explain-node": {
    title: "karpenter explain node: what it is and costs, whether it may go and why, and what runs on it",
    show: showNode,
  },
  lint: {
    title: "karpenter lint: what is wrong with a NodePool, and how to correct it",
    show: showLint,
  },
  cluster: {
    title: "kubectl on a cluster that runs in one process: nodes, a deployment, a drain, and why a pod waits",
    show: showCluster,
  },
};

mkdirSync(images, { recursive: true });
const wanted = process.argv.slice(2);
const sample = await openSample();
for (const [name, { title, show }] of Object.entries(pictures)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  writeFileSync(new URL(`${name}.svg`, images), pictureOf(await show(sample), title));
}
await sample.stop();

/** What npm start runs, as soon as machines go that the fleet can do without. */
async function openSample(): Promise<Sample> {
  const clock = new VirtualClock(Date.parse("2026-01-01T09:00:00Z"));
  const karpenter = new EmbeddedKarpenter({
    clock,
    seed: 1,
    planner: new InProcessPlanner(),
    instanceTypes: "aws",
    identity: "picture",
  });
  karpenter.load([sampleNodeClass, ...samplePools, ...sampleObjects]);
  const { transport } = karpenter.cluster;
  const traffic = new Traffic({
    transport,
    clock,
    random: seededRandom(1),
    tell: (telling) => karpenter.tell(telling),
  });
  karpenter.start();
  traffic.start();
  const isLively = (): boolean => {
    const { nodes, tellings, staying } = karpenter.look();
    const isTold = tellings.slice(-8).some(({ text }) => text.includes("can go, which saves"));
    return isTold && staying.length > 1 && nodes.some(({ state }) => state === "draining");
  };
  await clock.advance(4 * 60_000);
  for (let i = 0; i < 600 && !isLively(); i++) await clock.advance(1_000);
  const stop = async (): Promise<void> => {
    traffic.stop();
    let isStopped = false;
    const stopping = karpenter.stop().then(() => {
      isStopped = true;
    });
    await clock.advanceUntil(() => isStopped, 60_000);
    await stopping;
  };
  return { karpenter, clock, stop };
}

function showStart({ karpenter }: Sample): string {
  const view = {
    ...karpenter.look(),
    speed: 1,
    kubeconfig: "/run/user/1000/karpenter-7GkwVx/kubeconfig",
    help: "+ - load, q quits",
  };
  return drawFrame(view, { columns: 118, rows: 44 }, paints).join("\n");
}

function showNodes({ karpenter, clock }: Sample): string {
  const now = clock.now();
  const fleet = lookAtFleet(karpenter.controller.cluster, now, { findPrice: labelledPrice, usage: undefined });
  const view = { ...fleet, now, server, notes: [], state: firstView };
  return drawNodes(view, { columns: 120, rows: 40 }, paints).join("\n");
}

/** The one that is too large for everything. */
async function showPod({ karpenter, clock }: Sample): Promise<string> {
  const cluster = karpenter.controller.cluster;
  const pod = [...cluster.pods.values()].find(({ name }) => name.startsWith("training"));
  if (pod === undefined) throw new Error("The sample has no pod called training");
  const settings = await readControllerSettings(karpenter.cluster.transport);
  const catalogue = openCatalogue({ wanted: undefined, cluster, settings: settings.machines, offers: undefined });
  return printed(`explain pod -n ${pod.namespace} ${pod.name}`, [
    { title: `Pod ${pod.namespace}/${pod.name}`, lines: [`${pod.phase || "Pending"} on ${server}`] },
    ...explainPod(pod, { cluster, catalogue, settings, now: clock.now() }),
    { title: "SETTINGS OF THE CONTROLLER", lines: settings.source },
  ]);
}

/** One of those that stay although others went. */
async function showNode({ karpenter, clock }: Sample): Promise<string> {
  const cluster = karpenter.controller.cluster;
  const node = [...cluster.nodes.values()].findLast(
    ({ labels, deletedAt }) => labels.get("karpenter.sh/nodepool") === "general" && deletedAt === undefined,
  );
  if (node === undefined) throw new Error("The sample has no node of pool general");
  const settings = await readControllerSettings(karpenter.cluster.transport);
  const catalogue = openCatalogue({ wanted: undefined, cluster, settings: settings.machines, offers: undefined });
  const question = {
    cluster,
    catalogue,
    settings,
    now: clock.now(),
    findPrice: labelledPrice,
    planner: new InProcessPlanner(),
  };
  return printed(`explain node ${node.name}`, [
    ...(await explainNode({ node, claim: claimOf(cluster, node) }, question)),
    { title: "WHAT COULD BE BOUGHT", lines: catalogue.notes },
    { title: "SETTINGS OF THE CONTROLLER", lines: settings.source },
  ]);
}

function printed(command: string, sections: readonly Section[]): string {
  return `${paints.bold(`$ karpenter ${command}`)}\n\n${printSections(sections, 116, paints).trimEnd()}`;
}

function showLint(): string {
  const lint = ["src/cli/main.ts", "lint", "-f", "-"];
  const env = { ...process.env, FORCE_COLOR: "1" };
  const { stdout } = spawnSync(process.execPath, lint, { cwd: root, encoding: "utf8", input: faultyPool, env });
  return [
    paints.bold("$ cat web.yaml"),
    faultyPool,
    paints.bold("$ karpenter lint -f web.yaml"),
    stdout.trimEnd(),
  ].join("\n");
}

/** What a person sees who types these commands. */
async function showCluster(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "picture-"));
  const kubeconfig = join(folder, "kubeconfig");
  const cluster = spawn(process.execPath, ["src/cli/main.ts", "cluster", "--nodes", "3", "--kubeconfig", kubeconfig], {
    cwd: root,
  });
  await once(cluster.stdout, "data");
  const run = (line: string): string => {
    const { stdout, stderr } = spawnSync(line, {
      shell: true,
      encoding: "utf8",
      env: { ...process.env, KUBECONFIG: kubeconfig },
    });
    return `\u001b[1m$ ${line}\u001b[0m\n${stdout}${stderr}`;
  };
  spawnSync("kubectl wait --for=condition=Ready node --all", {
    shell: true,
    env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  const shown = [
    run("kubectl create deployment web --image=nginx --replicas=4"),
    run("kubectl rollout status deployment web"),
    run("kubectl drain node-1 --ignore-daemonsets | tail -1"),
    run("kubectl get nodes"),
    run("kubectl get pods -o wide | cut -c1-78"),
    run('kubectl run big --image=nginx --overrides=\'{"spec":{"nodeSelector":{"disk":"fast"}}}\''),
  ];
  await sleep(500);
  shown.push(run("kubectl events --for pod/big --no-headers"));
  cluster.kill("SIGINT");
  await once(cluster, "close");
  rmSync(folder, { recursive: true });
  return [`\u001b[1m$ bin/karpenter cluster --nodes 3\u001b[0m\n`, ...shown].join("\n").trimEnd();
}
