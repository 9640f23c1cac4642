import { Session } from "node:inspector/promises";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { getHeapSnapshot } from "node:v8";

/** What the processor did for so long, or until the signal, as a `.cpuprofile`. */
export async function captureCpuProfile(milliseconds: number, signal: AbortSignal): Promise<string> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
    const { profile } = await session.post("Profiler.stop");
    return JSON.stringify(profile);
  } finally {
    session.disconnect();
  }
}

/** What fills memory, as a `.heapsnapshot`. Everything stands still while it is taken. */
export async function captureHeapSnapshot(target: NodeJS.WritableStream): Promise<void> {
  await pipeline(getHeapSnapshot(), target);
}
