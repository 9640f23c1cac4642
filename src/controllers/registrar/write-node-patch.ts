import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { nodeClassLabel, terminationFinalizer } from "../../core/api/write-node-claim.ts";
import { writeAgain } from "../../core/api/write-node-taints.ts";
import { initializedLabel, type Labels, registeredLabel } from "../../core/model/labels.ts";
import { annotationsForNode } from "../../core/model/move-annotations.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject, WrittenTaint } from "../../core/model/node-object.ts";
import { oldLabelsOf } from "../../core/model/old-labels.ts";
import { apiVersionOf } from "../../runtime/kube-object.ts";

export interface Registration {
  readonly taints: readonly WrittenTaint[];
  readonly isInitialized: boolean;
}

/** Brings everything onto the node that its claim asks for, and opens it. Undefined when all is there. */
export function writeRegistrationPatch(
  claim: NodeClaim,
  node: NodeObject,
  { taints, isInitialized }: Registration,
): object | undefined {
  const labels = differing(
    new Map([
      [nodeClassLabel(claim.nodeClassRef), claim.nodeClassRef.name],
      ...oldLabelsOf(claim.labels),
      ...claim.labels,
      [registeredLabel, "true"],
      ...(isInitialized ? [[initializedLabel, "true"] as const] : []),
    ]),
    node.labels,
  );
  const annotations = differing(annotationsForNode(claim), node.annotations);
  const pairs = {
    ...(labels.size === 0 ? {} : { labels: Object.fromEntries(labels) }),
    ...(annotations.size === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
  };
  const isSame = taints.length === node.writtenTaints.length && taints.every((one) => node.writtenTaints.includes(one));
  return writePatch(node, { ...pairs, ...protection(claim, node) }, isSame ? undefined : taints);
}

/**
 * A strategic merge patch: finalizers and owners of others stay. Taints are one list for everybody, so that only their
 * writer minds what came between.
 */
function writePatch(
  { resourceVersion }: NodeObject,
  metadata: object,
  taints: readonly WrittenTaint[] | undefined,
): object | undefined {
  if (taints === undefined) return Object.keys(metadata).length === 0 ? undefined : { metadata };
  return { metadata: { ...metadata, resourceVersion }, spec: { taints: taints.map(writeAgain) } };
}

/** What keeps the node there until its pods have gone. */
function protection(claim: NodeClaim, { finalizers, ownerUids }: NodeObject): object {
  return {
    ...(finalizers.includes(terminationFinalizer) ? {} : { finalizers: [terminationFinalizer] }),
    ...(ownerUids.includes(claim.uid) ? {} : { ownerReferences: [ownerReference(claim)] }),
  };
}

function differing(wanted: Labels, present: Labels): Labels {
  return new Map([...wanted].filter(([key, value]) => present.get(key) !== value));
}

function ownerReference({ name, uid }: NodeClaim): object {
  return { apiVersion: apiVersionOf(nodeClaims), kind: nodeClaims.kind, name, uid, blockOwnerDeletion: true };
}
