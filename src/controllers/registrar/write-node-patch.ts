import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { nodeClassLabel, terminationFinalizer } from "../../core/api/write-node-claim.ts";
import { writeAgain } from "../../core/api/write-node-taints.ts";
import { openedTaints, taintsToSync } from "../../core/lifecycle/registration.ts";
import { initializedLabel, type Labels, registeredLabel } from "../../core/model/labels.ts";
import { annotationsForNode } from "../../core/model/move-annotations.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject, WrittenTaint } from "../../core/model/node-object.ts";
import { oldLabelsOf } from "../../core/model/old-labels.ts";
import { apiVersionOf } from "../../runtime/kube-object.ts";

/**
 * Brings all onto the node that its claim asks for. Undefined when all is there. What protects the pods of a node, and
 * only that, may come when it is opened.
 */
export function writeSyncPatch(claim: NodeClaim, node: NodeObject, mayProtectLater: boolean): object | undefined {
  const labels = differing(
    new Map([
      [nodeClassLabel(claim.nodeClassRef), claim.nodeClassRef.name],
      ...oldLabelsOf(claim.labels),
      ...claim.labels,
    ]),
    node.labels,
  );
  const annotations = differing(annotationsForNode(claim), node.annotations);
  const taints = taintsToSync(claim, node);
  if (mayProtectLater && labels.size + annotations.size === 0 && taints === undefined) return undefined;
  const pairs = {
    ...(labels.size === 0 ? {} : { labels: Object.fromEntries(labels) }),
    ...(annotations.size === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
  };
  return writePatch(node, { ...pairs, ...protection(claim, node) }, taints);
}

/** Opens the node to pods. Undefined when it is open. */
export function writeOpenPatch(claim: NodeClaim, node: NodeObject, isInitialized: boolean): object | undefined {
  const wanted = [registeredLabel, ...(isInitialized ? [initializedLabel] : [])];
  const labels = differing(new Map(wanted.map((label) => [label, "true"])), node.labels);
  const pairs = labels.size === 0 ? {} : { labels: Object.fromEntries(labels) };
  return writePatch(node, { ...pairs, ...protection(claim, node) }, openedTaints(node));
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
