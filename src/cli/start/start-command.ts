import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadInstanceTypes } from "../../adapters/kwok/load-instance-types.ts";
import { WorkerPlanner } from "../../adapters/planner/worker-planner.ts";
import { seededRandom } from "../../core/model/seeded-random.ts";
import { type ServedCluster, serveCluster } from "../../embedded/server/serve-cluster.ts";
import { ScaledClock } from "../../embedded/time/scaled-clock.ts";
import { systemClock } from "../../embedded/time/system-clock.ts";
import type { Clock } from "../../ports/clock.ts";
import { CliError } from "../cli-error.ts";
import { interruption } from "../interruption.ts";
import { describeAge } from "../terminal/describe.ts";
import { listenToKeys } from "../terminal/listen-to-keys.ts";
import { showScreen } from "../terminal/show-screen.ts";
import { applyFiles, hasPools } from "./apply-files.ts";
import { describeTotals } from "./describe-totals.ts";
import { drawFrame } from "./draw-frame.ts";
import { builtInCatalogues, EmbeddedKarpenter } from "./embedded-karpenter.ts";
import { sampleNodeClass, samplePools } from "./samples/pools.ts";
import { Traffic } from "./samples/traffic.ts";
import { sampleObjects } from "./samples/workloads.ts";
import { plainLine, showLines } from "./show-lines.ts";
import type { StartOptions } from "./start-options.ts";
import type { Telling } from "./telling.ts";

/** Runs a cluster in this process with the controller on it, and shows what happens, until it is interrupted. */
export async function runStart(options: StartOptions): Promise<number> {
  const { stdout } = process;
  const isScreen = stdout.isTTY === true && process.env.TERM !== "dumb";
  const clock: Clock = options.speed === 1 ? systemClock : new ScaledClock({ real: systemClock, speed: options.speed });
  const startedAt = clock.now();
  const write = (text: string): void => void stdout.write(text);
  const { quit, ended } = ending(options, clock);
  stdout.on("error", quit);
  const karpenter = openKarpenter(options, clock, isScreen ? () => {} : (telling) => write(plainLine(telling)));
  const traffic = options.file === undefined ? startTraffic(karpenter, options.seed, clock) : undefined;
  const served = await serve(karpenter, options);
  const folder = mkdtempSync(join(tmpdir(), "karpenter-"));
  const kubeconfig = join(folder, "kubeconfig");
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", removeFolder);
  writeFileSync(kubeconfig, served.kubeconfig, { mode: 0o600 });
  karpenter.start();
  const stopShowing = isScreen
    ? showOnScreen(karpenter, { kubeconfig, speed: options.speed, traffic, quit })
    : showLines({ clock, write, look: () => karpenter.look(), kubeconfig });
  await ended;
  const { now, totals } = karpenter.look();
  stopShowing();
  traffic?.stop();
  await karpenter.controller.stop();
  await served.close();
  await karpenter.stop();
  process.off("exit", removeFolder);
  removeFolder();
  // Last, and also on a terminal, whose screen has gone.
  write(`After ${describeAge(now - startedAt)}: ${describeTotals(totals)}\n`);
  return 0;
}

/** By a signal, by a key, or because the time is over. */
function ending({ duration }: StartOptions, clock: Clock): { quit: () => void; ended: Promise<void> } {
  let quit: () => void = () => {};
  const asked = new Promise<void>((resolve) => {
    quit = resolve;
  });
  const over = new Promise<void>((resolve) => {
    if (duration !== undefined) clock.after(duration, resolve);
  });
  return { quit, ended: Promise.race([interruption(), asked, over]) };
}

function openKarpenter(options: StartOptions, clock: Clock, onTelling: (telling: Telling) => void): EmbeddedKarpenter {
  const { seed, instanceTypes, file } = options;
  checkCatalogue(instanceTypes);
  const identity = `karpenter_${randomUUID()}`;
  const planner = new WorkerPlanner();
  const karpenter = new EmbeddedKarpenter({ clock, seed, planner, instanceTypes, identity, onTelling });
  if (file !== undefined) applyFiles(karpenter.cluster, file);
  // What the files do not bring along.
  karpenter.load([sampleNodeClass, ...(hasPools(karpenter.cluster) ? [] : samplePools)]);
  if (file === undefined) karpenter.load(sampleObjects);
  return karpenter;
}

/** Better said in a sentence than thrown out of the middle of everything. */
function checkCatalogue(instanceTypes: string): void {
  if (builtInCatalogues.has(instanceTypes)) return;
  try {
    loadInstanceTypes({ file: instanceTypes, builtIn: "aws" });
  } catch (error) {
    throw new CliError((error as Error).message);
  }
}

function startTraffic(karpenter: EmbeddedKarpenter, seed: number, clock: Clock): Traffic {
  const { transport } = karpenter.cluster;
  const traffic = new Traffic({
    transport,
    clock,
    random: seededRandom(seed ^ 0x5409),
    tell: (telling) => karpenter.tell(telling),
  });
  traffic.start();
  return traffic;
}

async function serve({ cluster }: EmbeddedKarpenter, { port }: StartOptions): Promise<ServedCluster> {
  try {
    return await serveCluster(cluster, { port });
  } catch (error) {
    throw new CliError((error as Error).message);
  }
}

interface ScreenParts {
  readonly kubeconfig: string;
  readonly speed: number;
  readonly traffic: Traffic | undefined;
  readonly quit: () => void;
}

function showOnScreen(karpenter: EmbeddedKarpenter, { kubeconfig, speed, traffic, quit }: ScreenParts): () => void {
  const help = traffic === undefined ? "q quits" : "+ - load, q quits";
  const screen = showScreen(process.stdout, (size, style) =>
    drawFrame({ ...karpenter.look(), speed, kubeconfig, help }, size, style),
  );
  const release = listenToKeys(process.stdin, (key) => {
    if (key === "q" || key === "interrupt") quit();
    else if (key === "+" || key === "=") void traffic?.addStorefronts(10);
    else if (key === "-") void traffic?.addStorefronts(-10);
  });
  return () => {
    release();
    screen.stop();
  };
}
