import { labelValue } from "../../label-matcher.ts";
import { type Preparation, resolvable, type Situation, skip, unresolvable } from "../node-filter.ts";
import type { NodeState } from "../node-state.ts";
import { countSelected, hasEveryKey, type SpreadConstraint, spreadConstraints } from "../spread-constraints.ts";

const message = "node(s) didn't match pod topology spread constraints";
const tooUneven = resolvable(message);
const unlabelled = unresolvable(`${message} (missing required label)`);

export function podTopologySpread({ cache, pod }: Situation): Preparation {
  const constraints = spreadConstraints(pod, "DoNotSchedule");
  if (constraints.length === 0) return skip;
  const groups = constraints.map((constraint) => new SpreadDomains(constraint, pod.namespace));
  for (const node of cache.nodes) if (hasEveryKey(node, constraints)) for (const group of groups) group.count(node);
  const self = constraints.map(({ selector }) => (selector.matches(pod.labels) ? 1 : 0));
  return {
    kind: "filter",
    filter: {
      refuse(node) {
        for (const [position, group] of groups.entries()) {
          const value = labelValue(node.labels, group.constraint.topologyKey);
          if (value === undefined) return unlabelled;
          if (group.at(value) + (self[position] ?? 0) - group.least() > group.constraint.maxSkew) return tooUneven;
        }
        return undefined;
      },
      adjust(other, node, change) {
        if (other.namespace !== pod.namespace || !hasEveryKey(node, constraints)) return;
        for (const group of groups) if (group.constraint.selector.matches(other.labels)) group.change(node, change);
      },
    },
  };
}

/** The domains of one constraint and how many pods each has. */
class SpreadDomains {
  readonly constraint: SpreadConstraint;
  readonly #namespace: string;
  readonly #counts = new Map<string, number>();
  #least: number | undefined;

  constructor(constraint: SpreadConstraint, namespace: string) {
    this.constraint = constraint;
    this.#namespace = namespace;
  }

  count(state: NodeState): void {
    this.change(state, countSelected(state, this.constraint.selector, this.#namespace));
  }

  change(state: NodeState, change: number): void {
    const value = labelValue(state.labels, this.constraint.topologyKey);
    if (value === undefined || state.node === undefined || !this.constraint.includes(state.node)) return;
    this.#counts.set(value, this.at(value) + change);
    this.#least = undefined;
  }

  at(value: string): number {
    return this.#counts.get(value) ?? 0;
  }

  /** Nothing, while there are fewer domains than there should be. */
  least(): number {
    this.#least ??= this.#counts.size < this.constraint.minDomains ? 0 : smallest(this.#counts.values());
    return this.#least;
  }
}

/** Without any domain the skew is never too large. */
function smallest(counts: Iterable<number>): number {
  let least = Number.MAX_SAFE_INTEGER;
  for (const count of counts) least = Math.min(least, count);
  return least;
}
