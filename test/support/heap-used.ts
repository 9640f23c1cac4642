import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes that are in use once everything is gone that is needed no more. */
export function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  setFlagsFromString("--no-expose-gc");
  return process.memoryUsage().heapUsed;
}
