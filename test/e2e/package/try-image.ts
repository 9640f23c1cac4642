import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePorts } from "../../../scripts/lab/process-group.ts";
import type { Findings } from "../chart/findings.ts";
import { contextFilter, readCopy, readDockerfile, readWords, type Stage } from "./read-dockerfile.ts";
import { mustRun } from "./run.ts";

const root = join(import.meta.dirname, "../../..");
const mostMegabytes = 150;
const patienceMs = 180_000;
/** The Node that runs this is that of the base image. */
const path = `${dirname(process.execPath)}:${process.env.PATH}`;

/** Carries out what the Dockerfile says, without the base image, and runs the controller from what comes of it. */
export async function tryImage(folder: string, findings: Findings, progress: (line: string) => void): Promise<void> {
  // Whoever runs it is not who made it.
  chmodSync(folder, 0o755);
  const stages = readDockerfile(readFileSync(join(root, "Dockerfile"), "utf8"));
  const final = stages.at(-1);
  for (const stage of stages) await carryOut(stage, stage === final, folder);
  const image = join(folder, "image");
  const megabytes = sizeOf(image) / 1e6;
  progress(`the image has ${megabytes.toFixed(1)} MB besides its base`);
  findings.check(megabytes < mostMegabytes, `the image has ${megabytes.toFixed(1)} MB, more than ${mostMegabytes}`);
  checkContents(join(image, "karpenter"), findings);
  await tryController(image, final, findings);
}

/** What the last stage runs only removes from the base image, of which there is nothing here. */
async function carryOut(stage: Stage, isLast: boolean, folder: string): Promise<void> {
  const place = join(folder, stage.name ?? "image");
  const isIn = contextFilter(readFileSync(join(root, ".dockerignore"), "utf8"));
  let work = place;
  for (const step of stage.steps) {
    if (step.instruction === "WORKDIR") {
      work = join(place, step.rest);
      mkdirSync(work, { recursive: true });
    } else if (step.instruction === "RUN") {
      const environment = { ...process.env, PATH: path };
      if (!isLast) await mustRun(["sh", "-c", step.rest], { folder: work, environment });
      else if (!step.rest.startsWith("rm -rf /usr/local/"))
        throw new Error(`Cannot try "${step.rest}" without an image`);
    } else if (step.instruction === "COPY") {
      const { from, sources, target } = readCopy(step);
      for (const source of sources) {
        const file = join(from === undefined ? root : join(folder, from), source);
        const copy = target.endsWith("/") ? join(work, target, basename(source)) : join(work, target);
        const filter = (found: string) => {
          return from !== undefined || lstatSync(found).isDirectory() || isIn(found.slice(root.length + 1));
        };
        cpSync(file, copy, { recursive: true, filter });
      }
    }
  }
}

function sizeOf(file: string): number {
  const found = lstatSync(file);
  if (!found.isDirectory()) return found.size;
  return readdirSync(file).reduce((sum, name) => sum + sizeOf(join(file, name)), 0);
}

function checkContents(karpenter: string, findings: Findings): void {
  findings.same(
    readdirSync(karpenter).sort(),
    ["LICENSE", "THIRD_PARTY.md", "bin", "dist", "node_modules", "package.json"],
    "what is in the image",
  );
  const manifest = JSON.parse(readFileSync(join(karpenter, "package.json"), "utf8")) as Record<string, object>;
  const unwanted = Object.keys({ ...manifest.devDependencies, ...manifest.optionalDependencies });
  const modules = readdirSync(join(karpenter, "node_modules"), { recursive: true }).map(String);
  findings.same(
    unwanted.filter((name) => modules.includes(name)),
    [],
    "dependencies in the image that nothing needs at run time",
  );
  findings.same(
    readdirSync(karpenter, { recursive: true }).filter((name) => /\.test\.|\.[cm]?ts$|\.map$/.test(String(name))),
    [],
    "tests, types and maps in the image",
  );
}

async function tryController(image: string, final: Stage | undefined, findings: Findings): Promise<void> {
  const entry = readWords(final, "ENTRYPOINT").map((word) => word.replace(/^\/karpenter/, `${image}/karpenter`));
  const [api = 0, metrics = 0, health = 0] = await findFreePorts(3);
  const kubeconfig = join(image, "../kubeconfig");
  const objects = join(image, "../objects.yaml");
  writeFileSync(objects, manifests());
  const environment = {
    PATH: path,
    HOME: join(image, "karpenter"),
    KUBECONFIG: kubeconfig,
    METRICS_PORT: String(metrics),
    HEALTH_PROBE_PORT: String(health),
    SYSTEM_NAMESPACE: "kube-system",
  };
  const start = (args: readonly string[], user = {}) => {
    const [program = "", ...rest] = [...entry, ...args];
    return spawn(program, rest, { cwd: image, env: environment, stdio: ["ignore", "pipe", "pipe"], ...user });
  };
  const cluster = start(["cluster", "--http", "--port", String(api), "--kubeconfig", kubeconfig, "--load", objects]);
  const url = `http://127.0.0.1:${api}`;
  const clusterSays = listen(cluster);
  let controller: ChildProcess | undefined;
  try {
    await until(() => countOf(`${url}/apis/karpenter.sh/v1/nodepools`), clusterSays);
    chmodSync(kubeconfig, 0o644);
    // As in a cluster: not root, and nothing of the image can be written to.
    const user = process.getuid?.() === 0 ? { uid: 65_532, gid: 65_532 } : {};
    controller = start(readWords(final, "CMD"), user);
    const says = listen(controller);
    await until(() => countOf(`${url}/api/v1/nodes`), says);
    const [, ...probe] = readWords(final, "HEALTHCHECK");
    await mustRun([process.execPath, ...probe], { folder: image, environment });
    const children = readFileSync(`/proc/${controller.pid}/task/${controller.pid}/children`, "utf8");
    findings.same(children, "", "processes below the controller");
    controller.kill("SIGTERM");
    const [status] = await once(controller, "exit", { signal: AbortSignal.timeout(patienceMs) });
    findings.same(status, 0, `how the controller ended when it was told to; it said: ${says().slice(-2000)}`);
  } finally {
    controller?.kill("SIGKILL");
    cluster.kill("SIGTERM");
    await once(cluster, "exit", { signal: AbortSignal.timeout(patienceMs) });
  }
}

function manifests(): string {
  const folder = join(root, "charts/karpenter/crds");
  const definitions = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  return `${definitions.join("\n---\n")}
---
apiVersion: karpenter.kwok.sh/v1alpha1
kind: KWOKNodeClass
metadata: {name: default}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}
      requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec:
  containers: [{name: main, image: "registry.example.com/web:1", resources: {requests: {cpu: "1"}}}]
`;
}

function listen(child: ChildProcess): () => string {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  }
  return () => output;
}

async function countOf(url: string): Promise<number> {
  try {
    const response = await fetch(url);
    const { items = [] } = (await response.json()) as { items?: readonly unknown[] };
    return items.length;
  } catch {
    // Nobody listens yet.
    return 0;
  }
}

async function until(count: () => Promise<number>, says: () => string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while ((await count()) === 0) {
    if (performance.now() > deadline) throw new Error(`Nothing came of it in ${patienceMs / 1000} s: ${says()}`);
    await sleep(200);
  }
}
