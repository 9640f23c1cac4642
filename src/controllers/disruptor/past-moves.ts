import { nodePools } from "../../core/api/karpenter-resources.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { movedPodsAnnotation, type PastMove, readMoves, writeMoves } from "../../core/disruption/churn.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { type KubeClient, unless } from "../../runtime/kube-client.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";

interface PastMovesOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** How many pods were moved by choice within the last hour. It is written on their pools, so that a restart does not forget it. */
export class PastMoves {
  readonly #options: PastMovesOptions;
  readonly #loop: WorkLoop;
  /** By pool, what is not written yet. */
  readonly #unwritten = new Map<string, readonly PastMove[]>();

  constructor(options: PastMovesOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    const reconcile = (poolName: string) => this.#write(poolName);
    this.#loop = new WorkLoop({ name: "disruption.queue", clock, telemetry, reconcile });
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  note(poolName: string, pods: number): void {
    if (pods === 0) return;
    const move = { time: this.#options.clock.now(), pods };
    this.#unwritten.set(poolName, [...(this.#unwritten.get(poolName) ?? []), move]);
    this.#loop.enqueue(poolName);
  }

  /** Those that count at that time. */
  all(now: number): readonly PastMove[] {
    const { pools } = this.#options.cluster;
    return [...[...pools.values()].flatMap((pool) => movesOf(pool, now)), ...[...this.#unwritten.values()].flat()];
  }

  async #write(poolName: string): Promise<undefined> {
    const { cluster, kube, clock } = this.#options;
    const moves = this.#unwritten.get(poolName) ?? [];
    const pool = cluster.pools.get(poolName);
    if (pool !== undefined && moves.length > 0) {
      const now = clock.now();
      const annotations = { [movedPodsAnnotation]: writeMoves([...movesOf(pool, now), ...moves], now) };
      const body = { metadata: { uid: pool.uid, annotations } };
      // A pool that is gone, or another of its name, has nothing to remember.
      const answer = await kube.patch(nodePools, { name: poolName }, { body });
      unless([404, 409], answer, `write to NodePool "${poolName}" how many pods were moved`);
    }
    const more = (this.#unwritten.get(poolName) ?? []).slice(moves.length);
    if (more.length === 0) this.#unwritten.delete(poolName);
    else this.#unwritten.set(poolName, more);
  }
}

function movesOf({ annotations }: NodePoolObject, now: number): readonly PastMove[] {
  return readMoves(annotations.get(movedPodsAnnotation) ?? "", now);
}
