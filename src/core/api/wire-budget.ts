/**
 * How large a part of an object may be before it is refused instead of read. The API server takes objects of up to
 * about 3 MB; files have no such guard, and YAML aliases can make a small file a huge or an endless tree.
 */
const mostNodes = 100_000;
const mostCharacters = 4_000_000;
const greatestDepth = 64;

/** Why a wire value cannot be read: it is not a tree of JSON values, or not one of a sensible size. */
export type Excess = "is nested too deeply" | "is too large" | "holds something that JSON has no word for";

/** Looks at every part of a value once, and stops early at one that goes beyond every measure. */
export function findExcess(value: unknown): Excess | undefined {
  const budget = { nodes: mostNodes, characters: mostCharacters };
  return spend(value, greatestDepth, budget);
}

function spend(value: unknown, depth: number, budget: { nodes: number; characters: number }): Excess | undefined {
  budget.nodes--;
  switch (typeof value) {
    case "string":
      budget.characters -= value.length;
      break;
    case "number":
      if (!Number.isFinite(value)) return "holds something that JSON has no word for";
      break;
    case "boolean":
    case "undefined":
      break;
    case "object":
      return value === null ? undefined : spendParts(value, depth, budget);
    default:
      return "holds something that JSON has no word for";
  }
  return budget.nodes < 0 || budget.characters < 0 ? "is too large" : undefined;
}

function spendParts(value: object, depth: number, budget: { nodes: number; characters: number }): Excess | undefined {
  if (depth === 0) return "is nested too deeply";
  if (Array.isArray(value)) {
    if (value.length > budget.nodes) return "is too large";
    for (const part of value) {
      const excess = spend(part, depth - 1, budget);
      if (excess !== undefined) return excess;
    }
    return undefined;
  }
  for (const key in value) {
    budget.characters -= key.length;
    const excess = spend((value as Record<string, unknown>)[key], depth - 1, budget);
    if (excess !== undefined) return excess;
  }
  return undefined;
}
