import type { Pod } from "kubernetes-types/core/v1.js";
import { DeploymentController } from "./deployment-controller.ts";
import { DisruptionController } from "./disruption-controller.ts";
import { GarbageCollector } from "./garbage-collector.ts";
import { ObjectIndex, ownerGroup } from "./object-index.ts";
import { ReplicaSetController } from "./replica-set-controller.ts";
import { Resource } from "./resource.ts";
import type { RunningPart, WorkloadContext } from "./workload-context.ts";

/** Starts all that a cluster does by itself but scheduling and running pods. */
export function startWorkloads(context: WorkloadContext): RunningPart {
  const podsByOwner = new ObjectIndex(new Resource<Pod>(context.api, "", "pods"), ownerGroup);
  const parts: RunningPart[] = [
    podsByOwner,
    new ReplicaSetController(context, podsByOwner),
    new DeploymentController(context, podsByOwner),
    new DisruptionController(context),
    new GarbageCollector(context),
  ];
  return {
    stop() {
      for (const part of parts) part.stop();
    },
  };
}
