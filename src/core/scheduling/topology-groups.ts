import { hostnameLabel, type Labels } from "../model/labels.ts";
import type { PodTerm, TopologySpread } from "../model/pod.ts";
import { toEntries } from "../model/requirement-entries.ts";
import type { NodeTerm } from "../model/requirements.ts";
import { type Selector, selects } from "../model/selector.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Ask } from "./ask.ts";

export type TopologyKind = "spread" | "affinity" | "anti-affinity";

/** Who is counted, and where, by one rule about the company of pods. Pods with equal rules share a group. */
export interface TopologyGroup {
  readonly index: number;
  readonly kind: TopologyKind;
  readonly key: string;
  readonly isHost: boolean;
  /** All of them must match a pod. */
  readonly matchers: readonly Matcher[];
  readonly spread: TopologySpread | undefined;
  /** For spread: which nodes count, by labels and taints. */
  readonly filter: Ask | undefined;
  /** Labels that a node must have to count. */
  readonly neededKeys: readonly string[];
}

/** Pods that one term is about. */
interface Matcher {
  readonly selector: Selector | undefined;
  readonly namespaces: ReadonlySet<string> | "all";
}

/** What makes a rule: the term, and the pod whose namespace and labels complete it. */
export interface RuleSource {
  readonly namespace: string;
  readonly labels: Labels;
}

/** Finds or makes the group for each rule, and finds the groups that count a pod. */
export class TopologyGroups {
  readonly groups: TopologyGroup[] = [];
  private readonly snapshot: Snapshot;
  private readonly byKey = new Map<string, TopologyGroup>();
  private readonly byLabel = new Map<string, TopologyGroup[]>();
  private readonly unindexed: TopologyGroup[] = [];
  private readonly filterKeys = new Map<string, string>();
  private readonly termIds = new Map<NodeTerm, string>();

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
  }

  forTerm(kind: "affinity" | "anti-affinity", term: PodTerm, source: RuleSource): TopologyGroup {
    return this.findOrMake(kind, term.topologyKey, [this.matcherOf(term, source)], undefined);
  }

  /** One group for each of a pod's required affinity terms: it counts only pods that match all of them. */
  forRequiredAffinity(terms: readonly PodTerm[], source: RuleSource): TopologyGroup[] {
    const matchers = terms.map((term) => this.matcherOf(term, source));
    const keys = new Set(terms.map(({ topologyKey }) => topologyKey));
    return Array.from(keys, (key) => this.findOrMake("affinity", key, matchers, undefined));
  }

  forSpread(spread: TopologySpread, source: RuleSource, ask: Ask): TopologyGroup {
    const narrowed = withMatchLabelKeys(spread.selector, spread.matchLabelKeys, [], source.labels);
    // kube-scheduler counts nobody by a selector that asks for nothing.
    const selector = narrowed?.expressions.length === 0 ? undefined : narrowed;
    const matcher: Matcher = { selector, namespaces: new Set([source.namespace]) };
    return this.findOrMake("spread", spread.topologyKey, [matcher], { spread, ask });
  }

  /** The groups that count a pod with this namespace and these labels. */
  selecting(source: RuleSource): TopologyGroup[] {
    const found: TopologyGroup[] = [];
    const consider = (group: TopologyGroup) => {
      if (counts(group, source)) found.push(group);
    };
    for (const [key, value] of source.labels) this.byLabel.get(`${key}=${value}`)?.forEach(consider);
    this.unindexed.forEach(consider);
    return found;
  }

  private findOrMake(
    kind: TopologyKind,
    key: string,
    matchers: readonly Matcher[],
    spreading: { readonly spread: TopologySpread; readonly ask: Ask } | undefined,
  ): TopologyGroup {
    const isHost = key === hostnameLabel;
    const spread = spreading?.spread;
    // Whether a host counts that is no candidate does not matter: there can always be another.
    const filter = isHost ? undefined : spreading?.ask;
    const neededKeys = filter && spread ? keysBeside(spread, filter) : [];
    const identity = JSON.stringify([
      kind,
      key,
      [...new Set(matchers.map(matcherKey))].sort(),
      spread ? [spread.maxSkew, spread.minDomains, spread.honorsNodeAffinity, spread.honorsNodeTaints] : null,
      filter && spread ? this.filterKey(filter, spread) : null,
      neededKeys,
    ]);
    const known = this.byKey.get(identity);
    if (known) return known;
    const group = { index: this.groups.length, kind, key, isHost, matchers, spread, filter, neededKeys };
    this.groups.push(group);
    this.byKey.set(identity, group);
    this.addToIndex(group);
    return group;
  }

  /** Most selectors name a label and its value: a pod without that label need not be tried. */
  private addToIndex(group: TopologyGroup): void {
    const exact = group.matchers
      .flatMap(({ selector }) => selector?.expressions ?? [])
      .find(({ operator, values }) => operator === "In" && values.length === 1);
    if (!exact) {
      this.unindexed.push(group);
      return;
    }
    const label = `${exact.key}=${exact.values[0]}`;
    const known = this.byLabel.get(label);
    if (known) known.push(group);
    else this.byLabel.set(label, [group]);
  }

  private matcherOf(term: PodTerm, source: RuleSource): Matcher {
    const selector = withMatchLabelKeys(term.selector, term.matchLabelKeys, term.mismatchLabelKeys, source.labels);
    return { selector, namespaces: this.namespacesOf(term, source.namespace) };
  }

  private namespacesOf(term: PodTerm, own: string): ReadonlySet<string> | "all" {
    if (!term.namespaceSelector) return new Set(term.namespaces.length > 0 ? term.namespaces : [own]);
    if (term.namespaceSelector.expressions.length === 0) return "all";
    const selected = [...this.snapshot.namespaces].filter(([, labels]) => selects(term.namespaceSelector, labels));
    return new Set([...term.namespaces, ...selected.map(([name]) => name)]);
  }

  private filterKey(ask: Ask, spread: TopologySpread): string {
    const affinity = spread.honorsNodeAffinity
      ? [this.termId(ask.nodeSelector), ask.requiredNodeTerms.map((term) => this.termId(term))]
      : [];
    // What a later stage tolerates besides must not make another group, which would know nothing of earlier pods.
    const tolerations = spread.honorsNodeTaints
      ? ask.tolerations.filter(({ effect }) => effect !== "PreferNoSchedule")
      : [];
    const text = JSON.stringify([affinity, tolerations]);
    const known = this.filterKeys.get(text) ?? String(this.filterKeys.size);
    this.filterKeys.set(text, known);
    return known;
  }

  private termId(term: NodeTerm): string {
    let id = this.termIds.get(term);
    if (id === undefined) {
      id = JSON.stringify(toEntries(term));
      this.termIds.set(term, id);
    }
    return id;
  }
}

