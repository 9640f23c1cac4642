import type { Pod } from "../model/pod.ts";
import { isFinished } from "../model/pod-lifecycle.ts";
import type { VolumeClaim } from "../model/volumes.ts";
import { quotaOfClass } from "../model/workload.ts";

/** The API server refuses pods that do not say how much they need of these where a quota limits them. */
const required: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "requests.cpu",
  "requests.memory",
  "limits.cpu",
  "limits.memory",
]);

/** Whether a quota refuses a pod that counts for nothing under this name. */
export function isRequired(name: string): boolean {
  return required.has(name);
}

/** How much of what a quota limits a pod takes, apart from its claims. `count/pods` counts objects, whatever has become of them. */
export function amountOfPod(pod: Pod, name: string): number {
  if (name === "count/pods") return 1;
  if (isFinished(pod)) return 0;
  const { limits, spec } = pod;
  return name.startsWith("limits.")
    ? (limits.get(name.slice("limits.".length)) ?? 0)
    : (spec.requests.get(name.replace(/^requests\./, "")) ?? 0);
}

/** How much of what a quota limits a claim takes. */
export function amountOfClaim({ storageClassName, storage }: ClaimRequest, name: string): number {
  const [className, ofClass] = name.split(quotaOfClass);
  if (ofClass !== undefined && className !== storageClassName) return 0;
  const limited = ofClass ?? name;
  if (limited === "requests.storage") return storage;
  return limited === "persistentvolumeclaims" || limited === "count/persistentvolumeclaims" ? 1 : 0;
}

type ClaimRequest = Pick<VolumeClaim, "storageClassName" | "storage">;
