import type { Event } from "kubernetes-types/core/v1.js";
import { workloadOf } from "./read-log-line.ts";
import type { Telling } from "./telling.ts";

/** What the log or the screen says too, or what would be a line for every pod or every node. */
const unsaid: ReadonlySet<string> = new Set([
  "Nominated",
  "Finalized",
  "FailedScheduling",
  "NodePoolValidationFailed",
  "NodePoolValidationWarning",
  "InsufficientCapacityError",
  "NodeClassNotReady",
  "UnregisteredTaintMissing",
  "ConsolidationCandidate",
  "ConsolidationApproved",
  "ConsolidationRejected",
  "Unconsolidatable",
  "DisruptionBlocked",
  "DisruptionFailed",
  "DisruptionLaunching",
  "DisruptionTerminating",
  "DisruptionWaitingReadiness",
]);

/** Of every step of every object, which the screen shows as their state. */
const transition = "Status condition transitioned";

/** What an Event that the controller has written tells people; undefined when the log says it too. */
export function readEvent(
  { source, reason = "", type, message = "", involvedObject }: Event,
  at: number,
): Telling | undefined {
  if (source?.component !== "karpenter" || unsaid.has(reason) || message.startsWith(transition)) return undefined;
  const { kind = "", namespace, name = "" } = involvedObject;
  const object = namespace === undefined ? name : `${namespace}/${name}`;
  if (reason === "Evicted") {
    const workload = workloadOf(object);
    return {
      at,
      tone: "warning",
      text: `evicted pod ${object}`,
      group: { key: `evicted/${workload}`, describe: (pods) => `evicted ${pods} pods of ${workload}` },
    };
  }
  const text = `${kind} ${object}: ${message}`;
  if (reason === "FailedDraining") {
    // The first says who is in the way; what follows says so of each pod.
    return { at, tone: "warning", text, group: { key: `draining/${object}`, describe: () => text } };
  }
  return { at, tone: type === "Warning" ? "warning" : "plain", text };
}
