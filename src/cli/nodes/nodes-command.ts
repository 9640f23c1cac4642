import { loadCatalogue } from "../ask/catalogue.ts";
import { describeGaps } from "../ask/describe-gaps.ts";
import { type OpenCluster, openCluster } from "../ask/open-cluster.ts";
import { openPrices } from "../ask/open-prices.ts";
import type { Prices } from "../ask/prices.ts";
import { interruption } from "../interruption.ts";
import { styleFor } from "../style.ts";
import { listenToKeys } from "../terminal/listen-to-keys.ts";
import { showScreen } from "../terminal/show-screen.ts";
import { drawNodes, lastTop, type NodesView, printNodes } from "./draw-nodes.ts";
import { lookAtFleet } from "./fleet.ts";
import { pipeWidth } from "./node-columns.ts";
import { nodesJson } from "./nodes-json.ts";
import { readUsage, type UsageAnswer } from "./usage.ts";
import { firstView, press, type ViewState } from "./view-state.ts";

export interface NodesOptions {
  readonly kubeconfig?: string;
  readonly instanceTypes?: string;
  readonly output?: "json";
  readonly once?: true;
  readonly sort: ViewState["sort"];
  readonly filter: string;
}

const measureEvery = 15_000;

/** Shows the nodes of a cluster: live on a terminal, once elsewhere. */
export async function runNodes(options: NodesOptions): Promise<number> {
  const { stdout } = process;
  const cluster = await openCluster(options);
  try {
    const { instanceTypes } = options;
    const prices = openPrices(cluster, instanceTypes === undefined ? [] : loadCatalogue(instanceTypes));
    const state = { ...firstView, sort: options.sort, filter: options.filter };
    const isLive = stdout.isTTY === true && process.env.TERM !== "dumb" && options.once !== true;
    if (isLive && options.output !== "json") await showLive(cluster, prices, state);
    else {
      const [usage] = await Promise.all([readUsage(cluster.transport), prices.renew()]);
      const view = look(cluster, { prices, usage, state });
      const width = stdout.isTTY ? stdout.columns : pipeWidth;
      stdout.write(options.output === "json" ? `${nodesJson(view)}\n` : printNodes(view, width, styleFor(stdout)));
    }
  } finally {
    await cluster.close();
  }
  return 0;
}

interface Looking {
  readonly prices: Prices;
  readonly usage: UsageAnswer;
  readonly state: ViewState;
}

function look(cluster: OpenCluster, { prices, usage, state }: Looking): NodesView {
  const now = cluster.clock.now();
  const { trouble } = cluster;
  const notes = [
    ...describeGaps(cluster.gaps),
    ...prices.notes,
    ...usage.notes,
    ...(trouble === undefined ? [] : [`nothing new is heard: ${trouble}`]),
  ];
  const fleet = lookAtFleet(cluster.state, now, { findPrice: prices.find, usage: usage.usage });
  return { ...fleet, now, server: cluster.server, notes, state };
}

/** Nodes are shown at once, what they use and cost as soon as somebody has told. */
async function showLive(cluster: OpenCluster, prices: Prices, first: ViewState): Promise<void> {
  let state = first;
  let usage: UsageAnswer = { usage: undefined, notes: [] };
  let quit: () => void = () => {};
  const asked = new Promise<void>((resolve) => {
    quit = resolve;
  });
  const screen = showScreen(process.stdout, (size, style) =>
    drawNodes(look(cluster, { prices, usage, state }), size, style),
  );
  const release = listenToKeys(process.stdin, (key) => {
    const next = press(state, key);
    if (next === "quit") return quit();
    const { columns = 80, rows = 24 } = process.stdout;
    const most = lastTop(look(cluster, { prices, usage, state: next }), { columns, rows });
    state = { ...next, top: Math.min(next.top, most) };
    screen.redraw();
  });
  const ask = (): void => {
    void prices.renew();
    void readUsage(cluster.transport).then((measured) => {
      usage = measured;
    });
  };
  ask();
  const timer = setInterval(ask, measureEvery);
  await Promise.race([asked, interruption()]);
  clearInterval(timer);
  release();
  screen.stop();
}
