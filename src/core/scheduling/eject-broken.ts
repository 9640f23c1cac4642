import type { ClassRules, DomainRule, HostNeed } from "./class-rules.ts";
import { type OpenNode, type Placement, takeOff } from "./open-nodes.ts";
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
          takeOff(node, placement, 1, world.profileOf(node.poolName));
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
    hostNeeds.some((need) => !need.isSoft && !hasCompany(need, node, world))
  );
}

function stillHolds(rule: DomainRule, staged: StagedClass, { labels }: OpenNode, world: World): boolean {
  const { kind, counts, isMember } = rule;
  if (kind === "anti-affinity") return true; // Fewer pods never break it.
  const domain = labels.get(counts.group.key);
  if (domain === undefined) return false;
  if (kind === "spread") return counts.isWithinSkew(domain);
  if (!isMember) return counts.membersIn(domain) > 0;
  // Pods that all came to follow others do not hold each other there when those others are gone.
  const followers = world.openNodes
    .filter((node) => node.labels.get(counts.group.key) === domain)
    .reduce((sum, node) => sum + countPlaced(node, ({ demands }) => demands.some((one) => one.counts === counts)), 0);
  return counts.membersIn(domain) > followers || counts.isOnlyDomain(domain, staged.ask);
}

/** The same for pods that must share a host. */
function hasCompany({ group, isMember }: HostNeed, node: OpenNode, world: World): boolean {
  if (!isMember) return node.host.membersOf(group) > 0;
  const followers = countPlaced(node, ({ hostNeeds }) =>
    hostNeeds.some((need) => need.group === group && need.isMember),
  );
  if (node.host.membersOf(group) > followers) return true;
  return !world.openNodes.some((other) => other !== node && other.host.membersOf(group) > 0);
}

function countPlaced({ placed }: OpenNode, isMeant: (rules: ClassRules) => boolean): number {
  return placed.reduce((sum, { staged, count }) => sum + (isMeant(staged.rules) ? count : 0), 0);
}
