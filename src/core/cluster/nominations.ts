/** Which node each pod is meant for, by the claim of that node, from the plan until the pod has a place. */
export class Nominations {
  readonly #claimByPod = new Map<string, string>();
  readonly #podsByClaim = new Map<string, Set<string>>();

  get size(): number {
    return this.#claimByPod.size;
  }

  /** In place of whatever it was meant for before. */
  nominate(podUid: string, claimName: string): void {
    this.drop(podUid);
    this.#claimByPod.set(podUid, claimName);
    const pods = this.#podsByClaim.get(claimName);
    if (pods === undefined) this.#podsByClaim.set(claimName, new Set([podUid]));
    else pods.add(podUid);
  }

  claimOf(podUid: string): string | undefined {
    return this.#claimByPod.get(podUid);
  }

  podsOf(claimName: string): ReadonlySet<string> {
    return this.#podsByClaim.get(claimName) ?? noPods;
  }

  drop(podUid: string): void {
    const claimName = this.#claimByPod.get(podUid);
    if (claimName === undefined) return;
    this.#claimByPod.delete(podUid);
    const pods = this.#podsByClaim.get(claimName);
    pods?.delete(podUid);
    if (pods?.size === 0) this.#podsByClaim.delete(claimName);
  }

  dropClaim(claimName: string): void {
    for (const podUid of this.podsOf(claimName)) this.#claimByPod.delete(podUid);
    this.#podsByClaim.delete(claimName);
  }
}

const noPods: ReadonlySet<string> = new Set();
