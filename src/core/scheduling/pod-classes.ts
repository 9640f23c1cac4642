import type { Labels } from "../model/labels.ts";
import type { NodePool } from "../model/node-pool.ts";
import type { Pod, PodSpec, PodTerm } from "../model/pod.ts";
import type { Resources } from "../model/resources.ts";
import type { Selector } from "../model/selector.ts";
import { kindOf, type PodKind } from "./pod-kinds.ts";

/** Pods that scheduling cannot tell apart. */
export interface PodClass {
  readonly index: number;
  readonly spec: PodSpec;
  readonly namespace: string;
  /** Of the first pod; the others differ only in labels that nothing looks at. */
  readonly labels: Labels;
  readonly pods: readonly Pod[];
  readonly requests: Resources;
  /** Of pods that do not exist yet. */
  readonly expectation: Pod["expectation"];
  /** Where requests depend on the pool. */
  readonly requestsByPool: ReadonlyMap<string, Resources> | undefined;
}

export interface ClassContext {
  /** Selectors of pods that already run and refuse others. */
  readonly boundSpecs: Iterable<PodSpec>;
  readonly pools: readonly NodePool[];
  readonly requestsFor: ((pod: Pod, pool: NodePool | undefined) => Resources) | undefined;
}

/** Groups pods: those that exist before those that are expected, then the largest first; within a class the oldest first. */
export function groupPods(pods: readonly Pod[], context: ClassContext): PodClass[] {
  const specs = new Set<PodSpec>();
  for (const pod of pods) specs.add(pod.spec);
  const interest = labelInterest([...specs, ...context.boundSpecs]);
  const specIds = new Map<PodSpec, number>();
  const members = new Map<string, Pod[]>();
  const membersByKind = {
    real: new Map<PodKind, Pod[]>(),
    firm: new Map<PodKind, Pod[]>(),
    tentative: new Map<PodKind, Pod[]>(),
  };
  for (const pod of pods) {
    const kind = kindOf(pod);
    const existence = pod.expectation ?? "real";
    const alike = membersByKind[existence].get(kind);
    if (alike) {
      alike.push(pod);
      continue;
    }
    let id = specIds.get(pod.spec);
    if (id === undefined) {
      id = specIds.size;
      specIds.set(pod.spec, id);
    }
    const own = context.requestsFor ? JSON.stringify(requestTables(pod, context)) : "";
    const key = `${id}\n${existence}\n${identity(pod, interest)}\n${own}`;
    const known = members.get(key) ?? [];
    known.push(pod);
    members.set(key, known);
    if (!context.requestsFor) membersByKind[existence].set(kind, known);
  }
  const classes = [...members.values()].map((group) => {
    const first = group[0]!;
    const requests = context.requestsFor ? context.requestsFor(first, undefined) : first.spec.requests;
    group.sort(byAge);
    return {
      spec: first.spec,
      namespace: first.namespace,
      labels: first.labels,
      pods: group,
      requests,
      expectation: first.expectation,
      requestsByPool: context.requestsFor
        ? new Map(context.pools.map((pool) => [pool.name, context.requestsFor!(first, pool)]))
        : undefined,
    };
  });
  classes.sort(
    (a, b) =>
      b.spec.priority - a.spec.priority ||
      certainties.indexOf(a.expectation) - certainties.indexOf(b.expectation) ||
      (b.requests.get("cpu") ?? 0) - (a.requests.get("cpu") ?? 0) ||
      (b.requests.get("memory") ?? 0) - (a.requests.get("memory") ?? 0) ||
      byAge(a.pods[0]!, b.pods[0]!),
  );
  return classes.map((podClass, index) => ({ index, ...podClass }));
}

const certainties: readonly Pod["expectation"][] = [undefined, "firm", "tentative"];

function requestTables(pod: Pod, { pools, requestsFor }: ClassContext): unknown {
  return [undefined, ...pools].map((pool) => [...requestsFor!(pod, pool)]);
}

function byAge(a: Pod, b: Pod): number {
  return (
    a.createdAt - b.createdAt || compare(a.uid, b.uid) || compare(a.namespace, b.namespace) || compare(a.name, b.name)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The values of each label key that some selector tells apart; "all" where the value itself goes into a selector.
 * Undefined when nothing looks at any pod's labels or namespace.
 */
type LabelInterest = ReadonlyMap<string, ReadonlySet<string> | "all"> | undefined;

function labelInterest(specs: readonly PodSpec[]): LabelInterest {
  let isSelecting = false;
  const interest = new Map<string, Set<string> | "all">();
  const addSelector = (selector: Selector | undefined) => {
    isSelecting = true;
    for (const { key, values } of selector?.expressions ?? []) {
      const known = interest.get(key);
      if (known === "all") continue;
      if (known) for (const value of values) known.add(value);
      else interest.set(key, new Set(values));
    }
  };
  const addTerm = (term: PodTerm) => {
    addSelector(term.selector);
    for (const key of [...term.matchLabelKeys, ...term.mismatchLabelKeys]) interest.set(key, "all");
  };
  for (const spec of specs) {
    for (const term of [...spec.podAffinity, ...spec.podAntiAffinity]) addTerm(term);
    for (const { term } of [...spec.preferredPodAffinity, ...spec.preferredPodAntiAffinity]) addTerm(term);
    for (const spread of spec.topologySpread) {
      addSelector(spread.selector);
      for (const key of spread.matchLabelKeys) interest.set(key, "all");
    }
  }
  return isSelecting ? interest : undefined;
}

/** What tells a pod apart besides its spec: its namespace and labels, as far as a selector or a volume claim cares. */
function identity(pod: Pod, interest: LabelInterest): string {
  if (interest === undefined) return pod.spec.volumeClaims.length > 0 ? pod.namespace : "";
  const parts = [pod.namespace];
  for (const key of interest.keys()) {
    const value = pod.labels.get(key);
    if (value === undefined) continue;
    const values = interest.get(key)!;
    parts.push(key, values === "all" || values.has(value) ? `=${value}` : "*");
  }
  return JSON.stringify(parts);
}
