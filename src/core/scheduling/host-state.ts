import type { HostRules } from "./packing/problem.ts";

/** The pods on one host, as the rules about sharing a host count them. */
export class HostState {
  /** Made when there is something to count: nothing is on most hosts of a large cluster. */
  private members: Map<number, number> | undefined;
  private owners: Map<number, number> | undefined;

  add({ memberOf, owns }: Pick<HostRules, "memberOf" | "owns">, count: number): void {
    if (memberOf.length > 0) this.members = withMore(this.members, memberOf, count);
    if (owns.length > 0) this.owners = withMore(this.owners, owns, count);
  }

  membersOf(group: number): number {
    return this.members?.get(group) ?? 0;
  }

  /** How many more pods with these rules may come. */
  room(rules: HostRules): number {
    return roomOnHost(rules, (group) => this.membersOf(group), this.ownedGroups());
  }

  private ownedGroups(): readonly number[] {
    if (this.owners === undefined) return none;
    const groups: number[] = [];
    for (const [group, count] of this.owners) if (count > 0) groups.push(group);
    return groups;
  }
}

const none: readonly number[] = [];

function withMore(
  counts: Map<number, number> = new Map(),
  groups: readonly number[],
  count: number,
): Map<number, number> {
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + count);
  return counts;
}

/** How many more pods with these rules may come to a host, by the members on it and the groups whose owners are on it. */
export function roomOnHost(rules: HostRules, members: (group: number) => number, owned: readonly number[]): number {
  const memberships = membershipsOf(rules);
  let most = Number.MAX_SAFE_INTEGER;
  for (const { group, most: cap } of rules.caps) {
    const left = cap - members(group);
    const each = memberships.get(group) ?? 0;
    if (each > 0) most = Math.min(most, Math.floor(left / each));
    else if (left < 0) return 0;
  }
  for (const group of rules.refuses) {
    if (members(group) > 0) return 0;
    if (memberships.has(group)) most = Math.min(most, 1);
  }
  for (const group of owned) {
    const each = memberships.get(group);
    if (each === undefined) continue;
    // kube-scheduler may take this one first, and the owner of the rule would not find its place as planned.
    const bound = rules.bounds.find((one) => one.group === group);
    if (!bound) return 0;
    most = Math.min(most, Math.floor((bound.most - members(group)) / each));
  }
  return Math.max(0, most);
}

const knownMemberships = new WeakMap<HostRules, ReadonlyMap<number, number>>();

/** How often each group counts whoever has these rules: an item that stands for several pods is a member several times. */
function membershipsOf(rules: HostRules): ReadonlyMap<number, number> {
  let memberships = knownMemberships.get(rules);
  if (!memberships) {
    const counts = new Map<number, number>();
    for (const group of rules.memberOf) counts.set(group, (counts.get(group) ?? 0) + 1);
    memberships = counts;
    knownMemberships.set(rules, memberships);
  }
  return memberships;
}
