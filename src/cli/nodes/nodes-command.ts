import { openCatalogue } from "../ask/catalogue.ts";
import { describeGaps } from "../ask/describe-gaps.ts";
import { type OpenCluster, openCluster } from "../ask/open-cluster.ts";
import { createPriceFinder } from "../ask/prices.ts";
import { interruption } from "../interruption.ts";
import { styleFor } from "../style.ts";
import { listenToKeys } from "../terminal/listen-to-keys.ts";
import { showScreen } from "../terminal/show-screen.ts";
import { drawNodes, type NodesView, printNodes } from "./draw-nodes.ts";
import { lookAtFleet } from "./fleet.ts";
import type { PriceFinder } from "./look-at-cluster.ts";
import { nodesJson } from "./nodes-json.ts";
import { readUsage, type Usage } from "./usage.ts";
import { firstView, press, type ViewState } from "./view-state.ts";

export interface NodesOptions {
  readonly kubeconfig?: string;
  readonly instanceTypes?: string;
  readonly output?: "json";
  readonly once?: true;
  readonly sort: ViewState["sort"];
  readonly filter: string;
}

/** Lines in a pipe are not cut: who reads them there can cut them. */
const pipeWidth = 240;
const measureEvery = 15_000;

/** Shows the nodes of a cluster: live on a terminal, once elsewhere. */
export async function runNodes(options: NodesOptions): Promise<number> {
  const { stdout } = process;
  const cluster = await openCluster(options);
  try {
    const findPrice = createPriceFinder(openCatalogue(options.instanceTypes, cluster.state).instanceTypes);
    const usage = await readUsage(cluster.transport);
    const state = { ...firstView, sort: options.sort, filter: options.filter };
    const isLive = stdout.isTTY === true && process.env.TERM !== "dumb" && options.once !== true;
    if (options.output === "json") stdout.write(`${nodesJson(look(cluster, { findPrice, usage, state }))}\n`);
    else if (isLive) await showLive(cluster, { findPrice, usage, state });
    else {
      const width = stdout.isTTY ? stdout.columns : pipeWidth;
      stdout.write(printNodes(look(cluster, { findPrice, usage, state }), width, styleFor(stdout)));
    }
  } finally {
    await cluster.close();
  }
  return 0;
}

interface Looking {
  readonly findPrice: PriceFinder;
  readonly usage: Usage;
  readonly state: ViewState;
}

function look(cluster: OpenCluster, { findPrice, usage, state }: Looking): NodesView {
  const now = cluster.clock.now();
  const { trouble } = cluster;
  const notes = [...describeGaps(cluster.gaps), ...(trouble === undefined ? [] : [`nothing new is heard: ${trouble}`])];
  return { ...lookAtFleet(cluster.state, now, { findPrice, usage }), now, server: cluster.server, notes, state };
}

async function showLive(cluster: OpenCluster, looking: Looking): Promise<void> {
  let { state, usage } = looking;
  let quit: () => void = () => {};
  const asked = new Promise<void>((resolve) => {
    quit = resolve;
  });
  const screen = showScreen(process.stdout, (size, style) =>
    drawNodes(look(cluster, { ...looking, usage, state }), size, style),
  );
  const release = listenToKeys(process.stdin, (key) => {
    const next = press(state, key);
    if (next === "quit") return quit();
    state = next;
    screen.redraw();
  });
  const timer = setInterval(() => {
    void readUsage(cluster.transport).then((measured) => {
      usage = measured;
    });
  }, measureEvery);
  await Promise.race([asked, interruption()]);
  clearInterval(timer);
  release();
  screen.stop();
}
