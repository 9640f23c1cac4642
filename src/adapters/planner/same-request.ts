import type { PlanRequest } from "../../ports/planner.ts";

/** From a request through its snapshot and a list in it down to what a pool, say, is made of. */
const deepest = 4;

/** Whether two requests ask the same. Nothing in a snapshot ever changes, so what is the same object says the same. */
export function isSameRequest(one: PlanRequest, other: PlanRequest): boolean {
  return isSame(one, other, deepest);
}

/** False as well for what differs no deeper than it looks. */
function isSame(one: unknown, other: unknown, depth: number): boolean {
  if (Object.is(one, other)) return true;
  if (depth === 0 || typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return false;
  const [ours, theirs] = [entriesOf(one), entriesOf(other)];
  if (ours.size !== theirs.size) return false;
  for (const [key, value] of ours) if (!theirs.has(key) || !isSame(value, theirs.get(key), depth - 1)) return false;
  return true;
}

function entriesOf(value: object): ReadonlyMap<unknown, unknown> {
  if (value instanceof Map) return value;
  return new Map<unknown, unknown>(value instanceof Set ? value.entries() : Object.entries(value));
}
