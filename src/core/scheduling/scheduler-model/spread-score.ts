import { hostnameLabel, zoneLabel } from "../../model/labels.ts";
import type { Pod, TopologySpread } from "../../model/pod.ts";
import { type Selector, type SelectorExpression, selects } from "../../model/selector.ts";
import { controllerUid } from "../../model/workload.ts";
import { loadOf } from "../bound-pods.ts";
import type { OpenNode } from "../open-nodes.ts";
import { kindOf, type PodKind } from "../pod-kinds.ts";
import { highestScore } from "./node-score.ts";

/** The pods that a constraint counts, and where they are. */
interface Crowd {
  readonly selector: Selector | undefined;
  readonly namespace: string;
  /** Labels that a node must have for its pods to count. */
  readonly neededKeys: readonly string[];
  readonly byNode: Int32Array;
  readonly byDomain: Map<string, Int32Array>;
}

interface SoftSpread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly crowd: Crowd;
}

/** The constraints of a pod that only prefer some nodes. */
interface SoftRules {
  readonly spreads: readonly SoftSpread[];
  /** Labels without which a node has the lowest score. */
  readonly neededKeys: readonly string[];
}

/** The system defaults of kube-scheduler, for pods that say nothing about spread. */
const defaults = [
  { topologyKey: hostnameLabel, maxSkew: 3 },
  { topologyKey: zoneLabel, maxSkew: 5 },
];
const noRules: SoftRules = { spreads: [], neededKeys: [] };
const spreadByDefault: ReadonlySet<string> = new Set(["ReplicaSet", "ReplicationController", "StatefulSet"]);
/** Of PodTopologySpread in the default profile. */
const weight = 2;

/**
 * PodTopologySpread: the fewer pods that a constraint counts are in a node's domains, the better. Required constraints
 * filter nodes, and are the planner's own to judge. The default constraints count the pods of the same owner.
 */
export class SpreadScore {
  readonly #nodes: readonly OpenNode[];
  readonly #podsOn: (nodeName: string) => readonly Pod[];
  readonly #domains = new Map<string, Int32Array>();
  readonly #rulesByKind = new Map<PodKind, SoftRules>();
  readonly #rulesByOwner = new Map<string, SoftRules>();
  /** Of constraints that pods have themselves, by what they count. */
  readonly #crowds = new Map<string, Crowd>();
  /** For each kind of pod the crowds that it is in, of the first so many. */
  readonly #crowdsByKind = new Map<PodKind, { seen: number; readonly crowds: Crowd[] }>();
  readonly #placed: { readonly pod: Pod; readonly index: number }[] = [];
  readonly #sums: Float64Array;
  /** For each owner the nodes of its pods, one entry for each pod. */
  #nodesByOwner: ReadonlyMap<string, readonly number[]> | undefined;

  constructor(nodes: readonly OpenNode[], podsOn: (nodeName: string) => readonly Pod[]) {
    this.#nodes = nodes;
    this.#podsOn = podsOn;
    this.#sums = new Float64Array(nodes.length);
  }

