import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { nodeClassLabel, terminationFinalizer } from "../../core/api/write-node-claim.ts";
import { writeAgain } from "../../core/api/write-node-taints.ts";
import { closingTaintIndices, taintsToSync, unregisteredTaint } from "../../core/lifecycle/registration.ts";
import { initializedLabel, type Labels, registeredLabel } from "../../core/model/labels.ts";
import { annotationsForNode } from "../../core/model/move-annotations.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import { oldLabelsOf } from "../../core/model/old-labels.ts";
import { apiVersionOf } from "../../runtime/kube-object.ts";

/**
 * Brings all onto the node that its claim asks for, as a strategic merge patch: finalizers and owners of others stay.
 * Undefined when all is there. Taints are one list for everybody, so that only their writer minds what came between.
 */
export function writeSyncPatch(claim: NodeClaim, node: NodeObject): object | undefined {
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
  const metadata = {
    ...(labels.size === 0 ? {} : { labels: Object.fromEntries(labels) }),
    ...(annotations.size === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    ...(node.finalizers.includes(terminationFinalizer) ? {} : { finalizers: [terminationFinalizer] }),
    ...(node.ownerUids.includes(claim.uid) ? {} : { ownerReferences: [ownerReference(claim)] }),
  };
  if (taints === undefined) return Object.keys(metadata).length === 0 ? undefined : { metadata };
  return {
    metadata: { ...metadata, resourceVersion: node.resourceVersion },
    spec: {
      taints: taints.map(writeAgain),
    },
  };
}

/**
 * Opens the node to pods, as a JSON patch: it fails when a taint is no longer where it was, and does not mind the
 * kubelet, which writes all the time, unless it is said of others' taints that they no longer hold. Undefined when the
 * node is open.
 */
export function writeOpenPatch(node: NodeObject, isInitialized: boolean): readonly object[] | undefined {
  const indices = closingTaintIndices(node);
  const isOnlyOurs = indices.every((index) => node.writtenTaints[index]?.key === unregisteredTaint.key);
  const patch = [
    ...(isOnlyOurs ? [] : [{ op: "test", path: "/metadata/resourceVersion", value: node.resourceVersion }]),
    // From the last to the first, so that none moves before its turn.
    ...indices.toReversed().flatMap((index) => removeTaint(node, index)),
    ...addLabel(node, registeredLabel),
    ...(isInitialized ? addLabel(node, initializedLabel) : []),
  ];
  return patch.length === 0 ? undefined : patch;
}

function removeTaint({ writtenTaints }: NodeObject, index: number): object[] {
  const path = `/spec/taints/${index}`;
  return [
    { op: "test", path: `${path}/key`, value: writtenTaints[index]?.key },
    { op: "remove", path },
  ];
}

function addLabel({ labels }: NodeObject, label: string): object[] {
  if (labels.get(label) === "true") return [];
  return [{ op: "add", path: `/metadata/labels/${label.replaceAll("/", "~1")}`, value: "true" }];
}

function differing(wanted: Labels, present: Labels): Labels {
  return new Map([...wanted].filter(([key, value]) => present.get(key) !== value));
}

function ownerReference({ name, uid }: NodeClaim): object {
  return { apiVersion: apiVersionOf(nodeClaims), kind: nodeClaims.kind, name, uid, blockOwnerDeletion: true };
}
