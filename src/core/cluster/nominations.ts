interface Nomination {
  readonly claimName: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly isDoubtful: boolean;
}

/** Which node each pod is meant for, by the claim of that node, from the plan until the pod has a place. */
export class Nominations {
  readonly #byPod = new Map<string, Nomination>();
  readonly #podsByClaim = new Map<string, Set<string>>();

  get size(): number {
    return this.#byPod.size;
  }

  /** In place of whatever it was meant for before. */
  nominate(podUid: string, claimName: string, now: number): void {
    this.drop(podUid);
    this.#byPod.set(podUid, { claimName, at: now, isDoubtful: false });
    const pods = this.#podsByClaim.get(claimName);
    if (pods === undefined) this.#podsByClaim.set(claimName, new Set([podUid]));
    else pods.add(podUid);
  }

  claimOf(podUid: string): string | undefined {
    return this.#byPod.get(podUid)?.claimName;
  }

  /** When the pod was last given a place, 0 for one that has none. */
  nominatedAt(podUid: string): number {
    return this.#byPod.get(podUid)?.at ?? 0;
  }

  /** The pod has been refused there once. */
  doubt(podUid: string): void {
    const nomination = this.#byPod.get(podUid);
    if (nomination !== undefined) this.#byPod.set(podUid, { ...nomination, isDoubtful: true });
  }

  isDoubtful(podUid: string): boolean {
    return this.#byPod.get(podUid)?.isDoubtful ?? false;
  }

  podsOf(claimName: string): ReadonlySet<string> {
    return this.#podsByClaim.get(claimName) ?? noPods;
  }

  drop(podUid: string): void {
    const claimName = this.claimOf(podUid);
    if (claimName === undefined) return;
    this.#byPod.delete(podUid);
    const pods = this.#podsByClaim.get(claimName);
    pods?.delete(podUid);
    if (pods?.size === 0) this.#podsByClaim.delete(claimName);
  }

  /** Those of all claims that the question is answered with no for. */
  dropUnless(isHeld: (claimName: string) => boolean): void {
    for (const claimName of [...this.#podsByClaim.keys()]) if (!isHeld(claimName)) this.dropClaim(claimName);
  }

  dropClaim(claimName: string): void {
    for (const podUid of this.podsOf(claimName)) this.#byPod.delete(podUid);
    this.#podsByClaim.delete(claimName);
  }
}

const noPods: ReadonlySet<string> = new Set();
