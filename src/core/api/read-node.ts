import { hostnameLabel } from "../model/labels.ts";
import type { NodeObject, WrittenTaint } from "../model/node-object.ts";
import type { Resources } from "../model/resources.ts";
import type { Taint } from "../model/taints.ts";
import { type Field, nameObject, openObject } from "./field.ts";
import type { Read } from "./problem.ts";
import { readConditions } from "./read-conditions.ts";
import { readObjectIdentity } from "./read-object-identity.ts";
import { readResources } from "./read-resources.ts";
import { readTaints } from "./read-taints.ts";

export function readNode(wire: unknown): Read<NodeObject> {
  const node = openObject(wire, nameObject(wire, "Node"));
  const metadata = node.at("metadata");
  const identity = readObjectIdentity(metadata);
  const spec = node.at("spec");
  const status = node.at("status");
  const capacity = readResources(status.at("capacity"));
  const allocatable = status.at("allocatable");
  return node.log.conclude({
    ...identity,
    providerId: spec.at("providerID").text() ?? identity.name,
    labels: new Map([[hostnameLabel, identity.name], ...metadata.at("labels").labels()]),
    annotations: metadata.at("annotations").labels(),
    writtenTaints: readWrittenTaints(spec.at("taints")),
    taints: withCordon(readTaints(spec.at("taints")), spec.at("unschedulable").flag()),
    capacity,
    allocatable: allocatable.isAbsent ? capacity : readResources(allocatable),
    ownerUids: metadata
      .at("ownerReferences")
      .items()
      .map((owner) => owner.at("uid").text() ?? ""),
    conditions: readConditions(node).map(({ type, status, lastTransitionTime }) => ({
      type,
      status,
      lastTransitionTime,
    })),
  });
}

function readWrittenTaints(field: Field): readonly WrittenTaint[] {
  const times = field.items().map((item) => item.at("timeAdded").text());
  return readTaints(field).map((taint, index) => ({ ...taint, timeAdded: times[index] }));
}

/** A cordoned node has a taint too, but a file may have been written with the flag alone. */
function withCordon(taints: readonly Taint[], isCordoned: boolean): readonly Taint[] {
  const cordon: Taint = { key: "node.kubernetes.io/unschedulable", value: "", effect: "NoSchedule" };
  return isCordoned && !taints.some(({ key }) => key === cordon.key) ? [...taints, cordon] : taints;
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
