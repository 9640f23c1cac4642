// How fast the embedded cluster is and how much it holds: npm run bench:cluster, with a real API server beside it after
// -- --with-real.
import { spawnSync } from "node:child_process";
import { measures } from "./measures.ts";

const wanted = process.argv.slice(2).find((argument) => argument !== "--with-real");
if (wanted !== undefined && wanted in measures) {
  const measure = wanted as keyof typeof measures;
  process.stdout.write(`${JSON.stringify({ measure, ...(await measures[measure]()) })}\n`);
  process.exit(0);
}
if (wanted !== undefined) {
  process.stderr.write(
    `There is no measure "${wanted}"; choose from ${Object.keys(measures).join(", ")}, or none for all.\n`,
  );
  process.exit(2);
}
// Each in a process of its own, so that none inherits the memory or the compiled code of another, with the launcher's
// small nursery. Left alone, Node would rather take memory than collect garbage: the limit shows what is really needed.
const flags = ["--expose-gc", "--max-semi-space-size=8", "--max-old-space-size=450"];
// The real server needs Go, once, to be built.
const usual = Object.keys(measures).filter((measure) => measure !== "real-https");
for (const measure of process.argv.includes("--with-real") ? Object.keys(measures) : usual) {
  const { status } = spawnSync(process.execPath, [...flags, import.meta.filename, measure], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
