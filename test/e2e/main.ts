// Tries what needs real programs: `npm run e2e`, or `npm run e2e -- --only contract`.
import { parseArgs, styleText } from "node:util";
import { controllerNames } from "../../scripts/lab/karpenter.ts";
import { apiSuite } from "./api/api-suite.ts";
import { burstSuite } from "./burst/burst-suite.ts";
import { contractSuite } from "./contract/contract-suite.ts";
import { controllerSuite } from "./controller/controller-suite.ts";
import { foreignSuite } from "./foreign/foreign-suite.ts";
import { kubectlSuite } from "./kubectl/kubectl-suite.ts";
import { plannerSuite } from "./planner/planner-suite.ts";
import { regressionSuite } from "./regression/regression-suite.ts";
import { schedulerSuite } from "./scheduler/scheduler-suite.ts";
import type { Suite, SuiteContext } from "./suite.ts";

const suites: readonly Suite[] = [
  contractSuite,
  apiSuite,
  kubectlSuite,
  schedulerSuite,
  plannerSuite,
  foreignSuite,
  controllerSuite,
  regressionSuite,
  burstSuite,
];

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    record: { type: "boolean", default: false },
    all: { type: "boolean", default: false },
    controller: { type: "string", default: "ours" },
    focus: { type: "string" },
  },
});
const controller = controllerNames.find((name) => name === values.controller);
if (controller === undefined) {
  console.error(`There is no controller "${values.controller}"; there are ${controllerNames.join(", ")}`);
  process.exit(2);
}
const only = values.only?.split(",");
const unknown = only?.find((name) => !suites.some((suite) => suite.name === name));
if (unknown !== undefined) {
  console.error(`There is no suite "${unknown}"; there are ${suites.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

const context: Omit<SuiteContext, "progress"> = {
  isRecording: values.record,
  isAll: values.all,
  controller,
  focus: values.focus === undefined ? undefined : new RegExp(values.focus),
};
const summary: string[] = [];
for (const suite of suites.filter(isWanted)) {
  const started = performance.now();
  const problems = await problemsOf(suite);
  for (const problem of problems) console.log(`\n${problem}`);
  const isOk = problems.length === 0;
  if (!isOk) process.exitCode = 1;
  const outcome = styleText(isOk ? "green" : "red", (isOk ? "ok" : "failed").padEnd(8));
  const time = `${((performance.now() - started) / 1000).toFixed(1)} s`.padStart(8);
  summary.push(`${outcome} ${suite.name.padEnd(16)}${time}${isOk ? "" : `  ${problems.length} problems`}`);
}
console.log(`\n${summary.join("\n")}`);

async function problemsOf(suite: Suite): Promise<readonly string[]> {
  const progress = (line: string) => console.log(`${suite.name}: ${line}`);
  try {
    return await suite.run({ ...context, progress });
  } catch (cause) {
    return [cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)];
  }
}

function isWanted({ name, isMeasurement = false }: Suite): boolean {
  return only?.includes(name) ?? (values.all || !isMeasurement);
}
