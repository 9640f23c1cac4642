import { nodeReference, podReference } from "../../core/api/references.ts";
import { writeTime } from "../../core/api/write-time.ts";
import type { VolumeAttachment } from "../../core/model/disruption-budget.ts";
import { holdAnnotationOf, holdOf } from "../../core/model/do-not-disrupt.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import type { Pod } from "../../core/model/pod.ts";
import type { Wait } from "../../core/termination/plan-drain.ts";
import type { Telemetry } from "../../ports/telemetry.ts";

const mostNamed = 5;

/** Says beside a node what keeps it. */
export class DrainReporter {
  readonly #telemetry: Telemetry;

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry;
  }

  reportDeadline(node: NodeObject, time: string): void {
    this.#telemetry.events.publish({
      object: nodeReference(node),
      type: "Warning",
      reason: "TerminationGracePeriodExpiring",
      message: `All pods will be deleted by ${time}`,
      sameAs: [node.uid],
    });
  }

  /** Pods that are on their way need no mention. */
  reportWaits(node: NodeObject, waits: readonly Wait[], now: number): void {
    for (const { pod } of waits) this.#reportHold(pod, now);
    const reasons = waits.flatMap((wait) => {
      const reason = describeWait(wait);
      return reason === undefined ? [] : [`${wait.pod.namespace}/${wait.pod.name} (${reason})`];
    });
    if (reasons.length === 0) return;
    this.#telemetry.events.publish({
      object: nodeReference(node),
      type: "Warning",
      reason: "FailedDraining",
      message: `Cannot drain the node yet, ${reasons.length} of its pods may not leave: ${listed(reasons)}`,
      sameAs: [node.uid],
    });
  }

  reportAttachments(node: NodeObject, attachments: readonly VolumeAttachment[]): void {
    this.#telemetry.events.publish({
      object: nodeReference(node),
      type: "Normal",
      reason: "AwaitingVolumeDetachment",
      message: `Waiting for volume attachments to go: ${listed(attachments.map(({ name }) => name))}`,
      sameAs: [node.uid],
    });
  }

  /** What the annotation of the pod means, where that depends on the time or is nothing. */
  #reportHold(pod: Pod, now: number): void {
    const hold = holdOf(pod);
    const object = podReference(pod);
    const { events } = this.#telemetry;
    if (hold.kind === "invalid") {
      events.publish({
        object,
        type: "Warning",
        reason: "InvalidDoNotDisruptAnnotation",
        message: `The annotation ${holdAnnotationOf(pod)} is neither "true" nor a duration and protects nothing: ${JSON.stringify(hold.value)}`,
        sameAs: [pod.uid, hold.value],
      });
    }
    if (hold.kind !== "until" || hold.time === undefined) return;
    const time = writeTime(hold.time);
    const isOver = now >= hold.time;
    events.publish({
      object,
      type: "Normal",
      reason: isOver ? "DoNotDisruptGracePeriodElapsed" : "DoNotDisruptUntil",
      message: `The annotation ${holdAnnotationOf(pod)} ${isOver ? "has protected" : "protects"} the pod until ${time}`,
      sameAs: [pod.uid, time],
    });
  }
}

function describeWait(wait: Wait): string | undefined {
  switch (wait.kind) {
    case "held":
      return `annotated ${holdAnnotationOf(wait.pod)}`;
    case "budget":
      return wait.verdict.kind === "several"
        ? `has several budgets: ${listed(wait.verdict.budgets.map(({ name }) => name))}`
        : `budget ${wait.verdict.budget.name} allows no disruption`;
    case "leaving":
    case "replacement":
    case "turn":
      return undefined;
  }
}

function listed(names: readonly string[]): string {
  const rest = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
