import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { nodeClassLabel, terminationFinalizer } from "../../core/api/write-node-claim.ts";
import { writeAgain } from "../../core/api/write-node-taints.ts";
import { taintsToSync, unregisteredTaint, unregisteredTaintIndex } from "../../core/lifecycle/registration.ts";
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
 * Opens the node to pods, as a JSON patch: it fails when the taint is no longer where it was, and does not mind the
 * kubelet, which writes all the time. Undefined when the node is open.
 */
export function writeOpenPatch(node: NodeObject, isInitialized: boolean): readonly object[] | undefined {
  const index = unregisteredTaintIndex(node);
  const path = `/spec/taints/${index}`;
  const patch = [
    ...(index === undefined
      ? []
      : [
          { op: "test", path: `${path}/key`, value: unregisteredTaint.key },
          { op: "remove", path },
        ]),
    ...addLabel(node, registeredLabel),
    ...(isInitialized ? addLabel(node, initializedLabel) : []),
  ];
  return patch.length === 0 ? undefined : patch;
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
