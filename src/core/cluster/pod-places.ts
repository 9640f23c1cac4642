import type { Pod } from "../model/pod.ts";
import { isActive, isDaemonSet, isFinished } from "../model/pod-lifecycle.ts";
import type { Collection, Index } from "./collection.ts";

/**
 * Which pods are on which node, kept up to date as pods change: to find out anew for every snapshot takes long in a large
 * cluster. A list is the same object for as long as the pods in it are.
 */
export class PodPlaces {
  readonly #podsByNode: Index<Pod>;
  readonly #podsByDaemonSet: Index<Pod>;
  readonly #lists = new Map<string, readonly Pod[]>();
  readonly #withoutNode = new Map<string, Pod>();
  readonly #newestDaemons = new Map<string, Pod | undefined>();

  constructor(pods: Collection<Pod>, podsByNode: Index<Pod>) {
    this.#podsByNode = podsByNode;
    this.#podsByDaemonSet = pods.indexBy(daemonSetOf);
    pods.onChange(({ key, before, after }) => {
      for (const pod of [before, after]) {
        if (pod === undefined) continue;
        this.#listAgain(pod.nodeName);
        const daemonSet = daemonSetOf(pod);
        const newest = this.#newestDaemons.get(daemonSet);
        if (newest === undefined || pod.createdAt >= newest.createdAt) this.#newestDaemons.delete(daemonSet);
      }
      if (after?.nodeName === "") this.#withoutNode.set(key, after);
      else this.#withoutNode.delete(key);
    });
  }

  /** The pods on each node that have not finished, by the node's name. */
  byNode(): ReadonlyMap<string, readonly Pod[]> {
    return this.#lists;
  }

  withoutNode(): Iterable<Pod> {
    return this.#withoutNode.values();
  }

  /** The newest live pod of a DaemonSet, by the set's `namespace/name`. */
  newestOfDaemonSet(key: string): Pod | undefined {
    if (!this.#newestDaemons.has(key)) this.#newestDaemons.set(key, newestOf(this.#podsByDaemonSet.get(key)));
    return this.#newestDaemons.get(key);
  }

  /** At once: all nodes of a large cluster together would take too long when somebody asks. */
  #listAgain(nodeName: string): void {
    if (nodeName === "") return;
    const pods = this.#podsByNode.get(nodeName).filter((pod) => !isFinished(pod));
    if (pods.length > 0) this.#lists.set(nodeName, pods);
    else this.#lists.delete(nodeName);
  }
}

function daemonSetOf({ namespace, owners }: Pod): string {
  const owner = owners.find((candidate) => candidate.isController && isDaemonSet(candidate));
  return owner === undefined ? "" : `${namespace}/${owner.name}`;
}

function newestOf(pods: readonly Pod[]): Pod | undefined {
  let newest: Pod | undefined;
  for (const pod of pods) if (isActive(pod) && pod.createdAt >= (newest?.createdAt ?? 0)) newest = pod;
  return newest;
}
