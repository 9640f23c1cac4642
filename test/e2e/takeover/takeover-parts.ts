import type { ControlPlane } from "../../../scripts/lab/control-plane.ts";
import type { Findings } from "../chart/findings.ts";
import type { Helm } from "../chart/helm.ts";
import type { SuiteContext } from "../suite.ts";

/** What an attempt has to itself. */
export interface TakeoverParts {
  readonly controlPlane: ControlPlane;
  readonly helm: Helm;
  readonly findings: Findings;
  readonly progress: SuiteContext["progress"];
}
