import type { Pod } from "../model/pod.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { wouldTake } from "./open-nodes.ts";
import { screenPods } from "./screen-pods.ts";
import type { PlanSettings } from "./settings.ts";
import { World } from "./world.ts";

/** The names of the nodes that would take the pod as they are, preferences aside: what kube-scheduler's filters say. */
export function feasibleNodes(snapshot: Snapshot, pod: Pod, settings: PlanSettings): string[] {
  const strict: PlanSettings = { ...settings, preferencePolicy: "Ignore" };
  const { classes } = screenPods(snapshot, [pod], strict);
  const [planned] = classes;
  if (!planned) return [];
  const world = new World(snapshot, classes, strict);
  const staged = world.atStage(planned, world.stagesOf(planned.podClass.spec).length - 1)!;
  const newcomer = world.newcomer(staged);
  const names: string[] = [];
  for (const node of world.openNodes) {
    if (node.existing && wouldTake(newcomer, node)) names.push(node.existing.name);
  }
  return names;
}
