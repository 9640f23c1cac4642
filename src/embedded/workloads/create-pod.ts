import type { Pod, PodTemplateSpec } from "kubernetes-types/core/v1.js";
import { ApiError } from "../api/api-error.ts";
import { type Controller, controllerReference } from "./claim-objects.ts";
import type { RecordEvent } from "./event-recorder.ts";
import type { Resource, Stored } from "./resource.ts";

export interface PodWork {
  readonly pods: Resource<Pod>;
  readonly recordEvent: RecordEvent;
  /** The component that creates and deletes, as events name it. */
  readonly source: string;
}

/** A pod from a template, named after its controller and controlled by it. */
export function podFromTemplate(controller: Controller, template: PodTemplateSpec): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${controller.metadata.name}-`,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(controller)],
    },
    ...(template.spec === undefined ? {} : { spec: template.spec }),
  };
}

/** Creates a pod and says so; says what refused it and throws on, for another try later. */
export function createPod({ pods, recordEvent, source }: PodWork, controller: Controller, pod: Pod): Stored<Pod> {
  try {
    const created = pods.create(pod, controller.metadata.namespace);
    const message = `Created pod: ${created.metadata.name}`;
    recordEvent({ about: controller, type: "Normal", reason: "SuccessfulCreate", message, source });
    return created;
  } catch (error) {
    if (error instanceof ApiError && !isNamespaceEnding(error)) {
      const message = `Error creating: ${error.message}`;
      recordEvent({ about: controller, type: "Warning", reason: "FailedCreate", message, source });
    }
    throw error;
  }
}

export function deletePod({ pods, recordEvent, source }: PodWork, controller: Controller, pod: Stored<Pod>): void {
  pods.delete(pod);
  const message = `Deleted pod: ${pod.metadata.name}`;
  recordEvent({ about: controller, type: "Normal", reason: "SuccessfulDelete", message, source });
}

export function isNamespaceEnding(error: ApiError): boolean {
  return error.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true;
}
