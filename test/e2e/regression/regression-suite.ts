import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ensureRegressionTests } from "../../../scripts/lab/binaries.ts";
import { type KarpenterStage, onKarpenterStage } from "../karpenter-stage.ts";
import type { Suite, SuiteContext } from "../suite.ts";
import { readGinkgoReport, type SpecResult } from "./ginkgo-report.ts";
import { isQuick, type Spec, specs } from "./specs.ts";

/** The Go Karpenter's own end-to-end tests, against our controller (or against the Go one, to see what it makes of them). */
export const regressionSuite: Suite = {
  name: "regression",
  async run(context) {
    const program = await ensureRegressionTests(context.progress);
    const problems: string[] = [];
    for (const group of groupsToRun(context)) problems.push(...(await runGroup({ group, program, context })));
    return problems;
  },
};

interface Group {
  readonly name: string;
  readonly specs: readonly Spec[];
}

const environment = { FEATURE_GATES: "StaticCapacity=true" };

function groupsToRun({ isAll, focus }: SuiteContext): Group[] {
  return Object.entries(specs)
    .map(([name, all]) => ({
      name,
      specs: all.filter((spec) => (focus === undefined ? isAll || isQuick(spec) : focus.test(`${name} ${spec.name}`))),
    }))
    .filter((group) => group.specs.length > 0);
}

/** Each group gets a control plane of its own: what a failed spec leaves behind would fail all that come after it. */
async function runGroup({ group, program, context }: { group: Group; program: string; context: SuiteContext }) {
  const { progress, controller: name } = context;
  progress(`${group.name}: ${group.specs.length} specs against ${name === "ours" ? "our controller" : "the Go one"}`);
  const results = await onKarpenterStage({ name, environment, progress }, async (stage) => {
    const ran = await runSpecs({ group, program, stage });
    if (ran.some(({ state }) => state !== "passed")) {
      const log = join(tmpdir(), `karpenter-regression-${group.name}-${name}.log`);
      await copyFile(stage.controller.logFile, log);
      progress(`the controller's log is ${log}`);
    }
    return ran;
  });
  return group.specs.flatMap((spec) => judge({ group, spec, results, progress }));
}

interface Verdict {
  readonly group: Group;
  readonly spec: Spec;
  readonly results: readonly SpecResult[];
  readonly progress: SuiteContext["progress"];
}

function judge({ group, spec, results, progress }: Verdict): string[] {
  const text = `${group.name} ${spec.name}`;
  const result = results.find((one) => one.text === text);
  const state = result?.state ?? "not run";
  const seconds = `${(result?.seconds ?? 0).toFixed(0)} s`.padStart(6);
  const note = spec.peerFails === undefined ? "" : ` (the Go controller fails: ${spec.peerFails})`;
  progress(`${state.padEnd(10)}${seconds} (Go: ${`${spec.peerSeconds} s`.padStart(5)})  ${text}${note}`);
  if (state === "passed" || spec.peerFails !== undefined) return [];
  return [`${text}: ${result?.failure ?? "it was not run"}`];
}

async function runSpecs({ group, program, stage }: { group: Group; program: string; stage: KarpenterStage }) {
  const folder = await mkdtemp(join(tmpdir(), "karpenter-regression-"));
  const report = join(folder, "report.json");
  const log = openSync(join(folder, "output.log"), "w");
  const names = group.specs.map(({ name }) => `${group.name} ${name}`.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  // A spec that fails waits for a quarter of an hour; the limit is for all of a group.
  const limitSeconds = 180 + 3 * group.specs.reduce((sum, { peerSeconds }) => sum + peerSeconds, 0);
  const child = spawn(
    program,
    [
      "--ginkgo.v",
      "--ginkgo.no-color",
      `--ginkgo.focus=(${names.join("|")})$`,
      `--ginkgo.timeout=${limitSeconds}s`,
      `--ginkgo.json-report=${report}`,
    ],
    {
      cwd: join(dirname(program), "source/test/suites/regression"),
      env: { ...process.env, KUBECONFIG: stage.controlPlane.kubeconfigPath },
      stdio: ["ignore", log, log],
    },
  );
  try {
    await once(child, "exit");
    return readGinkgoReport(readFileSync(report, "utf8"));
  } finally {
    closeSync(log);
    await rm(folder, { recursive: true, force: true });
  }
}
