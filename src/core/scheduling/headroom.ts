import type { Pod } from "../model/pod.ts";

/** What stays empty of a node, for pods that go elsewhere than planned. */
export interface Headroom {
  /** Of processors and memory. */
  readonly share: number;
  /** Up to so large a share where one more of these pods fits in then. */
  readonly mostShare: number;
  readonly forOneMore?: Pod | undefined;
}

export function emptyPart(headroom: Headroom, resource: string, capacity: number): number {
  // A device that is not left whole is not there.
  if (resource !== "cpu" && resource !== "memory") return 0;
  const { share, mostShare, forOneMore } = headroom;
  const oneMore = forOneMore?.spec.requests.get(resource) ?? 0;
  return Math.max(capacity * share, oneMore <= capacity * mostShare ? oneMore : 0);
}
