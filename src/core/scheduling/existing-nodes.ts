import { hostnameLabel, type Labels } from "../model/labels.ts";
import type { Node } from "../model/node.ts";
import type { Pod } from "../model/pod.ts";
import { addResources } from "../model/resources.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { loadOf } from "./bound-pods.ts";
import type { RuleBook } from "./class-rules.ts";
import { type DaemonOverhead, type Daemons, stillToCome } from "./daemons.ts";
import { HostState } from "./host-state.ts";
import { vectorOf } from "./machines.ts";
import type { NodeKinds } from "./node-kinds.ts";
import { attach, countInDomains, type OpenNode } from "./open-nodes.ts";
import type { HostRules } from "./packing/problem.ts";
import { attachmentsOf } from "./volume-needs.ts";

/** What it takes to see a node as this batch of pods does. */
export interface NodeView {
  readonly snapshot: Snapshot;
  readonly daemons: Daemons;
  readonly ruleBook: RuleBook;
  readonly kinds: NodeKinds;
  readonly resources: readonly string[];
}

const noPods: readonly Pod[] = [];

/** The cluster's nodes with what is left on them: those that are ready first, then those on their way, by name. */
export function openExistingNodes(nodes: readonly Node[], view: NodeView): OpenNode[] {
  const ordered = nodes.toSorted(
    (a, b) => Number(b.isInitialized) - Number(a.isInitialized) || (a.name < b.name ? -1 : 1),
  );
  const daemonsByKind = new Map<number, DaemonOverhead>();
  return ordered.map((node) => {
    const labels = labelsWithHost(node);
    const kind = view.kinds.of(labels, node.taints);
    let daemons = daemonsByKind.get(kind);
    if (daemons === undefined) {
      daemons = view.daemons.onNode(node.labels, node.taints);
      daemonsByKind.set(kind, daemons);
    }
    const open: OpenNode = {
      labels,
      taints: node.taints,
      existing: node,
      machine: undefined,
      kind,
      poolName: node.nodePool,
      room: vectorOf(node.allocatable, view.resources),
      host: new HostState(),
      attached: undefined,
      placed: [],
    };
    const pods = view.snapshot.podsByNode.get(node.name) ?? noPods;
    addBoundPods(open, pods, { view, daemons });
    return open;
  });
}

/** A node goes by its name where it has no label that says so. */
export function labelsWithHost({ name, labels }: Node): Labels {
  return labels.has(hostnameLabel) ? labels : new Map([[hostnameLabel, name], ...labels]);
}

function addBoundPods(
  open: OpenNode,
  pods: readonly Pod[],
  { view, daemons }: { readonly view: NodeView; readonly daemons: DaemonOverhead },
): void {
  const { snapshot, ruleBook, resources } = view;
  const { used, daemonUse, kinds, mounting } = loadOf(pods);
  for (const { kind, isDeleting, count } of kinds) {
    const rules = ruleBook.rulesOfBound(kind);
    if (rules === undefined) continue;
    if (rules.host) open.host.add(isDeleting ? withoutSpread(rules.host) : rules.host, count);
    // A pod on its way out does not count for anybody any more, but what it has of its host is still taken.
    if (!isDeleting) countInDomains(rules, open, count);
  }
  for (const pod of mounting) {
    for (const { claim, driver } of attachmentsOf(pod, snapshot)) attach(open, driver, claim);
  }
  const toCome = stillToCome(daemons, daemonUse);
  const taken = vectorOf(addResources(used, toCome.requests), resources);
  open.host.add(ruleBook.takenPorts(toCome.hostPorts), 1);
  for (let index = 0; index < taken.length; index++) open.room[index]! -= taken[index]!;
}

/** What a pod does to its host apart from being counted by spread constraints. */
function withoutSpread({ memberOf, owns, bounds }: HostRules): Pick<HostRules, "memberOf" | "owns"> {
  const spread = new Set(bounds.map(({ group }) => group));
  return { memberOf: memberOf.filter((group) => !spread.has(group)), owns };
}
