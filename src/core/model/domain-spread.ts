import { hostnameLabel } from "./labels.ts";
import type { Pod, TopologySpread } from "./pod.ts";

/** The rule by which a pod must spread over something larger than a host, zones say. */
export function domainSpread({ spec }: Pod): TopologySpread | undefined {
  return spec.topologySpread.find(({ isRequired, topologyKey }) => isRequired && topologyKey !== hostnameLabel);
}
