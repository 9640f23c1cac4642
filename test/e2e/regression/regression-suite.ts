import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { someAtATime } from "../../../scripts/check/some-at-a-time.ts";
import { ensureRegressionTests, NoGoError } from "../../../scripts/lab/binaries.ts";
import { type KarpenterStage, onKarpenterStage } from "../karpenter-stage.ts";
import type { Suite, SuiteContext } from "../suite.ts";
import { namesInReport, readGinkgoReport, type SpecResult } from "./ginkgo-report.ts";
import { isQuick, leftOut, type Spec, specs, unknownAmong } from "./specs.ts";

/** The Go Karpenter's own end-to-end tests, against our controller (or against the Go one, to see what it makes of them). */
export const regressionSuite: Suite = {
  name: "regression",
  async run(context) {
    const groups = groupsToRun(context);
    tellWhatIsLeftOut(groups, context);
    if (groups.length === 0) return [];
    const program = await ensureRegressionTests(context.progress);
    const problems: string[] = [];
    await someAtATime(groupsAtATime, groups, async (group) => {
      problems.push(...(await problemsOf({ group, program, context })));
    });
    // Every group finds the same unknown specs.
    return [...new Set(problems)];
  },
};

/** Their specs wait most of the time. */
const groupsAtATime = availableParallelism();

interface Group {
  readonly name: string;
  readonly specs: readonly Spec[];
}

const environment = { FEATURE_GATES: "StaticCapacity=true,NodeRepair=true" };

function groupsToRun({ isAll, focus }: SuiteContext): Group[] {
  return Object.entries(specs)
    .map(([name, all]) => ({
      name,
      specs: all.filter((spec) => (focus === undefined ? isAll || isQuick(spec) : focus.test(`${name} ${spec.name}`))),
    }))
    .filter((group) => group.specs.length > 0);
}

function tellWhatIsLeftOut(groups: readonly Group[], { progress, leaveToAll, focus, isAll }: SuiteContext): void {
  // Whoever looks for something that is not there may find it here.
  if (focus === undefined || groups.length === 0) {
    for (const { name, reason } of leftOut) progress(`left out: ${name}, because ${reason}`);
  }
  if (focus !== undefined || isAll) return;
  for (const [name, all] of Object.entries(specs)) {
    for (const spec of all) if (!isQuick(spec)) leaveToAll(`${name} ${spec.name}`);
  }
}

interface GroupRun {
  readonly group: Group;
  readonly program: string;
  readonly context: SuiteContext;
}

/** A group that cannot be run hides nothing of the others. */
async function problemsOf(run: GroupRun): Promise<string[]> {
  try {
    return await runGroup(run);
  } catch (cause) {
    if (cause instanceof NoGoError) throw cause;
    return [`${run.group.name}: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`];
  }
}

/** Each group gets a control plane of its own: what a failed spec leaves behind would fail all that come after it. */
async function runGroup({ group, program, context }: GroupRun): Promise<string[]> {
  const { progress, controller: name } = context;
  progress(`${group.name}: ${group.specs.length} specs against ${name === "ours" ? "our controller" : "the Go one"}`);
  return await onKarpenterStage({ name, environment, progress }, async (stage) => {
    const folder = await mkdtemp(join(tmpdir(), `karpenter-regression-${group.name}-${name}-`));
    const problems = await runSpecs({ group, program, stage, folder, context });
    if (problems.length === 0) await rm(folder, { recursive: true, force: true });
    else {
      await copyFile(stage.controller.logFile, join(folder, "controller.log"));
      progress(`the logs of the specs and of the controller are in ${folder}`);
    }
    return problems;
  });
}

interface SpecRun {
  readonly group: Group;
  readonly program: string;
  readonly stage: KarpenterStage;
  /** Where the report and the log go. */
  readonly folder: string;
  readonly context: SuiteContext;
}

async function runSpecs({ group, program, stage, folder, context }: SpecRun): Promise<string[]> {
  const names = group.specs.map(({ name }) => `${group.name} ${name}`.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  // A spec that fails waits for a quarter of an hour; the limit is for all of a group.
  const limitSeconds = 180 + 3 * group.specs.reduce((sum, { peerSeconds }) => sum + peerSeconds, 0);
  const report = join(folder, "report.json");
  const log = openSync(join(folder, "output.log"), "w");
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
  closeSync(log);
  const [code, signal] = await once(child, "exit");
  if (!existsSync(report)) return [`${group.name}: the specs ended (${signal ?? code}) before they had a report`];
  const text = readFileSync(report, "utf8");
  const results = readGinkgoReport(text);
  return [
    ...group.specs.flatMap((spec) => judge({ group, spec, results, context })),
    ...unknownAmong(namesInReport(text)).map(
      (name) => `${name}: it is neither among the specs that are tried nor among those that are left out`,
    ),
  ];
}

interface Verdict {
  readonly group: Group;
  readonly spec: Spec;
  readonly results: readonly SpecResult[];
  readonly context: SuiteContext;
}

function judge({ group, spec, results, context: { progress, took } }: Verdict): string[] {
  const text = `${group.name} ${spec.name}`;
  const result = results.find((one) => one.text === text);
  const state = result?.state ?? "not run";
  const seconds = `${(result?.seconds ?? 0).toFixed(0)} s`.padStart(6);
  took(text, result?.seconds ?? 0);
  progress(`${state.padEnd(10)}${seconds} (Go: ${`${spec.peerSeconds} s`.padStart(5)})  ${text}`);
  if (spec.peerFails !== undefined) progress(`the Go controller does not pass that every time: ${spec.peerFails}`);
  return state === "passed" ? [] : [`${text}: ${result?.failure ?? "it was not run"}`];
}
