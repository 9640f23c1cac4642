import type { DomainRule } from "./class-rules.ts";
import { countInDomains, type OpenNode, type Placement } from "./open-nodes.ts";
import type { StagedClass, World } from "./world.ts";

/**
 * Takes pods off their nodes whose topology rules hold no more because pods they relied on found no machine after all.
 * Each one that goes may make another go, so it looks until nothing changes. Returns what was taken off.
 */
export function ejectBroken(world: World): { staged: StagedClass; count: number }[] {
  const ejected: { staged: StagedClass; count: number }[] = [];
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const node of world.openNodes) {
      for (const placement of node.placed) {
        let count = 0;
        while (placement.count > 0 && isBroken(placement, node)) {
          takeOff(placement, node, world);
          count++;
        }
        if (count === 0) continue;
        ejected.push({ staged: placement.staged, count });
        isChanged = true;
      }
    }
  }
  for (const { placed } of world.openNodes) {
    for (let index = placed.length - 1; index >= 0; index--) if (placed[index]!.count === 0) placed.splice(index, 1);
  }
  return ejected;
}

function isBroken({ staged }: Placement, node: OpenNode): boolean {
  const { demands, hostNeeds } = staged.rules;
  return (
    demands.some((rule) => !rule.isSoft && !stillHolds(rule, node)) ||
    hostNeeds.some(({ group, isMember }) => !isMember && node.host.membersOf(group) === 0)
  );
}

function stillHolds({ kind, counts, isMember }: DomainRule, { labels }: OpenNode): boolean {
  const domain = labels.get(counts.group.key);
  if (domain === undefined) return false;
  if (kind === "spread") return counts.isWithinSkew(domain);
  if (kind === "anti-affinity") return true; // Fewer pods never break it.
  return counts.membersIn(domain) > (isMember ? 1 : 0) || (isMember && counts.isOnlyDomain(domain));
}

function takeOff(placement: Placement, node: OpenNode, world: World): void {
  const { staged } = placement;
  const requests = staged.requests[world.profileOf(node.poolName)]!;
  placement.count--;
  for (let index = 0; index < requests.length; index++) node.room[index]! += requests[index]!;
  if (staged.rules.host) node.host.add(staged.rules.host, -1);
  countInDomains(staged.rules, node, -1);
}
