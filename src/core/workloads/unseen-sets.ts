import type { Owner, Pod } from "../model/pod.ts";
import { controllerOf } from "../model/workload.ts";

/** Pods whose ReplicaSet is not known, because it was not seen yet or is gone, by `namespace/name` of its Deployment. */
export function podsOfUnseenSets(
  pods: Iterable<Pod>,
  isKnown: (uid: string) => boolean,
): ReadonlyMap<string, readonly Pod[]> {
  const unseen = new Map<string, Pod[]>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined || isKnown(owner.uid)) continue;
    const name = deploymentOf(owner);
    if (name === undefined) continue;
    const deployment = `${pod.namespace}/${name}`;
    const others = unseen.get(deployment);
    if (others === undefined) unseen.set(deployment, [pod]);
    else others.push(pod);
  }
  return unseen;
}

/** The name of the Deployment that a ReplicaSet may be of: it is called `<deployment>-<hash>`, without a hyphen in the hash. */
export function deploymentOf({ kind, name }: Owner): string | undefined {
  return kind === "ReplicaSet" ? name.slice(0, Math.max(0, name.lastIndexOf("-"))) : undefined;
}
