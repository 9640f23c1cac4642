import type { Pod } from "kubernetes-types/core/v1.js";
import { AttachmentController } from "./attachment-controller.ts";
import { CronJobController } from "./cron-job-controller.ts";
import { DaemonSetController } from "./daemon-set-controller.ts";
import { DeploymentController } from "./deployment-controller.ts";
import { DisruptionController } from "./disruption-controller.ts";
import { EphemeralClaimController } from "./ephemeral-claim-controller.ts";
import { GarbageCollector } from "./garbage-collector.ts";
import { JobController } from "./job-controller.ts";
import { NamespaceController } from "./namespace-controller.ts";
import { NodeLifecycleController } from "./node-lifecycle-controller.ts";
import { ObjectIndex, ownerGroup } from "./object-index.ts";
import { PodGarbageCollector } from "./pod-garbage-collector.ts";
import { ReplicaSetController } from "./replica-set-controller.ts";
import { Resource } from "./resource.ts";
import { StatefulSetController } from "./stateful-set-controller.ts";
import { TaintEvictionController } from "./taint-eviction-controller.ts";
import { VolumeController } from "./volume-controller.ts";
import type { RunningPart, WorkloadContext } from "./workload-context.ts";

/** Starts all that a cluster does by itself but scheduling and running pods. */
export function startWorkloads(context: WorkloadContext): RunningPart {
  const pods = new Resource<Pod>(context.api, "", "pods");
  const podsByOwner = new ObjectIndex(pods, ownerGroup);
  const podsByNode = new ObjectIndex(pods, ({ spec }) => spec?.nodeName || undefined);
  const parts: RunningPart[] = [
    podsByOwner,
    podsByNode,
    new NamespaceController(context),
    new NodeLifecycleController(context, podsByNode),
    new TaintEvictionController(context, podsByNode),
    new PodGarbageCollector(context, podsByNode),
    new ReplicaSetController(context, podsByOwner),
    new DeploymentController(context, podsByOwner),
    new StatefulSetController(context, podsByOwner),
    new DaemonSetController(context, podsByOwner),
    new JobController(context, podsByOwner),
    new CronJobController(context),
    new EphemeralClaimController(context),
    new VolumeController(context),
    new AttachmentController(context),
    new DisruptionController(context),
    new GarbageCollector(context),
  ];
  return {
    stop() {
      for (const part of parts) part.stop();
    },
  };
}
