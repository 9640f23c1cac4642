import { configMapResource, secretResource, serviceAccountResource } from "./config-map.ts";
import { cronJobResource } from "./cron-job.ts";
import { daemonSetResource } from "./daemon-set.ts";
import { deploymentResource } from "./deployment.ts";
import { endpointSliceResource, endpointsResource } from "./endpoints.ts";
import { eventResource, newEventResource } from "./event.ts";
import { jobResource } from "./job.ts";
import { namespaceResource } from "./namespace.ts";
import { nodeResource } from "./node.ts";
import { persistentVolumeResource } from "./persistent-volume.ts";
import { persistentVolumeClaimResource } from "./persistent-volume-claim.ts";
import { podResource } from "./pod.ts";
import { podDisruptionBudgetResource } from "./pod-disruption-budget.ts";
import { clusterRoleBindingResource, clusterRoleResource, roleBindingResource, roleResource } from "./rbac.ts";
import { replicaSetResource, replicationControllerResource } from "./replica-set.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { serviceResource } from "./service.ts";
import {
  controllerRevisionResource,
  customResourceDefinitionResource,
  leaseResource,
  limitRangeResource,
  podTemplateResource,
  priorityClassResource,
  resourceQuotaResource,
  runtimeClassResource,
} from "./small-resources.ts";
import { statefulSetResource } from "./stateful-set.ts";
import { csiDriverResource, csiNodeResource, storageClassResource, volumeAttachmentResource } from "./storage.ts";

/** Everything that the embedded API serves before anybody adds a custom resource, in the order of discovery. */
export const builtInResources: readonly ResourceDefinition[] = [
  configMapResource,
  endpointsResource,
  eventResource,
  limitRangeResource,
  namespaceResource,
  nodeResource,
  persistentVolumeClaimResource,
  persistentVolumeResource,
  podResource,
  podTemplateResource,
  replicationControllerResource,
  resourceQuotaResource,
  secretResource,
  serviceAccountResource,
  serviceResource,
  customResourceDefinitionResource,
  controllerRevisionResource,
  daemonSetResource,
  deploymentResource,
  replicaSetResource,
  statefulSetResource,
  newEventResource,
  cronJobResource,
  jobResource,
  podDisruptionBudgetResource,
  roleBindingResource,
  roleResource,
  clusterRoleBindingResource,
  clusterRoleResource,
  csiDriverResource,
  csiNodeResource,
  storageClassResource,
  volumeAttachmentResource,
  priorityClassResource,
  leaseResource,
  runtimeClassResource,
  endpointSliceResource,
];
