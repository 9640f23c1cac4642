import { growingPause } from "../model/growing-pause.ts";
import { type Taint, taintName } from "../model/taints.ts";

interface Observation {
  readonly taint: Taint;
  /** Until then plans take the NodePool to have the taint. */
  readonly until: number;
  /** How many nodes were launched to see whether the taint is still given, the first ones included. */
  readonly trials: number;
}

/**
 * Taints that something else gives to the new nodes of a NodePool which does not have them. Plans take the NodePool to have
 * them, so that no node is launched for pods that could not use it. After a pause, one node is launched as a trial.
 */
export class ObservedTaints {
  readonly #byPool = new Map<string, Map<string, Observation>>();

  /** A node of the pool has them while it starts. Returns those that are news. */
  add(poolName: string, taints: readonly Taint[], now: number): readonly Taint[] {
    const known = this.#byPool.get(poolName) ?? new Map<string, Observation>();
    const news = taints.filter((taint) => !known.has(taintName(taint)));
    for (const taint of news) {
      known.set(taintName(taint), { taint: asForeign(taint), until: now + growingPause(1), trials: 1 });
    }
    if (known.size > 0) this.#byPool.set(poolName, known);
    return news;
  }

  /** The newest node of the pool has them, and how it started is not known: a trial comes first. */
  suspect(poolName: string, taints: readonly Taint[], now: number): void {
    const suspected = taints.map(
      (taint) => [taintName(taint), { taint: asForeign(taint), until: now, trials: 0 }] as const,
    );
    if (suspected.length > 0) this.#byPool.set(poolName, new Map(suspected));
  }

  /** A node of the pool has started with these and no others. Returns whether that is news. */
  keepOnly(poolName: string, taints: readonly Taint[]): boolean {
    const kept = new Set(taints.map(taintName));
    return this.#drop(poolName, (name) => !kept.has(name));
  }

  /** A node of the pool has lost them. Returns whether that is news. */
  remove(poolName: string, taints: readonly Taint[]): boolean {
    const lost = new Set(taints.map(taintName));
    return this.#drop(poolName, (name) => lost.has(name));
  }

  /** Those that plans take the pool to have. */
  of(poolName: string, now: number): readonly Taint[] {
    return [...(this.#byPool.get(poolName)?.values() ?? [])].flatMap(({ taint, until }) => (until > now ? taint : []));
  }

  /** Whether a taint was observed and the pause is over: one node shows whether the pool's nodes still get it. */
  needsTrial(poolName: string, now: number): boolean {
    return [...(this.#byPool.get(poolName)?.values() ?? [])].some(({ until }) => until <= now);
  }

  /** Until its node has started without the taint, no second one is launched. */
  beginTrial(poolName: string, now: number): void {
    for (const [name, { taint, until, trials }] of this.#byPool.get(poolName) ?? []) {
      if (until > now) continue;
      const pause = growingPause(trials + 1);
      this.#byPool.get(poolName)?.set(name, { taint, until: now + pause, trials: trials + 1 });
    }
  }

  forget(poolName: string): void {
    this.#byPool.delete(poolName);
  }

  clear(): void {
    this.#byPool.clear();
  }

  #drop(poolName: string, isDropped: (name: string) => boolean): boolean {
    const known = this.#byPool.get(poolName);
    const dropped = [...(known?.keys() ?? [])].filter(isDropped);
    for (const name of dropped) known?.delete(name);
    if (known?.size === 0) this.#byPool.delete(poolName);
    return dropped.length > 0;
  }
}

function asForeign(taint: Taint): Taint {
  const { key, value, effect } = taint;
  return { key, value, effect, isForeign: true };
}
