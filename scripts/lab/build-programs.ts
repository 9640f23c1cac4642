// Builds all programs that the end-to-end suites need, so that none of them waits for a compiler: `.ci/run` does it first.
import { ensureKubectl, ensurePrograms, ensureRegressionTests, NoGoError, programs } from "./binaries.ts";

const progress = (line: string) => console.log(line);
try {
  await ensurePrograms(programs, progress);
  await ensureKubectl(progress);
  await ensureRegressionTests(progress);
} catch (cause) {
  console.error(cause instanceof NoGoError ? cause.message : cause);
  process.exitCode = 1;
}
