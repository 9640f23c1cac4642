import { InProcessPlanner } from "../../adapters/planner/in-process-planner.ts";
import { ec2NodeClasses } from "../../core/api/karpenter-resources.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { type Catalogue, loadCatalogue, openCatalogue } from "../ask/catalogue.ts";
import { askController } from "../ask/controller-prices.ts";
import { describeGaps } from "../ask/describe-gaps.ts";
import { type ClusterQuestion, type OpenCluster, openCluster } from "../ask/open-cluster.ts";
import { openPrices } from "../ask/open-prices.ts";
import { type ControllerSettings, readControllerSettings } from "../ask/running-controller.ts";
import { printSections, type Section } from "../ask/sections.ts";
import { CliError } from "../cli-error.ts";
import { claimOf } from "../nodes/look-at-cluster.ts";
import { styleFor } from "../style.ts";
import { explainNode } from "./explain-node.ts";
import { explainPod } from "./explain-pod.ts";
import { readEvents } from "./read-events.ts";

export interface ExplainOptions {
  readonly kubeconfig?: string;
  readonly instanceTypes?: string;
  readonly namespace?: string;
}

export async function runExplainPod(name: string, options: ExplainOptions): Promise<number> {
  return print(await answerAboutPod(name, options));
}

export async function runExplainNode(name: string, options: ExplainOptions): Promise<number> {
  return print(await answerAboutNode(name, options));
}

export async function answerAboutPod(name: string, options: ExplainOptions): Promise<readonly Section[]> {
  return await explain(options, async (cluster) => {
    const now = cluster.clock.now();
    const namespace = options.namespace ?? cluster.namespace;
    const pod = cluster.state.pods.get(`${namespace}/${name}`);
    if (pod === undefined) throw new CliError(describeMissingPod(cluster.state, namespace, name));
    const settings = await readControllerSettings(cluster.transport);
    const catalogue = await catalogueFor(cluster, settings, options);
    return [
      { title: `Pod ${namespace}/${name}`, lines: [`${pod.phase || "Pending"} on ${cluster.server}`] },
      ...explainPod(pod, { cluster: cluster.state, catalogue, settings, now }),
      { title: "SETTINGS OF THE CONTROLLER", lines: settings.source },
      { title: "LAST EVENTS", lines: await readEvents(cluster.transport, pod, now) },
    ];
  });
}

export async function answerAboutNode(name: string, options: ExplainOptions): Promise<readonly Section[]> {
  return await explain({ ...options, followsWorkloads: true }, async (cluster) => {
    const { state } = cluster;
    const node = state.nodes.get(name) ?? nodeOfClaim(state, name);
    const claim = node === undefined ? state.claims.get(name) : claimOf(state, node);
    if (node === undefined && claim === undefined) throw new CliError(describeMissingNode(state, name));
    const { instanceTypes } = options;
    const prices = openPrices(cluster, instanceTypes === undefined ? [] : loadCatalogue(instanceTypes));
    const [settings] = await Promise.all([readControllerSettings(cluster.transport), prices.renew()]);
    const catalogue = await catalogueFor(cluster, settings, options);
    const planner = new InProcessPlanner();
    const now = cluster.clock.now();
    const findPrice = prices.find;
    const labels = node?.labels ?? claim?.labels ?? new Map();
    const price = findPrice(labels, node?.providerId ?? claim?.providerId ?? "");
    return [
      ...(await explainNode({ node, claim }, { cluster: state, catalogue, settings, now, findPrice, planner })),
      { title: "WHAT COULD BE BOUGHT", lines: catalogue.notes },
      { title: "WHY NO PRICE", lines: price === undefined ? prices.notes : [] },
      { title: "SETTINGS OF THE CONTROLLER", lines: settings.source },
    ];
  });
}

/** The controller is asked only where there is something of EC2 to buy. */
async function catalogueFor(
  { state, transport }: OpenCluster,
  { machines: settings, metricsPort }: ControllerSettings,
  { instanceTypes: wanted }: ExplainOptions,
): Promise<Catalogue> {
  const isOnEc2 = [...state.pools.values()].some(({ nodeClassRef }) => nodeClassRef.group === ec2NodeClasses.group);
  const told = isOnEc2 ? await askController(transport, state, metricsPort) : undefined;
  const offers = told && "offers" in told ? told.offers : undefined;
  return openCatalogue({ wanted, cluster: state, settings, offers });
}

async function explain(
  options: ClusterQuestion,
  answer: (cluster: OpenCluster) => Promise<readonly Section[]>,
): Promise<readonly Section[]> {
  const cluster = await openCluster(options);
  try {
    return [...(await answer(cluster)), { title: "NOT SEEN", lines: describeGaps(cluster.gaps) }];
  } finally {
    await cluster.close();
  }
}

function print(sections: readonly Section[]): number {
  const { stdout } = process;
  const width = stdout.isTTY ? stdout.columns : Number.POSITIVE_INFINITY;
  stdout.write(printSections(sections, width, styleFor(stdout)));
  return 0;
}

function nodeOfClaim({ claims, nodes }: ClusterState, name: string) {
  return nodes.get(claims.get(name)?.nodeName ?? "");
}

/** Where it may be that was meant. */
function describeMissingPod({ pods }: ClusterState, namespace: string, name: string): string {
  const elsewhere = [...pods.values()].filter((pod) => pod.name === name).map((pod) => pod.namespace);
  if (elsewhere.length > 0) {
    return `There is no pod "${name}" in namespace ${namespace}, but one in ${elsewhere.join(", ")}: say -n ${elsewhere[0]}`;
  }
  const like = [...pods.values()].filter((pod) => pod.name.startsWith(name));
  const names = like.slice(0, 3).map((pod) => `-n ${pod.namespace} ${pod.name}`);
  const hint = like.length === 0 ? `See kubectl -n ${namespace} get pods` : `Is it one of these: ${names.join(", ")}?`;
  return `There is no pod "${name}" in namespace ${namespace}. ${hint}`;
}

function describeMissingNode({ nodes, claims }: ClusterState, name: string): string {
  const like = [...nodes.values(), ...claims.values()].filter((one) => one.name.includes(name));
  return `There is no node or NodeClaim "${name}". ${like.length === 0 ? "See karpenter nodes" : `Is it one of ${someOf(like)}?`}`;
}

function someOf(objects: readonly { readonly name: string }[]): string {
  return objects
    .slice(0, 5)
    .map(({ name }) => name)
    .join(", ");
}
