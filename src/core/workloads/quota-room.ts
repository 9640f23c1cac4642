import type { Pod, PodTerm } from "../model/pod.ts";
import { findDefaultClass, type StorageClass, type VolumeClaim } from "../model/volumes.ts";
import type { QuotaScope, ResourceQuota } from "../model/workload.ts";
import { amountOfClaim, amountOfPod, isRequired } from "./quota-amounts.ts";

export interface Objects<T> {
  values(): Iterable<T>;
}

/** What there is of everything that quotas count, maybe in other namespaces, too. */
export interface QuotaPicture {
  readonly pods: Objects<Pod>;
  /** By `namespace/name`. */
  readonly volumeClaims: Objects<VolumeClaim> & { get(key: string): VolumeClaim | undefined };
  readonly storageClasses: Objects<StorageClass>;
}

/** What the quotas of one namespace leave for pods that are still to be created, and for the claims created with them. */
export class QuotaRoom {
  readonly #picture: QuotaPicture;
  readonly #defaultClass: string | undefined;
  readonly #quotas: readonly { readonly quota: ResourceQuota; readonly left: Map<string, number> }[];

  constructor(quotas: readonly ResourceQuota[], picture: QuotaPicture) {
    this.#picture = picture;
    this.#defaultClass = findDefaultClass(picture.storageClasses.values())?.name;
    this.#quotas = quotas.map((quota) => ({ quota, left: this.#leftOf(quota) }));
  }

  /** The status of a quota may be older than the objects. */
  #leftOf({ namespace, hard, used, scopes }: ResourceQuota): Map<string, number> {
    const { pods, volumeClaims } = this.#picture;
    const counted = [...pods.values()].filter((pod) => pod.namespace === namespace && isInScope(pod, scopes));
    const claims = [...volumeClaims.values()].filter((claim) => claim.namespace === namespace);
    const left = [...hard].map(([name, limit]): [string, number] => {
      const ofPods = counted.reduce((sum, pod) => sum + this.#amountOf(pod, name), 0);
      const ofClaims = claims.reduce((sum, claim) => sum + amountOfClaim(claim, name), 0);
      return [name, limit - Math.max(ofPods + ofClaims, used.get(name) ?? 0)];
    });
    return new Map(left);
  }

  /** Takes the room of a pod, if all quotas that it counts for have some. */
  take(pod: Pod): boolean {
    const counting = this.#quotas.filter(({ quota }) => isInScope(pod, quota.scopes));
    const isAdmitted = ([name, left]: readonly [string, number]): boolean => {
      const amount = this.#amountOf(pod, name);
      return amount === 0 ? !isRequired(name) : amount <= left;
    };
    if (!counting.every(({ left }) => [...left].every(isAdmitted))) return false;
    for (const { left } of counting) {
      for (const [name, amount] of left) left.set(name, amount - this.#amountOf(pod, name));
    }
    return true;
  }

  /** With the claims that are still to be created for the pod. */
  #amountOf(pod: Pod, name: string): number {
    const created = pod.spec.volumeClaims.filter(
      ({ claimName, isEphemeral }) =>
        isEphemeral && this.#picture.volumeClaims.get(`${pod.namespace}/${claimName}`) === undefined,
    );
    return created.reduce(
      (sum, { storageClassName = this.#defaultClass, storage }) => {
        return sum + amountOfClaim({ storageClassName, storage }, name);
      },
      amountOfPod(pod, name),
    );
  }
}

function isInScope(pod: Pod, scopes: readonly QuotaScope[]): boolean {
  return scopes.every((scope) => {
    switch (scope.name) {
      case "PriorityClass":
        return isAmong(pod.priorityClassName, scope);
      case "BestEffort":
        return isBestEffort(pod);
      case "NotBestEffort":
        return !isBestEffort(pod);
      case "CrossNamespacePodAffinity":
        return podTerms(pod).some(reachesOtherNamespaces);
      // Whether it ends by itself is not known here: it counts rather than not.
      default:
        return true;
    }
  });
}

function isAmong(value: string, { operator, values }: QuotaScope): boolean {
  if (operator === "In") return values.includes(value);
  if (operator === "NotIn") return !values.includes(value);
  return (value !== "") === (operator === "Exists");
}

function isBestEffort({ spec }: Pod): boolean {
  return (spec.requests.get("cpu") ?? 0) === 0 && (spec.requests.get("memory") ?? 0) === 0;
}

function podTerms({ spec }: Pod): readonly PodTerm[] {
  const preferred = [...spec.preferredPodAffinity, ...spec.preferredPodAntiAffinity].map(({ term }) => term);
  return [...spec.podAffinity, ...spec.podAntiAffinity, ...preferred];
}

function reachesOtherNamespaces({ namespaces, namespaceSelector }: PodTerm): boolean {
  return namespaces.length > 0 || namespaceSelector !== undefined;
}
