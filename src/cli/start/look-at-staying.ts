import type { Decision } from "../../core/disruption/decision.ts";

/** Nodes that stay for the same reason. */
export interface StayingLook {
  readonly nodes: number;
  readonly reason: string;
}

/** Why nodes were left alone when the fleet was last looked at for what it could do without, most nodes first. Of `decisions` the newest is first. */
export function lookAtStaying(decisions: readonly Decision[]): readonly StayingLook[] {
  const last = decisions.find(({ kind, reason }) => kind === "looked" && reason === "Underutilized");
  const groups = new Map<string, { nodes: number; reason: string }>();
  for (const { isTaken, because } of last?.candidates ?? []) {
    if (isTaken) continue;
    // Amounts differ from node to node; those of the first stand for all.
    const key = because.replaceAll(/\d+(\.\d+)?/g, "#").replaceAll(/pod [^\s:]+/g, "pod");
    const group = groups.get(key) ?? { nodes: 0, reason: because };
    group.nodes++;
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.nodes - a.nodes);
}
