// Makes the pictures in docs/images from what the programs really print: the screen of `karpenter start`, some minutes
// into the sample, and kubectl (which must be at hand) on `karpenter cluster`.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters, styleText } from "node:util";
import { InProcessPlanner } from "../src/adapters/planner/in-process-planner.ts";
import { drawFrame } from "../src/cli/start/draw-frame.ts";
import { EmbeddedKarpenter } from "../src/cli/start/embedded-karpenter.ts";
import { sampleNodeClass, samplePools } from "../src/cli/start/samples/pools.ts";
import { Traffic } from "../src/cli/start/samples/traffic.ts";
import { sampleObjects } from "../src/cli/start/samples/workloads.ts";
import type { Style } from "../src/cli/style.ts";
import { seededRandom } from "../src/core/model/seeded-random.ts";
import { VirtualClock } from "../src/embedded/time/virtual-clock.ts";

const colors: Readonly<Record<string, string>> = {
  "1": 'font-weight="bold"',
  "2": 'fill="#8b949e"',
  "31": 'fill="#ff7b72"',
  "32": 'fill="#7ee787"',
  "33": 'fill="#e3b341"',
  "36": 'fill="#56d4dd"',
};

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

mkdirSync(images, { recursive: true });
const screen =
  "The screen of npm start: what the cluster costs, its nodes and pools, the pods that wait, the last decisions";
writeFileSync(new URL("start.svg", images), pictureOf(await showStart(), screen));
const session = "kubectl on a cluster that runs in one process: nodes, a deployment, a drain, and why a pod waits";
writeFileSync(new URL("cluster.svg", images), pictureOf(await showCluster(), session));

/** The screen as soon as machines go that the fleet can do without. */
async function showStart(): Promise<string> {
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
  const view = {
    ...karpenter.look(),
    speed: 1,
    kubeconfig: "/run/user/1000/karpenter-7GkwVx/kubeconfig",
    help: "+ - load, q quits",
  };
  const frame = drawFrame(view, { columns: 118, rows: 44 }, paints);
  traffic.stop();
  let isStopped = false;
  const stopping = karpenter.stop().then(() => {
    isStopped = true;
  });
  await clock.advanceUntil(() => isStopped, 60_000);
  await stopping;
  return frame.join("\n");
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

function pictureOf(text: string, title: string): string {
  const lineHeight = 19;
  const charWidth = 8.43;
  const lines = text.split("\n").flatMap(wrap);
  const longest = Math.max(...lines.map((line) => plain(line).length));
  const width = Math.ceil(longest * charWidth + 40);
  const height = lines.length * lineHeight + 36;
  const rows = lines.map((line, index) => `<text x="20" y="${30 + index * lineHeight}">${spansOf(line)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${title}</title>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#e6edf3">
${rows.join("\n")}
</g>
</svg>
`;
}

/** Long lines of words go on in the next line, indented like their start. */
function wrap(line: string): string[] {
  const most = 118;
  if (plain(line).length <= most || line.includes("\u001b")) return [line];
  const indent = /^ */.exec(line)?.[0] ?? "";
  const wrapped: string[] = [];
  let current = "";
  for (const word of line.trim().split(" ")) {
    if (current !== "" && indent.length + current.length + 1 + word.length > most) {
      wrapped.push(indent + current);
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...wrapped, indent + current];
}

function plain(line: string): string {
  return stripVTControlCharacters(line);
}

function spansOf(line: string): string {
  let style: string | undefined;
  let result = "";
  // What stands between two escape characters begins with the code of its style.
  for (const [index, part] of line.split("\u001b[").entries()) {
    const [, code = "", text = ""] = index === 0 ? ["", "", part] : (/^(\d+)m(.*)$/.exec(part) ?? []);
    if (index > 0) style = colors[code];
    if (text !== "") result += style ? `<tspan ${style}>${escapeXml(text)}</tspan>` : escapeXml(text);
  }
  return result;
}

/** Renderers collapse ordinary spaces. */
function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(" ", "\u00a0");
}
