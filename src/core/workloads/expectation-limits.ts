import type { ExpectationLimits } from "./expect-pods.ts";
import type { KnownWorkloads } from "./known-workloads.ts";
import { QuotaRoom } from "./quota-room.ts";
import { surplusPods } from "./surplus-pods.ts";
import { podsOfUnseenSets } from "./unseen-sets.ts";

/** What bounds the pods that are expected, for one pass: quotas are counted when a namespace is first asked for. */
export function expectationLimits(known: KnownWorkloads, maxPods: number): ExpectationLimits {
  return { quotaOf: quotaRooms(known), surplusOf: surplusCounter(known), maxPods };
}

function quotaRooms(known: KnownWorkloads): ExpectationLimits["quotaOf"] {
  const quotas = Map.groupBy(known.resourceQuotas.values(), ({ namespace }) => namespace);
  const rooms = new Map<string, QuotaRoom>();
  return (namespace) => {
    const own = quotas.get(namespace);
    if (own === undefined) return undefined;
    const room =
      rooms.get(namespace) ??
      new QuotaRoom(
        own,
        [...known.pods.values()].filter((pod) => pod.namespace === namespace),
      );
    rooms.set(namespace, room);
    return room;
  };
}

function surplusCounter(known: KnownWorkloads): ExpectationLimits["surplusOf"] {
  let unseen: ReturnType<typeof podsOfUnseenSets> | undefined;
  return ({ uid, name }, namespace) => {
    unseen ??= podsOfUnseenSets(known.pods.values(), (set) => known.workloadByUid(set) !== undefined);
    const sets = known.workloadsOf(uid).map((workload) => ({ workload, pods: known.podsOfWorkload(workload.uid) }));
    return surplusPods({ sets, unseen: unseen.get(`${namespace}/${name}`) ?? [] });
  };
}
