import { Findings } from "../chart/findings.ts";
import { Helm } from "../chart/helm.ts";
import { startCluster } from "../karpenter-stage.ts";
import { type Suite, type SuiteContext, timed } from "../suite.ts";
import { tryAwsTakeover } from "./aws-takeover.ts";
import { tryKwokTakeover } from "./kwok-takeover.ts";
import type { TakeoverParts } from "./takeover-parts.ts";

const attempts = { kwok: tryKwokTakeover, aws: tryAwsTakeover };

/** A cluster goes from the Go Karpenter to ours and back: each goes on with what the other left, and does nothing else. */
export const takeoverSuite: Suite = {
  name: "takeover",
  async run({ progress, took, focus }) {
    const wanted = Object.entries(attempts).filter(([name]) => focus?.test(name) ?? true);
    // They wait most of the time, so they do it together.
    const problems = await Promise.all(
      wanted.map(([name, attempt]) =>
        timed(took, name, () => tryOnStage(attempt, (line) => progress(`${name}: ${line}`))),
      ),
    );
    return problems.flatMap((some, index) => some.map((problem) => `${wanted[index]?.[0]}: ${problem}`));
  },
};

async function tryOnStage(
  attempt: (parts: TakeoverParts) => Promise<void>,
  progress: SuiteContext["progress"],
): Promise<readonly string[]> {
  const findings = new Findings();
  const helm = await Helm.open(progress);
  const controlPlane = await startCluster({ progress });
  try {
    await attempt({ controlPlane, helm, findings, progress });
  } catch (cause) {
    findings.check(false, cause instanceof Error ? cause.message : String(cause));
  } finally {
    await controlPlane.stop();
    await helm.close();
  }
  return findings.problems;
}
