import type { DisruptionBudget, VolumeAttachment } from "../model/disruption-budget.ts";
import { nameObject, namespaceOf, openObject } from "./field.ts";
import type { Read } from "./problem.ts";
import { readSelector } from "./read-selector.ts";

export function readDisruptionBudget(wire: unknown): Read<DisruptionBudget> {
  const budget = openObject(wire, nameObject(wire, "PodDisruptionBudget", "default"));
  const spec = budget.at("spec");
  return budget.log.conclude({
    namespace: namespaceOf(budget.at("metadata")),
    name: budget.at("metadata").at("name").requiredText(),
    selector: readSelector(spec.at("selector")),
    disruptionsAllowed: budget.at("status").at("disruptionsAllowed").integer(0, Number.MAX_SAFE_INTEGER) ?? 0,
    alwaysAllowsUnhealthy: spec.at("unhealthyPodEvictionPolicy").text() === "AlwaysAllow",
    neverAllows: isNothing(spec.at("maxUnavailable").value) || spec.at("minAvailable").value === "100%",
  });
}

function isNothing(maxUnavailable: unknown): boolean {
  return maxUnavailable === 0 || maxUnavailable === "0%";
}

export function readVolumeAttachment(wire: unknown): Read<VolumeAttachment> {
  const attachment = openObject(wire, nameObject(wire, "VolumeAttachment"));
  const spec = attachment.at("spec");
  return attachment.log.conclude({
    name: attachment.at("metadata").at("name").requiredText(),
    nodeName: spec.at("nodeName").text() ?? "",
    volumeName: spec.at("source").at("persistentVolumeName").text() ?? "",
  });
}
