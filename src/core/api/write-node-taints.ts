import type { NodeObject, WrittenTaint } from "../model/node-object.ts";
import type { Taint } from "../model/taints.ts";
import { writeTaint } from "./write-node-claim.ts";

/** All taints of the node and this one, as a write of the whole list wants them. */
export function writeTaintsWith(node: Pick<NodeObject, "writtenTaints">, taint: Taint): readonly object[] {
  return [...writeTaintsWithout(node, taint), writeTaint(taint)];
}

/** What others say with their taints survives. */
export function writeTaintsWithout(
  { writtenTaints }: Pick<NodeObject, "writtenTaints">,
  { key }: Taint,
): readonly object[] {
  return writtenTaints.filter((taint) => taint.key !== key).map(writeAgain);
}

/** With what it says besides itself. */
export function writeAgain({ timeAdded, ...taint }: WrittenTaint): object {
  return { ...writeTaint(taint), ...(timeAdded === undefined ? {} : { timeAdded }) };
}
