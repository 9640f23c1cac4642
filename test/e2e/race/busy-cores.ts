import { mkdtemp } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createProcessGroup } from "../../../scripts/lab/process-group.ts";

/** Runs the act while as many processes as there are cores compute without end. */
export async function withBusyCores<Result>(act: () => Promise<Result>): Promise<Result> {
  const group = createProcessGroup(await mkdtemp(join(tmpdir(), "karpenter-busy-")));
  try {
    for (let core = 0; core < availableParallelism(); core++) {
      group.start(`busy-${core}`, process.execPath, ["--eval", "for (;;);"]);
    }
    return await act();
  } finally {
    await group.stop();
  }
}
