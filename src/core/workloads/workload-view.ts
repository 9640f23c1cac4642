import type { Pod } from "../model/pod.ts";
import type { Workload } from "../model/workload.ts";
import type { ExpectationLimits } from "./expect-pods.ts";
import type { KnownWorkloads } from "./known-workloads.ts";
import { QuotaRoom } from "./quota-room.ts";
import { surplusPods } from "./surplus-pods.ts";
import { podsOfUnseenSets } from "./unseen-sets.ts";

/** The workloads of a cluster for one pass: what is asked for several times is counted once. */
export class WorkloadView {
  readonly #known: KnownWorkloads;
  readonly #maxPods: number;
  #unseen: ReadonlyMap<string, readonly Pod[]> | undefined;
  #podsByNamespace: ReadonlyMap<string, readonly Pod[]> | undefined;

  constructor(known: KnownWorkloads, maxPods: number) {
    this.#known = known;
    this.#maxPods = maxPods;
  }

  /** Its pods, those of a Deployment only as long as their ReplicaSets are not known. */
  podsOf({ kind, namespace, name, uid, createdAt }: Workload): readonly Pod[] {
    if (kind !== "Deployment") return this.#known.podsOfWorkload(uid);
    // Older ones are of an earlier Deployment of that name.
    return this.#unseenPodsOf(namespace, name).filter((pod) => pod.createdAt >= createdAt);
  }

  get limits(): ExpectationLimits {
    const { resourceQuotas, volumeClaims, storageClasses } = this.#known;
    const rooms = new Map<string, QuotaRoom>();
    const quotas = Map.groupBy(resourceQuotas.values(), ({ namespace }) => namespace);
    return {
      maxPods: this.#maxPods,
      surplusOf: ({ uid, name }, namespace) => {
        const sets = this.#known.workloadsOf(uid).map((workload) => ({ workload, pods: this.podsOf(workload) }));
        return surplusPods({ sets, unseen: this.#unseenPodsOf(namespace, name) });
      },
      quotaOf: (namespace) => {
        const own = quotas.get(namespace);
        if (own === undefined) return undefined;
        const picture = { pods: this.#podsIn(namespace), volumeClaims, storageClasses };
        const room = rooms.get(namespace) ?? new QuotaRoom(own, picture);
        rooms.set(namespace, room);
        return room;
      },
    };
  }

  #unseenPodsOf(namespace: string, deployment: string): readonly Pod[] {
    const known = this.#known;
    this.#unseen ??= podsOfUnseenSets(known.pods.values(), (uid) => known.workloadByUid(uid) !== undefined);
    return this.#unseen.get(`${namespace}/${deployment}`) ?? [];
  }

  #podsIn(namespace: string): readonly Pod[] {
    this.#podsByNamespace ??= Map.groupBy(this.#known.pods.values(), (pod) => pod.namespace);
    return this.#podsByNamespace.get(namespace) ?? [];
  }
}
