import { readAmounts } from "./catalogue.ts";
import { checkPods, checkRoom } from "./verify-pods.ts";
import type { Site } from "./verify-topology.ts";
import type { Violations } from "./violations.ts";
import { type ExistingNode, hostLabel, type Plan, type Pod, type Scenario } from "./wire.ts";

/** The nodes of the scenario with the pods on them and those that the plan adds, which must fit there. */
export function existingSites(
  { objects = [] }: Scenario,
  placements: NonNullable<Plan["placements"]>,
  findPods: (names: readonly string[]) => Pod[],
  violations: Violations,
): readonly Site[] {
  const bound = Map.groupBy(
    objects.filter((object) => object.kind === "Pod"),
    ({ spec }) => spec.nodeName,
  );
  const nodes = new Map(objects.filter((object) => object.kind === "Node").map((node) => [node.metadata.name, node]));
  const planned = new Map<ExistingNode, Pod[]>();
  for (const { node: name, pods } of placements) {
    const node = nodes.get(name);
    const found = findPods(pods);
    if (node === undefined) violations.add("unknown node", name);
    else planned.set(node, [...(planned.get(node) ?? []), ...found]);
  }
  return Array.from(nodes, ([name, node]) => {
    const { metadata, spec, status } = node;
    const [pods, boundPods] = [planned.get(node) ?? [], bound.get(name) ?? []];
    const labels = { ...metadata.labels, [hostLabel]: name };
    checkPods({ name, labels, taints: spec.taints ?? [], pods }, violations);
    const allocatable = readAmounts(status.allocatable);
    if (pods.length > 0) checkRoom({ name, allocatable, pods: [...boundPods, ...pods] }, violations);
    return { labels, pods, boundPods };
  });
}
