import type { NodeClaim } from "../../../core/model/node-claim.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import { instanceIdOf } from "../instances/machine.ts";

/** Finds claims by the id of their instance without going through all of them. */
export class InstanceIndex {
  readonly #claims: ClusterView["claims"];
  /** Names of claims by instance id. */
  readonly #names = new Map<string, Set<string>>();
  #unfollow: () => void = () => {};

  constructor({ claims }: Pick<ClusterView, "claims">) {
    this.#claims = claims;
  }

  start(): void {
    for (const claim of this.#claims.values()) this.#add(claim);
    this.#unfollow = this.#claims.onChange(({ before, after }) => {
      if (before?.name === after?.name && before?.providerId === after?.providerId) return;
      if (before !== undefined) this.#remove(before);
      if (after !== undefined) this.#add(after);
    });
  }

  stop(): void {
    this.#unfollow();
    this.#names.clear();
  }

  claimsOf(instanceId: string): readonly NodeClaim[] {
    return [...(this.#names.get(instanceId) ?? [])].flatMap((name) => this.#claims.get(name) ?? []);
  }

  #add({ name, providerId }: NodeClaim): void {
    const id = instanceIdOf(providerId);
    if (id === undefined) return;
    const names = this.#names.get(id);
    if (names === undefined) this.#names.set(id, new Set([name]));
    else names.add(name);
  }

  #remove({ name, providerId }: NodeClaim): void {
    const id = instanceIdOf(providerId);
    if (id === undefined) return;
    const names = this.#names.get(id);
    names?.delete(name);
    if (names?.size === 0) this.#names.delete(id);
  }
}
