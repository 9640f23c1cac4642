import { apiSuite } from "./api/api-suite.ts";
import { awsSuite } from "./aws/aws-suite.ts";
import { chartSuite } from "./chart/chart-suite.ts";
import { consolidationSuite } from "./consolidation/consolidation-suite.ts";
import { contractSuite } from "./contract/contract-suite.ts";
import { controllerSuite } from "./controller/controller-suite.ts";
import { foreignSuite } from "./foreign/foreign-suite.ts";
import { kubectlSuite } from "./kubectl/kubectl-suite.ts";
import { packageSuite } from "./package/package-suite.ts";
import { plannerSuite } from "./planner/planner-suite.ts";
import { raceSuite } from "./race/race-suite.ts";
import { regressionSuite } from "./regression/regression-suite.ts";
import { schedulerSuite } from "./scheduler/scheduler-suite.ts";
import type { Suite } from "./suite.ts";
import { takeoverSuite } from "./takeover/takeover-suite.ts";

/** Those that take longest first, so that none of them is left alone at the end. */
export const suites: readonly Suite[] = [
  regressionSuite,
  awsSuite,
  chartSuite,
  controllerSuite,
  takeoverSuite,
  kubectlSuite,
  plannerSuite,
  contractSuite,
  schedulerSuite,
  packageSuite,
  foreignSuite,
  apiSuite,
  raceSuite,
  consolidationSuite,
];
