import { openObject } from "../../core/api/field.ts";
import { readCondition } from "../../core/api/read-conditions.ts";
import { readDuration } from "../../core/api/read-duration.ts";
import { type Condition, readyCondition } from "../../core/model/condition.ts";
import type { KubeObject } from "../../runtime/kube-object.ts";

export const kwokNodeClasses = {
  group: "karpenter.kwok.sh",
  version: "v1alpha1",
  plural: "kwoknodeclasses",
  kind: "KWOKNodeClass",
  isNamespaced: false,
} as const;

export interface KwokNodeClass {
  /** Milliseconds from the launch of a machine until its node is there. */
  readonly nodeRegistrationDelay: number;
  readonly ready: Condition | undefined;
}

export function readNodeClass(wire: KubeObject): KwokNodeClass {
  const nodeClass = openObject(wire, `KWOKNodeClass "${wire.metadata.name ?? ""}"`);
  return {
    nodeRegistrationDelay: readDuration(nodeClass.at("spec").at("nodeRegistrationDelay")) ?? 0,
    ready: readCondition(nodeClass, readyCondition),
  };
}
