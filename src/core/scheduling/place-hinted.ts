import { type OpenNode, placeOnOpenNodes } from "./open-nodes.ts";
import type { PlannedClass, World } from "./world.ts";

/** Pods of one class that an earlier plan meant for one node. */
interface Wish {
  readonly planned: PlannedClass;
  readonly node: OpenNode;
  readonly count: number;
}

/**
 * Puts pods on the nodes that an earlier plan meant them for, where they still fit. Returns how many of each class found
 * their place; the others are planned like pods without a hint.
 */
export function placeHinted(world: World, classes: readonly PlannedClass[]): ReadonlyMap<PlannedClass, number> {
  const placed = new Map<PlannedClass, number>();
  let wishes = wishesOf(world, classes);
  // A pod may be what another one needs: spread and affinity are asked again until nothing more finds its place.
  for (let isProgress = true; isProgress && wishes.length > 0; ) {
    isProgress = false;
    const left: Wish[] = [];
    for (const wish of wishes) {
      const { planned, node, count } = wish;
      const stages = world.stagesOf(planned.podClass.spec);
      // The plan that gave the hint may have relaxed what the pod prefers.
      const staged = world.atStage(planned, stages.length - 1)!;
      const remaining = placeOnOpenNodes(world.newcomer(staged), count, [node]);
      if (remaining > 0) left.push({ ...wish, count: remaining });
      if (remaining === count) continue;
      isProgress = true;
      placed.set(planned, (placed.get(planned) ?? 0) + count - remaining);
    }
    wishes = left;
  }
  return placed;
}

function wishesOf({ openNodes, settings }: World, classes: readonly PlannedClass[]): Wish[] {
  const { hints } = settings;
  if (hints === undefined || hints.size === 0) return [];
  const nodes = new Map(openNodes.map((node) => [node.existing?.name, node]));
  return classes.flatMap((planned) => {
    const counts = new Map<OpenNode, number>();
    for (const { uid } of planned.podClass.pods) {
      const node = nodes.get(hints.get(uid));
      if (node?.existing !== undefined) counts.set(node, (counts.get(node) ?? 0) + 1);
    }
    return Array.from(counts, ([node, count]) => ({ planned, node, count }));
  });
}
