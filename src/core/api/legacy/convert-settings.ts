import type { Field } from "../field.ts";
import type { NoteLog } from "./note.ts";

/** Keys of the ConfigMap `karpenter-global-settings`, and the environment variables that took their place. */
const successors: ReadonlyMap<string, string> = new Map([
  ["batchMaxDuration", "BATCH_MAX_DURATION"],
  ["batchIdleDuration", "BATCH_IDLE_DURATION"],
  ["aws.clusterName", "CLUSTER_NAME"],
  ["aws.clusterEndpoint", "CLUSTER_ENDPOINT"],
  ["aws.clusterCABundle", "CLUSTER_CA_BUNDLE"],
  ["aws.isolatedVPC", "ISOLATED_VPC"],
  ["aws.vmMemoryOverheadPercent", "VM_MEMORY_OVERHEAD_PERCENT"],
  ["aws.interruptionQueueName", "INTERRUPTION_QUEUE"],
  ["aws.reservedENIs", "RESERVED_ENIS"],
]);

const reasons: ReadonlyMap<string, string> = new Map([
  ["featureGates.driftEnabled", "drift is always on: bound it with a budget of a pool"],
  ["aws.assumeRoleARN", "give the controller's service account the role itself"],
  ["aws.assumeRoleDuration", "give the controller's service account the role itself"],
  ["aws.defaultInstanceProfile", "write role or instanceProfile in each EC2NodeClass"],
  ["aws.enablePodENI", "it is always assumed"],
  ["aws.enableENILimitedPodDensity", "write kubelet.maxPods in each EC2NodeClass instead"],
  ["aws.tags", "write tags in each EC2NodeClass"],
]);

export const settingsName = "karpenter-global-settings";

/** The old settings are environment variables of the controller now, which no object here can hold. */
export function noteSettings(object: Field, notes: NoteLog): void {
  notes.dropped(object, "is left out: settings are environment variables, or values of the chart, now");
  for (const [key, value] of object.at("data").entries()) {
    const successor = successors.get(key);
    if (successor === undefined) notes.dropped(value, `is left out: ${reasons.get(key) ?? "there is no such setting"}`);
    else notes.changed(value, `is the environment variable ${successor} of the controller now`);
  }
}
