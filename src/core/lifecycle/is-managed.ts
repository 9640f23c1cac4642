import type { NodeClassRef } from "../model/node-pool.ts";

/** Whether a pool or a claim is ours: its node class belongs to the cloud that we buy from. */
export function isManaged(
  { nodeClassRef }: { readonly nodeClassRef: NodeClassRef },
  kinds: readonly { readonly group: string; readonly kind: string }[],
): boolean {
  return kinds.some(({ group, kind }) => group === nodeClassRef.group && kind === nodeClassRef.kind);
}
