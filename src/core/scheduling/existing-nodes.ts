import { hostnameLabel } from "../model/labels.ts";
import type { Node } from "../model/node.ts";
import { addResources, noResources } from "../model/resources.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { RuleBook } from "./class-rules.ts";
import type { Daemons } from "./daemons.ts";
import { HostState } from "./host-state.ts";
import { vectorOf } from "./machines.ts";
import { countInDomains, type OpenNode } from "./open-nodes.ts";
import type { HostRules } from "./packing/problem.ts";
import { attachmentsOf } from "./volume-needs.ts";

/** What it takes to see a node as this batch of pods does. */
export interface NodeView {
  readonly snapshot: Snapshot;
  readonly daemons: Daemons;
  readonly ruleBook: RuleBook;
  /** Labels that somebody in the batch reads. */
  readonly labelKeys: readonly string[];
  readonly resources: readonly string[];
}

/** The cluster's nodes with what is left on them: those that are ready first, then those on their way, by name. */
export function openExistingNodes(nodes: readonly Node[], view: NodeView): OpenNode[] {
  const kinds = new Map<string, number>();
  const ordered = nodes.toSorted(
    (a, b) => Number(b.isInitialized) - Number(a.isInitialized) || (a.name < b.name ? -1 : 1),
  );
  return ordered.map((node) => {
    const labels = new Map([[hostnameLabel, node.name], ...node.labels]);
    const look = JSON.stringify([view.labelKeys.map((key) => labels.get(key) ?? null), node.taints]);
    const kind = kinds.get(look) ?? kinds.size;
    kinds.set(look, kind);
    const open: OpenNode = {
      labels,
      taints: node.taints,
      existing: node,
      machine: undefined,
      kind,
      poolName: node.nodePool,
      room: vectorOf(node.allocatable, view.resources),
      host: new HostState(),
      attached: new Map(),
      placed: [],
    };
    addBoundPods(open, node, view);
    return open;
  });
}

function addBoundPods(open: OpenNode, node: Node, view: NodeView): void {
  const { snapshot, daemons, ruleBook, resources } = view;
  let used = noResources;
  let daemonUse = noResources;
  for (const pod of snapshot.podsByNode.get(node.name) ?? []) {
    used = addResources(used, pod.spec.requests);
    if (pod.owners.some(({ kind }) => kind === "DaemonSet")) daemonUse = addResources(daemonUse, pod.spec.requests);
    const rules = ruleBook.rulesOfBound(pod);
    if (rules.host) open.host.add(pod.isDeleting ? withoutSpread(rules.host) : rules.host, 1);
    // A pod on its way out does not count for anybody any more, but what it has of its host is still taken.
    if (!pod.isDeleting) countInDomains(rules, open, 1);
    for (const { claim, driver } of attachmentsOf(pod, snapshot)) {
      open.attached.set(driver, (open.attached.get(driver) ?? new Set()).add(claim));
    }
  }
  const toCome = daemons.stillToCome(node.labels, node.taints, daemonUse);
  const taken = vectorOf(addResources(used, toCome.requests), resources);
  open.host.add(ruleBook.takenPorts(toCome.hostPorts), 1);
  for (let index = 0; index < taken.length; index++) open.room[index]! -= taken[index]!;
}

/** What a pod does to its host apart from being counted by spread constraints. */
function withoutSpread({ memberOf, owns, bounds }: HostRules): Pick<HostRules, "memberOf" | "owns"> {
  const spread = new Set(bounds.map(({ group }) => group));
  return { memberOf: memberOf.filter((group) => !spread.has(group)), owns };
}
