import type { Pod } from "../model/pod.ts";

/** Pods whose ReplicaSet is not known, because it was not seen yet or is gone, by `namespace/name` of its Deployment. */
export function podsOfUnseenSets(
  pods: Iterable<Pod>,
  isKnown: (uid: string) => boolean,
): ReadonlyMap<string, readonly Pod[]> {
  const unseen = new Map<string, Pod[]>();
  for (const pod of pods) {
    const owner = pod.owners.find(({ isController }) => isController);
    if (owner?.kind !== "ReplicaSet" || isKnown(owner.uid)) continue;
    // A ReplicaSet is called `<deployment>-<hash>`, and there is no hyphen in the hash.
    const deployment = `${pod.namespace}/${owner.name.slice(0, Math.max(0, owner.name.lastIndexOf("-")))}`;
    const others = unseen.get(deployment);
    if (others === undefined) unseen.set(deployment, [pod]);
    else others.push(pod);
  }
  return unseen;
}
