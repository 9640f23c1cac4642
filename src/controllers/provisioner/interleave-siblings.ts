import { hostnameLabel } from "../../core/model/labels.ts";
import type { Pod } from "../../core/model/pod.ts";
import type { NodeToLaunch } from "../../ports/planner.ts";

/**
 * The same plan, with pods that are alike and must spread exchanged so that their zones take turns in the order in which
 * kube-scheduler comes to them. It places one after the other, and refuses one whose zone is ahead of the others at that
 * moment, although in the end all would be even.
 */
export function interleaveSiblings(nodes: readonly NodeToLaunch[], queue: readonly Pod[]): readonly NodeToLaunch[] {
  const nodeOf = new Map(nodes.flatMap((node, index) => node.podUids.map((uid) => [uid, index] as const)));
  const podUids = nodes.map((node) => node.podUids.slice());
  for (const siblings of siblingsOf(queue.filter(({ uid }) => nodeOf.has(uid)))) {
    const places = siblings.map(({ uid }) => nodeOf.get(uid) ?? 0);
    const ordered = takeTurns(places, (index) => nodes[index]?.zone ?? "");
    const before = new Set(siblings.map(({ uid }) => uid));
    for (const index of new Set(places)) podUids[index] = podUids[index]?.filter((uid) => !before.has(uid)) ?? [];
    for (const [turn, { uid }] of siblings.entries()) podUids[ordered[turn] ?? 0]?.push(uid);
  }
  return nodes.map((node, index) => ({ ...node, podUids: podUids[index] ?? [] }));
}

/** Pods that can stand in for each other and must spread over more than hosts. What says the same is the same object. */
function siblingsOf(pods: readonly Pod[]): readonly (readonly Pod[])[] {
  const mustSpread = ({ spec }: Pod): boolean =>
    spec.topologySpread.some(({ isRequired, topologyKey }) => isRequired && topologyKey !== hostnameLabel);
  const bySpec = Map.groupBy(pods.filter(mustSpread), ({ spec }) => spec);
  return [...bySpec.values()].flatMap((alike) =>
    [...Map.groupBy(alike, ({ labels }) => labels).values()].flatMap((same) => [
      ...Map.groupBy(same, ({ namespace }) => namespace).values(),
    ]),
  );
}

/** The places one after the other: each time from the zone, and there from the node, that has most of them left. */
function takeTurns(places: readonly number[], zoneOf: (place: number) => string): readonly number[] {
  const zones = [...Map.groupBy(places, zoneOf).values()].map((inZone) => [
    ...Map.groupBy(inZone, (at) => at).values(),
  ]);
  const left = (nodes: readonly (readonly number[])[]): number => nodes.reduce((sum, node) => sum + node.length, 0);
  return places.flatMap(() => {
    const zone = firstWithMost(zones, left);
    const node = firstWithMost(zone ?? [], ({ length }) => length);
    return node?.pop() ?? [];
  });
}

/** Of several the one that was first, which then becomes the last, so that all have their turn. */
function firstWithMost<T>(items: T[], amount: (item: T) => number): T | undefined {
  const most = Math.max(...items.map(amount));
  const index = items.findIndex((item) => amount(item) === most);
  const [chosen] = items.splice(index, 1);
  if (chosen !== undefined) items.push(chosen);
  return chosen;
}
