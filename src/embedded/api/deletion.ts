import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { KubeObject } from "../kube-object.ts";
import type { DeleteOptions } from "./write-options.ts";

const foreground = "foregroundDeletion";
const orphan = "orphan";

/** Seconds that the object may still take to end. */
export function graceFor(definition: ResourceDefinition, object: KubeObject, options: DeleteOptions): number {
  if (definition.gracePeriodSeconds === undefined) return 0;
  return definition.gracePeriodSeconds(object, options.gracePeriodSeconds);
}

/** What holds the object back once it is marked: what held it before, and what the propagation policy adds or removes. */
export function finalizersFor({ metadata }: KubeObject, { propagationPolicy }: DeleteOptions): readonly string[] {
  const current = metadata.finalizers ?? [];
  if (propagationPolicy === undefined) return current;
  const others = current.filter((name) => name !== foreground && name !== orphan);
  if (propagationPolicy === "Background") return others;
  return [...others, propagationPolicy === "Foreground" ? foreground : orphan];
}