export function counts({ matchers }: TopologyGroup, { namespace, labels }: RuleSource): boolean {
  return matchers.every(
    ({ selector, namespaces }) => (namespaces === "all" || namespaces.has(namespace)) && selects(selector, labels),
  );
}

function matcherKey({ selector, namespaces }: Matcher): string {
  return JSON.stringify([selector?.expressions ?? null, namespaces === "all" ? "all" : [...namespaces].sort()]);
}

/** The other labels that a node must have to count: those of all constraints that are as hard as this one. */
function keysBeside({ topologyKey, isRequired }: TopologySpread, { spreadKeys }: Ask): string[] {
  const keys = isRequired ? spreadKeys.required : spreadKeys.preferred;
  return keys.filter((key) => key !== topologyKey && key !== hostnameLabel);
}

/** The listed keys narrow a selector to pods that carry the same value as the pod itself, or another one. */
function withMatchLabelKeys(
  selector: Selector | undefined,
  same: readonly string[],
  other: readonly string[],
  labels: Labels,
): Selector | undefined {
  if (!selector || (same.length === 0 && other.length === 0)) return selector;
  const expressions = [...selector.expressions];
  for (const [keys, operator] of [
    [same, "In"],
    [other, "NotIn"],
  ] as const) {
    for (const key of keys) {
      const value = labels.get(key);
      if (value !== undefined) expressions.push({ key, operator, values: [value] });
    }
  }
  return { expressions };
}
