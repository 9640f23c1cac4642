import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Pod } from "../../core/model/pod.ts";
import type { Clock, Timer } from "../../ports/clock.ts";
import type { Telemetry } from "../../ports/telemetry.ts";

export interface StraysOptions {
  readonly cluster: ClusterState;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** Whether the nomination is one that we wrote since we lead. */
  readonly isOurs: (pod: Pod) => boolean;
  /** Takes a pod's nomination away. */
  readonly clear: (pod: Pod) => Promise<void>;
}

/** So long a pod may keep a nomination that nobody here knows of: it may have been written before a restart. */
const patience = 10_000;
const pause = 2_000;

/** Finds pods that are nominated to a node of ours where they have no place, which hides them from every plan. */
export class Strays {
  readonly #options: StraysOptions;
  #since = new Map<string, number>();
  #timer: Timer | undefined;
  #clearing: Promise<unknown> = Promise.resolve();

  constructor(options: StraysOptions) {
    this.#options = options;
  }

  start(): void {
    this.#look();
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#clearing;
  }

  #look(): void {
    this.#timer?.cancel();
    const { cluster, clock, telemetry, isOurs, clear } = this.#options;
    const now = clock.now();
    const strays = [...cluster.pods.values()].filter((pod) => this.#isStray(pod));
    this.#since = new Map(strays.map(({ uid }) => [uid, this.#since.get(uid) ?? now]));
    // One of ours that has no place any more, because its claim goes say, has nothing to wait for.
    const lost = strays.filter((pod) => isOurs(pod) || now - (this.#since.get(pod.uid) ?? now) >= patience);
    this.#clearing = Promise.all(lost.map(clear)).catch((error: unknown) => {
      telemetry.log.error("cannot take away nominations that lead nowhere, trying again", { error });
    });
    this.#timer = clock.after(pause, () => this.#look());
  }

  #isStray(pod: Pod): boolean {
    const { cluster, isOurs } = this.#options;
    const { nodeName, nominatedNodeName, uid } = pod;
    if (nodeName !== "" || nominatedNodeName === "" || cluster.nominations.claimOf(uid) !== undefined) return false;
    const node = cluster.nodes.get(nominatedNodeName);
    if (node === undefined) return false;
    // The claim may be gone before its node is.
    if (isOurs(pod)) return true;
    // kube-scheduler nominates too, where it has made others leave: that pod waits for them.
    return (
      cluster.claimsOf(node).length > 0 && !cluster.podsOnNode(nominatedNodeName).some(({ isDeleting }) => isDeleting)
    );
  }
}
