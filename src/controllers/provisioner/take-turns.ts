import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { areAlike, groupAlike } from "../../core/model/are-alike.ts";
import { domainSpread } from "../../core/model/domain-spread.ts";
import type { Pod } from "../../core/model/pod.ts";
import { podsInQueue } from "./pods-in-queue.ts";

interface Place {
  readonly claimName: string;
  readonly domain: string;
}

/**
 * Pods that must spread over zones get into one only when it is that zone's turn. Those that are alike exchange their
 * places among these claims, so that the zones take turns in the order in which kube-scheduler comes to the pods.
 */
export function takeTurns(cluster: ClusterState, claimNames: readonly string[]): void {
  const waiting = podsInQueue(cluster, claimNames).filter(
    (pod) => pod.nodeName === "" && domainSpread(pod) !== undefined,
  );
  const kinds = groupAlike(waiting).filter(({ length }) => length > 1);
  const specs = new Set(kinds.map(([{ spec }]) => spec));
  const settled = Map.groupBy(
    [...cluster.pods.values()].filter(({ nodeName, spec }) => nodeName !== "" && specs.has(spec)),
    ({ spec }) => spec,
  );
  for (const pods of kinds) exchange(cluster, pods, settled.get(pods[0].spec) ?? []);
}

/** Those that have their nodes already count in their zones. */
function exchange(cluster: ClusterState, pods: readonly [Pod, ...Pod[]], settled: readonly Pod[]): void {
  const { nominations } = cluster;
  const [first] = pods;
  const key = domainSpread(first)?.topologyKey;
  if (key === undefined) return;
  const places = pods.flatMap(({ uid }): Place[] => {
    const claim = cluster.claims.get(nominations.claimOf(uid) ?? "");
    const domain = claim === undefined ? undefined : cluster.nodesOf(claim)[0]?.labels.get(key);
    return claim === undefined || domain === undefined ? [] : [{ claimName: claim.name, domain }];
  });
  // One of them has not joined: nobody knows yet where its turn is.
  if (places.length < pods.length) return;
  const counts = new Map<string, number>(places.map(({ domain }) => [domain, 0]));
  for (const pod of settled) {
    if (!areAlike(pod, first)) continue;
    const domain = cluster.nodes.get(pod.nodeName)?.labels.get(key);
    if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  const left = Map.groupBy(oneOfEachNodeFirst(places), ({ domain }) => domain);
  for (const { uid } of pods) {
    const next = nextPlace(left, counts);
    if (next !== undefined) nominations.nominate(uid, next.claimName, nominations.nominatedAt(uid));
  }
}

/** Who shares a node with a sibling has to find it without being told, which is easier once the sibling is there. */
function oneOfEachNodeFirst(places: readonly Place[]): readonly Place[] {
  const shared = new Map<string, number>();
  const ranked = places.map((place) => {
    const rank = shared.get(place.claimName) ?? 0;
    shared.set(place.claimName, rank + 1);
    return { place, rank };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ place }) => place);
}

/** Of the domain that has fewest, and of those the one with most places to fill. */
function nextPlace(left: ReadonlyMap<string, Place[]>, counts: Map<string, number>): Place | undefined {
  const open = [...left].filter(([, places]) => places.length > 0);
  const count = (domain: string) => counts.get(domain) ?? 0;
  const [best] = open.sort(([a, of], [b, other]) => count(a) - count(b) || other.length - of.length);
  if (best === undefined) return undefined;
  const [domain, places] = best;
  counts.set(domain, count(domain) + 1);
  return places.shift();
}
