import { startControlPlane } from "../../../scripts/lab/control-plane.ts";
import { readKwokStages } from "../../../scripts/lab/kwok-stages.ts";
import { Findings } from "../chart/findings.ts";
import { Helm } from "../chart/helm.ts";
import { ApiClient } from "../controller/api-client.ts";
import type { Suite, SuiteContext } from "../suite.ts";
import { checkCalm, checkCharge, checkStamps } from "./checks.ts";
import { fleet, names, newTemplate, replicas, workload } from "./fleet.ts";
import { Side } from "./side.ts";
import { isTrue, Town } from "./town.ts";

const { pools } = names;

/** A cluster goes from the Go Karpenter to ours and back: each goes on with what the other left, and does nothing else. */
export const takeoverSuite: Suite = {
  name: "takeover",
  async run({ progress }) {
    const findings = new Findings();
    const helm = await Helm.open(progress);
    const controlPlane = await startControlPlane({
      hasControllerManager: true,
      hasScheduler: true,
      hasKwok: true,
      kwokStages: await readKwokStages(),
      progress,
    });
    const api = new ApiClient(controlPlane);
    const parts = { controlPlane, api, helm, progress };
    const sides = { peer: new Side("peer", parts), ours: new Side("ours", parts) };
    const town = new Town({ api, controlPlane, findings }, replicas);
    try {
      await play(town, sides, progress);
    } catch (cause) {
      findings.check(false, cause instanceof Error ? cause.message : String(cause));
    } finally {
      for (const side of Object.values(sides)) await side.kill();
      api.close();
      await controlPlane.stop();
      await helm.close();
    }
    if (findings.problems.length > 0) progress(`the logs are ${sides.peer.logFile} and ${sides.ours.logFile}`);
    return findings.problems;
  },
};

interface Sides {
  readonly peer: Side;
  readonly ours: Side;
}

async function play(town: Town, { peer, ours }: Sides, progress: SuiteContext["progress"]): Promise<void> {
  await peer.install();
  await peer.start();
  await populate(town);
  progress("the Go Karpenter has built the fleet");

  await checkCalm(town, {
    from: peer,
    to: ours,
    async change() {
      const refusal = await ours.installElsewhere();
      town.findings.check(/invalid ownership metadata/.test(refusal), `helm has nothing against two: ${refusal}`);
      await ours.install();
      // The machine that was bought before joins now; the Go version with KWOK would have forgotten it.
      const path = `/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses/${names.slowClass}`;
      await town.api.patch(path, { spec: { nodeRegistrationDelay: "1s" } });
    },
  });
  await town.untilSettled();
  await checkStamps(town, "ts1");
  progress("ours has taken over");
  await checkCharge(town, ours);
  await town.leaveBehindGuard();
  await town.untilSettled();
  progress("ours is in charge");

  await checkCalm(town, { from: ours, to: peer, change: () => peer.restore() });
  await checkStamps(town, "v3");
  progress("the Go Karpenter has taken over again");
  await checkCharge(town, peer);
  progress("the Go Karpenter is in charge again");
}

/** Pools of all kinds with everything in use, and some of it on its way. */
async function populate(town: Town): Promise<void> {
  await town.apply(fleet);
  await town.apply(workload);
  await town.until("the node for the database has joined", async () =>
    (await town.claims(pools.walled)).some((claim) => isTrue(claim, "Registered")),
  );
  await town.liftStartupTaints();
  await town.until("the static pool is complete", async () => (await town.nodes(pools.fixed)).length === 2);
  await town.untilSettled(pools.slow);
  await town.api.patch(`/apis/karpenter.sh/v1/nodepools/${pools.outdated}`, newTemplate);
  await town.until("the claim of the old template has drifted", async () =>
    (await town.claims(pools.outdated)).every((claim) => isTrue(claim, "Drifted")),
  );
  await town.until("the slow machine is bought", async () =>
    (await town.claims(pools.slow)).some((claim) => isTrue(claim, "Launched")),
  );
  await town.leaveBehindGuard();
  await town.untilSettled(pools.slow);
}
