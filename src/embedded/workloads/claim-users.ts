import type { Pod } from "kubernetes-types/core/v1.js";
import { isPodFinished } from "../pod-state.ts";
import { claimNameOf, volumesOf } from "../scheduler/pod-info.ts";
import { keyOf } from "../storage/collection.ts";
import type { Resource, Stored } from "./resource.ts";

/** Which pods use which claims. Tells of every claim whose users have changed. */
export class ClaimUsers {
  readonly #pods: Resource<Pod>;
  readonly #users = new Map<string, Set<string>>();
  readonly #claims = new Map<string, readonly string[]>();
  readonly #onChange: (claim: string) => void;
  readonly #unsubscribe: () => void;

  constructor(pods: Resource<Pod>, onChange: (claim: string) => void) {
    this.#pods = pods;
    this.#onChange = onChange;
    for (const pod of pods.list()) this.#see(pod);
    this.#unsubscribe = pods.subscribe(({ object }) => this.#see(object));
  }

  stop(): void {
    this.#unsubscribe();
  }

  /** Pods that have not finished. */
  of(claim: string): Stored<Pod>[] {
    return [...(this.#users.get(claim) ?? [])].map((key) => this.#pods.find(key)).filter((pod) => pod !== undefined);
  }

  #see(pod: Stored<Pod>): void {
    const key = keyOf(pod);
    if (pod.spec?.volumes === undefined && !this.#claims.has(key)) return;
    const current = this.#pods.find(key);
    const claims = current === undefined || isPodFinished(current) ? [] : claimsOf(current);
    const before = this.#claims.get(key) ?? [];
    for (const claim of before) if (!claims.includes(claim)) this.#drop(claim, key);
    for (const claim of claims) this.#add(claim, key);
    if (claims.length === 0) this.#claims.delete(key);
    else this.#claims.set(key, claims);
    for (const claim of new Set([...before, ...claims])) this.#onChange(claim);
  }

  #add(claim: string, pod: string): void {
    const users = this.#users.get(claim);
    if (users === undefined) this.#users.set(claim, new Set([pod]));
    else users.add(pod);
  }

  #drop(claim: string, pod: string): void {
    const users = this.#users.get(claim);
    users?.delete(pod);
    if (users?.size === 0) this.#users.delete(claim);
  }
}

function claimsOf(pod: Stored<Pod>): string[] {
  const names = volumesOf(pod).map((volume) => claimNameOf(pod, volume));
  return names.filter((name) => name !== undefined).map((name) => `${pod.metadata.namespace}/${name}`);
}
