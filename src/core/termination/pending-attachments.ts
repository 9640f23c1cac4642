import type { ClusterState } from "../cluster/cluster-state.ts";
import type { VolumeAttachment } from "../model/disruption-budget.ts";
import { isDrainable } from "./drainable.ts";

/**
 * The volumes that have to leave a drained node before its machine goes, so that they can be attached elsewhere. Those
 * of pods that stay to the end do not count.
 */
export function pendingAttachments(cluster: ClusterState, nodeName: string, now: number): readonly VolumeAttachment[] {
  const attachments = cluster.attachmentsOf(nodeName).filter(({ volumeName }) => volumeName !== "");
  if (attachments.length === 0) return [];
  const staying = new Set(
    cluster
      .podsOnNode(nodeName)
      .filter((pod) => !isDrainable(pod, now))
      .flatMap(({ namespace, spec }) =>
        spec.volumeClaims.map(({ claimName }) => cluster.volumeClaims.get(`${namespace}/${claimName}`)?.volumeName),
      ),
  );
  return attachments.filter(({ volumeName }) => !staying.has(volumeName));
}
