import { hostnameLabel, type Labels } from "../model/labels.ts";
import type { Resources } from "../model/resources.ts";
import type { Taint } from "../model/taints.ts";
import { type Field, nameObject, openObject } from "./field.ts";
import type { Read } from "./problem.ts";
import { readResources } from "./read-resources.ts";
import { readTaints } from "./read-taints.ts";

/** What the Node object itself says. */
export interface RegisteredNode {
  readonly name: string;
  /** Its name stands in for a provider's id that a node which is not ours may lack. */
  readonly providerId: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly capacity: Resources;
  readonly allocatable: Resources;
  readonly isDeleting: boolean;
}

export function readNode(wire: unknown): Read<RegisteredNode> {
  const node = openObject(wire, nameObject(wire, "Node"));
  const metadata = node.at("metadata");
  const name = metadata.at("name").requiredText();
  const capacity = readResources(node.at("status").at("capacity"));
  const allocatable = node.at("status").at("allocatable");
  return node.log.conclude({
    name,
    providerId: node.at("spec").at("providerID").text() ?? name,
    labels: new Map([[hostnameLabel, name], ...metadata.at("labels").labels()]),
    taints: readNodeTaints(node.at("spec")),
    capacity,
    allocatable: allocatable.isAbsent ? capacity : readResources(allocatable),
    isDeleting: !metadata.at("deletionTimestamp").isAbsent,
  });
}

/** A cordoned node has a taint too, but a file may have been written with the flag alone. */
function readNodeTaints(spec: Field): readonly Taint[] {
  const taints = readTaints(spec.at("taints"));
  const cordon: Taint = { key: "node.kubernetes.io/unschedulable", value: "", effect: "NoSchedule" };
  const isCordoned = spec.at("unschedulable").flag() && !taints.some(({ key }) => key === cordon.key);
  return isCordoned ? [...taints, cordon] : taints;
}

export interface AttachLimits {
  /** A CSINode has the name of its node. */
  readonly nodeName: string;
  /** By driver. */
  readonly limits: Resources;
}

export function readAttachLimits(wire: unknown): Read<AttachLimits> {
  const csiNode = openObject(wire, nameObject(wire, "CSINode"));
  const limits = new Map<string, number>();
  for (const driver of csiNode.at("spec").at("drivers").items()) {
    const name = driver.at("name").requiredText();
    const count = driver
      .at("allocatable")
      .at("count")
      .integer(0, 2 ** 31 - 1);
    if (count !== undefined) limits.set(name, count);
  }
  return csiNode.log.conclude({ nodeName: csiNode.at("metadata").at("name").requiredText(), limits });
}
