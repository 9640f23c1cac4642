import { type Condition, type ConditionOwner, findCondition, readyCondition } from "../model/condition.ts";

/** Kinds whose objects are stored, and do nothing yet. */
export type UnsupportedKind = "NodeOverlay" | "CapacityBuffer";

const wordsOf: Readonly<Record<UnsupportedKind, { readonly types: readonly string[]; readonly message: string }>> = {
  NodeOverlay: {
    types: [readyCondition],
    message:
      "This version of Karpenter does not apply NodeOverlays: prices and capacities stay as the cloud gives them",
  },
  CapacityBuffer: {
    types: ["ReadyForProvisioning", "Provisioning"],
    message:
      "This version of Karpenter keeps no room for CapacityBuffers: until one does, pods of a low priority can hold it",
  },
};

/** What the status of such an object has to say, so that nobody waits for it. The same list when it says so already. */
export function unsupportedConditions(kind: UnsupportedKind, owner: ConditionOwner, now: number): readonly Condition[] {
  const { types, message } = wordsOf[kind];
  const isSaid = types.every((type) => {
    const found = findCondition(owner, type);
    return found?.message === message && found.observedGeneration === owner.generation;
  });
  if (isSaid && owner.conditions.length === types.length) return owner.conditions;
  return types.map((type) => {
    const before = findCondition(owner, type);
    return {
      type,
      status: "False",
      reason: "NotSupportedYet",
      message,
      lastTransitionTime: before?.status === "False" ? before.lastTransitionTime : now,
      observedGeneration: owner.generation,
    };
  });
}
