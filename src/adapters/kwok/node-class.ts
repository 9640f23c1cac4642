import { openObject } from "../../core/api/field.ts";
import { readCondition } from "../../core/api/read-conditions.ts";
import { readDuration } from "../../core/api/read-duration.ts";
import { type Condition, readyCondition } from "../../core/model/condition.ts";
import type { KubeClient } from "../../runtime/kube-client.ts";
import { unless } from "../../runtime/kube-client.ts";
import type { KubeObject } from "../../runtime/kube-object.ts";
import { wireTime } from "./make-node.ts";

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

/** Says of every class that says nothing itself that it is ready: there is nothing to prepare. */
export async function markNodeClassesReady(kube: KubeClient, now: number): Promise<void> {
  for (const nodeClass of await kube.list(kwokNodeClasses)) {
    if (readNodeClass(nodeClass).ready !== undefined) continue;
    const { name = "", resourceVersion } = nodeClass.metadata;
    const condition = {
      type: readyCondition,
      status: "True",
      reason: readyCondition,
      message: "",
      lastTransitionTime: wireTime(now),
    };
    const others = (nodeClass.status as { conditions?: readonly unknown[] } | undefined)?.conditions ?? [];
    const body = { metadata: { resourceVersion }, status: { conditions: [...others, condition] } };
    const answer = await kube.patch(kwokNodeClasses, { name, subresource: "status" }, { body });
    // Gone, or changed meanwhile: the next look will tell.
    unless([404, 409], answer, `mark node class ${name} ready`);
  }
}
