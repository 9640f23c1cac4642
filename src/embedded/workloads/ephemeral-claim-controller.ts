import type { PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.js";
import type { ControlLoop } from "../control-loop.ts";
import { isPodActive } from "../pod-state.ts";
import { claimNameOf, volumesOf } from "../scheduler/pod-info.ts";
import { keyOf } from "../storage/collection.ts";
import { controllerReference } from "./claim-objects.ts";
import { Resource } from "./resource.ts";
import { controlLoop, type RunningPart, type WorkloadContext } from "./workload-context.ts";

/** Makes the claims of volumes that live and die with a pod. */
export class EphemeralClaimController implements RunningPart {
  readonly #pods: Resource<Pod>;
  readonly #claims: Resource<PersistentVolumeClaim>;
  readonly #loop: ControlLoop;
  readonly #unsubscribe: () => void;

  constructor(context: WorkloadContext) {
    this.#pods = new Resource<Pod>(context.api, "", "pods");
    this.#claims = new Resource<PersistentVolumeClaim>(context.api, "", "persistentvolumeclaims");
    this.#loop = controlLoop(context, "ephemeral claims", (key) => this.#reconcile(key));
    this.#unsubscribe = this.#pods.subscribe(({ type, object }) => {
      if (type === "ADDED") this.#see(keyOf(object), object);
    });
    for (const pod of this.#pods.list()) this.#see(keyOf(pod), pod);
  }

  stop(): void {
    this.#unsubscribe();
    this.#loop.stop();
  }

  #see(key: string, pod: Pod): void {
    if (volumesOf(pod).some(({ ephemeral }) => ephemeral !== undefined)) this.#loop.enqueue(key);
  }

  #reconcile(key: string): void {
    const pod = this.#pods.find(key);
    if (pod === undefined || !isPodActive(pod)) return;
    const { namespace } = pod.metadata;
    for (const volume of volumesOf(pod)) {
      const template = volume.ephemeral?.volumeClaimTemplate;
      const name = claimNameOf(pod, volume);
      if (template === undefined || name === undefined || this.#claims.find(`${namespace}/${name}`) !== undefined)
        continue;
      const { labels, annotations } = template.metadata ?? {};
      this.#claims.create(
        {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          metadata: {
            name,
            ...(labels === undefined ? {} : { labels }),
            ...(annotations === undefined ? {} : { annotations }),
            ownerReferences: [controllerReference(pod)],
          },
          spec: template.spec,
        },
        namespace,
      );
    }
  }
}
