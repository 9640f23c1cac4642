import { type OpenNode, placeOnOpenNodes } from "./open-nodes.ts";
import type { PlannedClass, World } from "./world.ts";

/**
 * What kube-scheduler does by itself on nodes that it is filling, before anybody can tell it otherwise: the oldest come
 * first, each where most is left. Says how many find room.
 */
export function serveOldest(world: World, classes: readonly PlannedClass[]): ReadonlyMap<PlannedClass, number> {
  const served = new Map<PlannedClass, number>();
  const filling = world.settings.oldestFirst === true ? nodesBeingFilled(world) : [];
  if (filling.length === 0) return served;
  // Those that leave a node come back as the youngest.
  const waiting = classes.filter(({ podClass }) => podClass.pods.every(({ nodeName }) => nodeName === ""));
  const byAge = waiting.toSorted(
    ({ podClass: a }, { podClass: b }) =>
      b.spec.priority - a.spec.priority || a.pods[0]!.createdAt - b.pods[0]!.createdAt,
  );
  for (const planned of byAge) {
    const newcomer = world.newcomer(world.atStage(planned, 0)!);
    const most = planned.podClass.pods.length;
    let count = 0;
    while (count < most && placeOnOpenNodes(newcomer, 1, roomiestFirst(filling, world.resources)) === 0) count++;
    served.set(planned, count);
  }
  return served;
}

/** They take pods, and some that are meant for them have not come yet. */
function nodesBeingFilled({ openNodes, snapshot }: World): readonly OpenNode[] {
  return openNodes.filter(
    ({ existing }) =>
      existing?.isInitialized === true &&
      snapshot.podsByNode.get(existing.name)?.some(({ nodeName }) => nodeName === "") === true,
  );
}

/** By the share of processors and memory that is left. */
function roomiestFirst(nodes: readonly OpenNode[], resources: readonly string[]): readonly OpenNode[] {
  const share = ({ room, existing }: OpenNode, resource: string): number => {
    const index = resources.indexOf(resource);
    return index < 0 ? 0 : room[index]! / (existing?.allocatable.get(resource) || 1);
  };
  const left = (node: OpenNode): number => share(node, "cpu") + share(node, "memory");
  return nodes.toSorted((a, b) => left(b) - left(a));
}
