import type { Pod } from "../model/pod.ts";
import { noResources, type Resources } from "../model/resources.ts";

/** What stays empty of a node, for pods that go elsewhere than planned. */
export interface Headroom {
  /** Of processors and memory. */
  readonly share: number;
  /** Up to so large a share where one more of these pods fits in then. */
  readonly mostShare: number;
  readonly forOneMore?: Pod | undefined;
}

/** Devices are not among it: one that is not left whole is not there. */
const divisible = ["cpu", "memory"];

export function roomToLeave({ share, mostShare, forOneMore }: Headroom, allocatable: Resources): Resources {
  const whole = (resource: string): number => allocatable.get(resource) ?? 0;
  const requests = forOneMore?.spec.requests ?? noResources;
  const wanted = (resource: string): number => requests.get(resource) ?? 0;
  const makesRoom = divisible.every((resource) => wanted(resource) <= whole(resource) * mostShare);
  return new Map(
    divisible.map((resource) => [resource, Math.max(whole(resource) * share, makesRoom ? wanted(resource) : 0)]),
  );
}
