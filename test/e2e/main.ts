// Tries what needs real programs: `npm run e2e`; `npm run e2e -- --help` says what else it can do.
import { styleText } from "node:util";
import { NoGoError } from "../../scripts/lab/binaries.ts";
import { apiSuite } from "./api/api-suite.ts";
import { awsSuite } from "./aws/aws-suite.ts";
import { burstSuite } from "./burst/burst-suite.ts";
import { chartSuite } from "./chart/chart-suite.ts";
import { consolidationSuite } from "./consolidation/consolidation-suite.ts";
import { contractSuite } from "./contract/contract-suite.ts";
import { controllerSuite } from "./controller/controller-suite.ts";
import { foreignSuite } from "./foreign/foreign-suite.ts";
import { kubectlSuite } from "./kubectl/kubectl-suite.ts";
import { describeUsage, readOptions } from "./options.ts";
import { packageSuite } from "./package/package-suite.ts";
import { plannerSuite } from "./planner/planner-suite.ts";
import { regressionSuite } from "./regression/regression-suite.ts";
import { schedulerSuite } from "./scheduler/scheduler-suite.ts";
import { Focus, type Suite } from "./suite.ts";
import { takeoverSuite } from "./takeover/takeover-suite.ts";

const suites: readonly Suite[] = [
  contractSuite,
  apiSuite,
  kubectlSuite,
  schedulerSuite,
  plannerSuite,
  foreignSuite,
  controllerSuite,
  awsSuite,
  chartSuite,
  takeoverSuite,
  packageSuite,
  regressionSuite,
  burstSuite,
  consolidationSuite,
];

const names = suites.map(({ name }) => name);
const reading = readOptions(process.argv.slice(2), names);
if (reading.kind === "help") {
  console.log(describeUsage(names));
  process.exit(0);
}
if (reading.kind === "mistake") {
  console.error(`${reading.message}\n\n${describeUsage(names)}`);
  process.exit(2);
}
const { only, focus, ...wishes } = reading.options;

const summary: string[] = [];
const allProblems: string[] = [];
for (const suite of suites.filter(isWanted)) {
  const started = performance.now();
  const problems = await problemsOf(suite);
  for (const problem of problems) console.log(`\n${problem}`);
  allProblems.push(...problems);
  const isOk = problems.length === 0;
  if (!isOk) process.exitCode = 1;
  const outcome = styleText(isOk ? "green" : "red", (isOk ? "ok" : "failed").padEnd(8));
  const time = `${((performance.now() - started) / 1000).toFixed(1)} s`.padStart(8);
  summary.push(`${outcome} ${suite.name.padEnd(16)}${time}${isOk ? "" : `  ${problems.length} problems`}`);
}
// Again, because whoever looks at the end of a long log looks for them.
if (summary.length > 1) for (const problem of allProblems) console.log(`\n${problem}`);
console.log(`\n${summary.join("\n")}`);

async function problemsOf(suite: Suite): Promise<readonly string[]> {
  const progress = (line: string) => console.log(`${suite.name}: ${line}`);
  const focused = focus === undefined ? undefined : new Focus(focus);
  try {
    const problems = await suite.run({ ...wishes, focus: focused, progress });
    if (focused === undefined || focused.hasMatched) return problems;
    return [...problems, `Nothing in ${suite.name} is called ${focused}, so nothing was tried`];
  } catch (cause) {
    if (cause instanceof NoGoError) {
      // The others would say the same.
      console.error(cause.message);
      process.exit(1);
    }
    return [cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)];
  }
}

function isWanted({ name, isMeasurement = false }: Suite): boolean {
  return only?.includes(name) ?? (wishes.isAll || !isMeasurement);
}
