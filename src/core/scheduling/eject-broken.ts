import type { DomainRule } from "./class-rules.ts";
import type { DomainCounts } from "./domain-counts.ts";
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
        while (placement.count > 0 && isBroken(placement, node, world)) {
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

function isBroken({ staged }: Placement, node: OpenNode, world: World): boolean {
  const { demands, hostNeeds } = staged.rules;
  return (
    demands.some((rule) => !rule.isSoft && !stillHolds(rule, staged, node, world)) ||
    hostNeeds.some(({ group, isMember }) => !isMember && node.host.membersOf(group) === 0)
  );
}

function stillHolds(
  { kind, counts, isMember }: DomainRule,
  staged: StagedClass,
  { labels }: OpenNode,
  world: World,
): boolean {
  const domain = labels.get(counts.group.key);
  if (domain === undefined) return false;
  if (kind === "spread") return counts.isWithinSkew(domain);
  if (kind === "anti-affinity") return true; // Fewer pods never break it.
  if (!isMember) return counts.membersIn(domain) > 0;
  // Pods that all came to follow others do not hold each other there when those others are gone.
  return counts.membersIn(domain) > followersIn(domain, counts, world) || counts.isOnlyDomain(domain, staged.ask);
}

/** Members that are in the domain because of other members. */
function followersIn(domain: string, counts: DomainCounts, world: World): number {
  let followers = 0;
  for (const { labels, placed } of world.openNodes) {
    if (labels.get(counts.group.key) !== domain) continue;
    for (const { staged, count } of placed) {
      if (staged.rules.demands.some((rule) => rule.counts === counts && rule.isMember)) followers += count;
    }
  }
  return followers;
}

function takeOff(placement: Placement, node: OpenNode, world: World): void {
  const { staged } = placement;
  const requests = staged.requests[world.profileOf(node.poolName)]!;
  placement.count--;
  for (let index = 0; index < requests.length; index++) node.room[index]! += requests[index]!;
  if (staged.rules.host) node.host.add(staged.rules.host, -1);
  countInDomains(staged.rules, node, -1);
}
