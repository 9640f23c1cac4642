import type { HostRules } from "./packing/problem.ts";

/** The pods on one host, as the rules about sharing a host count them. */
export class HostState {
  private readonly members = new Map<number, number>();
  private readonly owners = new Map<number, number>();

  add(rules: Pick<HostRules, "memberOf" | "owns">, count: number): void {
    for (const group of rules.memberOf) this.members.set(group, (this.members.get(group) ?? 0) + count);
    for (const group of rules.owns) this.owners.set(group, (this.owners.get(group) ?? 0) + count);
  }

  membersOf(group: number): number {
    return this.members.get(group) ?? 0;
  }

  /** How many more pods with these rules may come. */
  room(rules: HostRules): number {
    return roomOnHost(
      rules,
      (group) => this.membersOf(group),
      (group) => this.owners.get(group) ?? 0,
    );
  }
}

export function roomOnHost(
  rules: HostRules,
  members: (group: number) => number,
  owners: (group: number) => number,
): number {
  let most = Number.MAX_SAFE_INTEGER;
  for (const { group, most: cap } of rules.caps) {
    const left = cap - members(group);
    const each = occurrences(rules.memberOf, group);
    if (each > 0) most = Math.min(most, Math.floor(left / each));
    else if (left < 0) return 0;
  }
  for (const group of rules.refuses) {
    if (members(group) > 0) return 0;
    if (rules.memberOf.includes(group)) most = Math.min(most, 1);
  }
  for (const group of rules.memberOf) {
    if (owners(group) === 0) continue;
    // kube-scheduler may take this one first, and the owner of the rule would not find its place as planned.
    const bound = rules.bounds.find((one) => one.group === group);
    if (!bound) return 0;
    most = Math.min(most, Math.floor((bound.most - members(group)) / occurrences(rules.memberOf, group)));
  }
  return Math.max(0, most);
}

/** An item that stands for several pods is a member several times. */
function occurrences(groups: readonly number[], group: number): number {
  let count = 0;
  for (const one of groups) if (one === group) count++;
  return count;
}
