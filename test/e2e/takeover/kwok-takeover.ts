import { ApiClient } from "../controller/api-client.ts";
import { checkCalm, checkCharge, checkStamps } from "./checks.ts";
import { fleet, names, newTemplate, replicas, workload } from "./fleet.ts";
import { Side } from "./side.ts";
import type { TakeoverParts } from "./takeover-parts.ts";
import { isTrue, Town } from "./town.ts";

const { pools } = names;
const staticCapacity = ["--set", "settings.featureGates.staticCapacity=true"];
const values = {
  ours: [...staticCapacity, "--set", "settings.cloudProvider=kwok"],
  // Their chart for KWOK makes an empty setting of what it is not told.
  peer: [...staticCapacity, "--set", "settings.featureGates.capacityBuffer=false"],
};

/** Pools of all kinds, and machines that are nothing but nodes. */
export async function tryKwokTakeover({ controlPlane, helm, findings, progress }: TakeoverParts): Promise<void> {
  const api = new ApiClient(controlPlane);
  const parts = { controlPlane, api, helm, cloudProvider: "kwok", values, progress } as const;
  const [peer, ours] = [new Side("peer", parts), new Side("ours", parts)];
  const town = new Town({ api, controlPlane, findings }, replicas);
  try {
    await peer.install();
    await peer.start();
    await populate(town);
    progress("the Go Karpenter has built the fleet");

    await checkCalm(town, {
      from: peer,
      to: ours,
      async change() {
        const refusal = await ours.installElsewhere();
        findings.check(/invalid ownership metadata/.test(refusal), `helm has nothing against two: ${refusal}`);
        await ours.install();
        // The machine that was bought before joins now; the Go version with KWOK would have forgotten it.
        const path = `/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses/${names.slowClass}`;
        await api.patch(path, { spec: { nodeRegistrationDelay: "1s" } });
      },
    });
    await town.untilSettled();
    await checkStamps(town, "ts1");
    progress("ours has taken over");
    await town.lowerGuard();
    await checkCharge(town, ours);
    await town.leaveBehindGuard();
    await town.untilSettled();
    progress("ours is in charge");

    await checkCalm(town, { from: ours, to: peer, change: () => peer.restore() });
    await checkStamps(town, "v3");
    progress("the Go Karpenter has taken over again");
    await town.lowerGuard();
    await checkCharge(town, peer);
    progress("the Go Karpenter is in charge again");
  } finally {
    for (const side of [peer, ours]) await side.kill();
    progress(`the logs are ${peer.logFile} and ${ours.logFile}`);
    api.close();
  }
}

/** Everything in use, and some of it on its way. */
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
