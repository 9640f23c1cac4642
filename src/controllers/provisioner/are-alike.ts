import type { Pod } from "../../core/model/pod.ts";

/** Whether one can stand in for the other. Specs and labels that say the same are the same object. */
export function areAlike(one: Pod, other: Pod): boolean {
  return one.spec === other.spec && one.labels === other.labels && one.namespace === other.namespace;
}
