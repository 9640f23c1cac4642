import type { Pod } from "../model/pod.ts";

interface Intention {
  readonly claimName: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The pod itself where it does not exist yet: nothing else knows it. */
  readonly expected: Pod | undefined;
}

/**
 * Which node each pending or expected pod is meant for, by the claim of that node, from the plan until the pod has a node.
 * A hint: the planner tries it first and never trusts it. When it is lost, the next plan makes another.
 */
export class IntendedPods {
  readonly #byPod = new Map<string, Intention>();
  readonly #podsByClaim = new Map<string, Set<string>>();
  readonly #listeners = new Set<(claimName: string) => void>();

  get size(): number {
    return this.#byPod.size;
  }

  /** Replaces what the pod was meant for before, but not since when it has a place. */
  intend(podUid: string, claimName: string, now: number, expected?: Pod): void {
    const at = this.#byPod.get(podUid)?.at ?? now;
    this.drop(podUid);
    this.#byPod.set(podUid, { claimName, at, expected });
    const pods = this.#podsByClaim.get(claimName);
    if (pods === undefined) this.#podsByClaim.set(claimName, new Set([podUid]));
    else pods.add(podUid);
    for (const listener of this.#listeners) listener(claimName);
  }

  /** Hears of every claim that gets another pod. Returns how to stop listening. */
  onIntended(listener: (claimName: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A pod that was created at that time takes the place of one that was expected. */
  fulfil(expectedUid: string, podUid: string, createdAt: number): void {
    const intention = this.#byPod.get(expectedUid);
    if (intention === undefined) return;
    this.drop(expectedUid);
    this.intend(podUid, intention.claimName, Math.max(intention.at, createdAt));
  }

  /** An expected pod goes by another uid from now on. */
  rename(expectedUid: string, next: Pod): void {
    const intention = this.#byPod.get(expectedUid);
    if (intention === undefined) return;
    this.drop(expectedUid);
    this.intend(next.uid, intention.claimName, intention.at, next);
  }

  claimOf(podUid: string): string | undefined {
    return this.#byPod.get(podUid)?.claimName;
  }

  /** Since when the pod has had a place, 0 for one that has none. */
  intendedAt(podUid: string): number {
    return this.#byPod.get(podUid)?.at ?? 0;
  }

  podsOf(claimName: string): ReadonlySet<string> {
    return this.#podsByClaim.get(claimName) ?? noPods;
  }

  expectedPod(podUid: string): Pod | undefined {
    return this.#byPod.get(podUid)?.expected;
  }

  *expectedPods(): IterableIterator<Pod> {
    for (const { expected } of this.#byPod.values()) if (expected !== undefined) yield expected;
  }

  drop(podUid: string): void {
    const claimName = this.claimOf(podUid);
    if (claimName === undefined) return;
    this.#byPod.delete(podUid);
    const pods = this.#podsByClaim.get(claimName);
    pods?.delete(podUid);
    if (pods?.size === 0) this.#podsByClaim.delete(claimName);
  }

  dropClaim(claimName: string): void {
    for (const podUid of this.podsOf(claimName)) this.#byPod.delete(podUid);
    this.#podsByClaim.delete(claimName);
  }

  clear(): void {
    this.#byPod.clear();
    this.#podsByClaim.clear();
  }
}

const noPods: ReadonlySet<string> = new Set();
