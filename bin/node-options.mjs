// How Node is told to run karpenter, by whoever starts it.
import { join } from "node:path";

/** Left alone, V8 lets short-lived objects pile up to a hundred megabytes before it looks at them. */
export const nodeArguments = ["--max-semi-space-size=8"];

/** Types are stripped and code is compiled once, not at every start: half the time, and a sixth of the memory less. */
export function compileCacheIn(checkout) {
  return { NODE_COMPILE_CACHE: join(checkout, "node_modules", ".cache", "karpenter-ts") };
}
