import { describeProblem } from "../../core/api/problem.ts";
import { readNode } from "../../core/api/read-node.ts";
import type { Instance } from "../../ports/cloud-provider.ts";
import { nodeNameOf } from "./machine-name.ts";
import { claimAnnotation, withoutAdded } from "./make-node.ts";

/** The machine behind a Node; undefined when it is somebody else's. */
export function readInstance(node: unknown): Instance | undefined {
  const read = readNode(node);
  if (read.problems !== undefined)
    throw new Error(`Cannot read a node: ${read.problems.map(describeProblem).join(" ")}`);
  const { providerId, labels, annotations, capacity, allocatable, createdAt, deletedAt } = read.value;
  if (nodeNameOf(providerId) === undefined) return undefined;
  return {
    providerId,
    claimName: annotations.get(claimAnnotation) ?? "",
    imageId: "",
    labels: withoutAdded(labels),
    annotations: withoutAdded(annotations),
    capacity,
    allocatable,
    createdAt,
    isTerminating: deletedAt !== undefined,
  };
}
