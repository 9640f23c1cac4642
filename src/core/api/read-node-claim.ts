import type { Labels } from "../model/labels.ts";
import type { Resources } from "../model/resources.ts";
import type { Taint } from "../model/taints.ts";
import { type Field, nameObject, openObject } from "./field.ts";
import type { Read } from "./problem.ts";
import { readCondition } from "./read-conditions.ts";
import { readRequirement } from "./read-requirement.ts";
import { readResources } from "./read-resources.ts";
import { readTaints } from "./read-taints.ts";

/** What a NodeClaim promises about the node that comes of it. */
export interface ClaimedNode {
  readonly name: string;
  /** "" until the cloud has launched the machine. */
  readonly providerId: string;
  /** "" until the node has registered. */
  readonly nodeName: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  readonly capacity: Resources;
  readonly allocatable: Resources;
  readonly isDeleting: boolean;
}

export function readNodeClaim(wire: unknown): Read<ClaimedNode> {
  const claim = openObject(wire, nameObject(wire, "NodeClaim"));
  const metadata = claim.at("metadata");
  const spec = claim.at("spec");
  const status = claim.at("status");
  // Before the launch nobody knows more than what was asked for.
  const requests = readResources(spec.at("resources").at("requests"));
  const capacity = readResources(status.at("capacity"));
  const allocatable = readResources(status.at("allocatable"));
  return claim.log.conclude({
    name: metadata.at("name").requiredText(),
    providerId: status.at("providerID").text() ?? "",
    nodeName: status.at("nodeName").text() ?? "",
    labels: new Map([...readDecidedLabels(spec.at("requirements")), ...metadata.at("labels").labels()]),
    taints: readTaints(spec.at("taints")),
    startupTaints: readTaints(spec.at("startupTaints")),
    capacity: capacity.size === 0 ? requests : capacity,
    allocatable: allocatable.size === 0 ? requests : allocatable,
    isDeleting:
      !metadata.at("deletionTimestamp").isAbsent || readCondition(claim, "InstanceTerminating")?.status === "True",
  });
}

/** Requirements that leave only one value say what the label will be. */
function readDecidedLabels(requirements: Field): Labels {
  const labels = new Map<string, string>();
  for (const item of requirements.items()) {
    const entry = readRequirement(item);
    const [value, ...others] = entry?.operator === "In" ? entry.values : [];
    if (entry !== undefined && value !== undefined && others.length === 0) labels.set(entry.key, value);
  }
  return labels;
}