  /** Adds the score of each node that takes the pod; `indexes` and `scores` go together. */
  addTo(scores: Float64Array, indexes: Int32Array, count: number, pod: Pod): void {
    const { spreads, neededKeys } = this.#rulesOf(pod);
    if (spreads.length === 0) return;
    const places: number[] = [];
    for (let place = 0; place < count; place++) if (this.#hasKeys(indexes[place]!, neededKeys)) places.push(place);
    const sums = this.#sums.fill(0, 0, count);
    for (const spread of spreads) this.#addSums(sums, indexes, places, spread);
    let most = 0;
    let least = Number.POSITIVE_INFINITY;
    for (const place of places) {
      const sum = Math.round(sums[place]!);
      sums[place] = sum;
      if (sum > most) most = sum;
      if (sum < least) least = sum;
    }
    for (const place of places) {
      const score = most === 0 ? highestScore : Math.floor((highestScore * (most + least - sums[place]!)) / most);
      scores[place]! += weight * score;
    }
  }

  /** A pod has come to a node. */
  place(pod: Pod, index: number): void {
    for (const crowd of this.#crowdsOf(pod)) this.#count(crowd, index, 1);
    this.#placed.push({ pod, index });
  }

  /** Forgets every pod that has come. */
  reset(): void {
    for (const { pod, index } of this.#placed) for (const crowd of this.#crowdsOf(pod)) this.#count(crowd, index, -1);
    this.#placed.length = 0;
  }

  #addSums(
    sums: Float64Array,
    indexes: Int32Array,
    places: readonly number[],
    { topologyKey, maxSkew, crowd }: SoftSpread,
  ): void {
    if (topologyKey === hostnameLabel) {
      const each = Math.log(places.length + 2);
      for (const place of places) sums[place]! += crowd.byNode[indexes[place]!]! * each + maxSkew - 1;
      return;
    }
    const domains = this.#domainsOf(topologyKey);
    const counts = this.#countsOf(topologyKey, crowd);
    const seen = new Set<number>();
    for (const place of places) seen.add(domains[indexes[place]!]!);
    const each = Math.log(seen.size + 2);
    for (const place of places) {
      const domain = domains[indexes[place]!]!;
      if (domain >= 0) sums[place]! += counts[domain]! * each + maxSkew - 1;
    }
  }

  #rulesOf(pod: Pod): SoftRules {
    if (pod.spec.topologySpread.length === 0) return this.#defaultRulesOf(pod);
    const kind = kindOf(pod);
    let rules = this.#rulesByKind.get(kind);
    if (rules === undefined) {
      const soft = pod.spec.topologySpread.filter(({ isRequired }) => !isRequired);
      const neededKeys = [...new Set(soft.map(({ topologyKey }) => topologyKey))].sort();
      const spreads = soft.map((spread) => ({ ...spread, crowd: this.#crowdFor(kind, spread, neededKeys) }));
      rules = { spreads, neededKeys };
      this.#rulesByKind.set(kind, rules);
    }
    return rules;
  }

  #defaultRulesOf(pod: Pod): SoftRules {
    const uid = controllerUid(pod);
    let rules = this.#rulesByOwner.get(uid);
    if (rules !== undefined) return rules;
    rules = noRules;
    if (uid !== "" && pod.owners.some(({ kind, isController }) => isController && spreadByDefault.has(kind))) {
      const crowd = this.#newCrowd(undefined, "", []);
      this.#nodesByOwner ??= this.#findOwners();
      for (const index of this.#nodesByOwner.get(uid) ?? []) this.#count(crowd, index, 1);
      for (const placed of this.#placed) if (controllerUid(placed.pod) === uid) this.#count(crowd, placed.index, 1);
      rules = { spreads: defaults.map((spread) => ({ ...spread, crowd })), neededKeys: [] };
    }
    this.#rulesByOwner.set(uid, rules);
    return rules;
  }

  #findOwners(): ReadonlyMap<string, readonly number[]> {
    const owners = new Map<string, number[]>();
    this.#nodes.forEach(({ existing }, index) => {
      for (const pod of this.#podsOn(existing?.name ?? "")) {
        if (pod.isDeleting) continue;
        const uid = controllerUid(pod);
        const known = owners.get(uid);
        if (known) known.push(index);
        else owners.set(uid, [index]);
      }
    });
    return owners;
  }

  #crowdFor({ namespace, labels }: PodKind, spread: TopologySpread, neededKeys: readonly string[]): Crowd {
    const own = spread.matchLabelKeys.flatMap((key): SelectorExpression[] => {
      const value = labels.get(key);
      return value === undefined ? [] : [{ key, operator: "In", values: [value] }];
    });
    const expressions = spread.selector === undefined ? [] : [...spread.selector.expressions, ...own];
    const key = JSON.stringify([namespace, expressions, neededKeys]);
    let crowd = this.#crowds.get(key);
    if (crowd === undefined) {
      // kube-scheduler counts no pods for a selector that asks for nothing.
      crowd = this.#newCrowd(expressions.length === 0 ? undefined : { expressions }, namespace, neededKeys);
      for (const [index, { existing }] of this.#nodes.entries()) {
        for (const { kind, isDeleting, count } of loadOf(this.#podsOn(existing?.name ?? "")).kinds)
          if (!isDeleting && isIn(crowd, kind)) this.#count(crowd, index, count);
      }
      for (const { pod, index } of this.#placed) if (isIn(crowd, pod)) this.#count(crowd, index, 1);
      this.#crowds.set(key, crowd);
    }
    return crowd;
  }

  #newCrowd(selector: Selector | undefined, namespace: string, neededKeys: readonly string[]): Crowd {
    return { selector, namespace, neededKeys, byNode: new Int32Array(this.#nodes.length), byDomain: new Map() };
  }

  /** Every crowd that the pod is in. */
  #crowdsOf(pod: Pod): readonly Crowd[] {
    const [byDefault] = this.#rulesByOwner.get(controllerUid(pod))?.spreads ?? [];
    const selecting = this.#crowdsSelecting(pod);
    return byDefault === undefined ? selecting : [byDefault.crowd, ...selecting];
  }

  #crowdsSelecting(pod: Pod): readonly Crowd[] {
    if (this.#crowds.size === 0) return [];
    const kind = kindOf(pod);
    let known = this.#crowdsByKind.get(kind);
    if (known === undefined) {
      known = { seen: 0, crowds: [] };
      this.#crowdsByKind.set(kind, known);
    }
    if (known.seen < this.#crowds.size) {
      for (const crowd of [...this.#crowds.values()].slice(known.seen)) if (isIn(crowd, kind)) known.crowds.push(crowd);
      known.seen = this.#crowds.size;
    }
    return known.crowds;
  }

  #count({ neededKeys, byNode, byDomain }: Crowd, index: number, count: number): void {
    if (!this.#hasKeys(index, neededKeys)) return;
    byNode[index]! += count;
    for (const [key, counts] of byDomain) {
      const domain = this.#domainsOf(key)[index]!;
      if (domain >= 0) counts[domain]! += count;
    }
  }

  #countsOf(key: string, { byNode, byDomain }: Crowd): Int32Array {
    let counts = byDomain.get(key);
    if (counts === undefined) {
      counts = new Int32Array(this.#nodes.length);
      const domains = this.#domainsOf(key);
      for (let index = 0; index < byNode.length; index++) {
        const domain = domains[index]!;
        if (domain >= 0) counts[domain]! += byNode[index]!;
      }
      byDomain.set(key, counts);
    }
    return counts;
  }

  #hasKeys(index: number, keys: readonly string[]): boolean {
    return keys.every((key) => this.#domainsOf(key)[index]! >= 0);
  }

  /** The domain of each node as a number, -1 for a node without that label. */
  #domainsOf(key: string): Int32Array {
    let domains = this.#domains.get(key);
    if (domains === undefined) {
      const numbers = new Map<string, number>();
      domains = Int32Array.from(this.#nodes, ({ labels }) => {
        const value = labels.get(key);
        if (value === undefined) return -1;
        const number = numbers.get(value) ?? numbers.size;
        numbers.set(value, number);
        return number;
      });
      this.#domains.set(key, domains);
    }
    return domains;
  }
}

function isIn({ selector, namespace }: Crowd, pod: Pick<Pod, "namespace" | "labels">): boolean {
  return selector !== undefined && pod.namespace === namespace && selects(selector, pod.labels);
}
