import type { NodeClaim } from "../../controller/manifests.ts";
import { readProcessUsage } from "../../process-usage.ts";
import type { AwsScene, AwsStory } from "../aws-scene.ts";

const pool = "burst";
const podCount = 1_000;
const mostMegabytes = 350;
/** Claims of a kind that come later than others are bought later. */
const batchesOfAKind = 2;
const planned: ReadonlySet<string> = new Set([
  "DescribeInstanceTypes",
  "DescribeInstanceTypeOfferings",
  "DescribeSpotPriceHistory",
  "GetProducts",
]);

export const burstStory: AwsStory = {
  name: pool,
  about: "a thousand pods get machines of any type with few calls, and the controller stays small",
  async play(scene) {
    await scene.addMachinePool(pool, { capacityTypes: ["spot", "on-demand"] });
    const begun = Date.now();
    await scene.addDeployment("web", podCount, { pool, cpu: "500m" });
    await scene.untilRunning("web", podCount);
    const machines = await scene.untilSettled(pool);
    const fleets = await scene.callsAbout("CreateFleet", pool);
    const kinds = countKinds(await scene.claims(pool));
    scene.check(
      fleets.length <= kinds * batchesOfAKind,
      `CreateFleet was called ${fleets.length} times for ${machines.length} machines of ${kinds} kinds`,
    );
    await checkPlanning(scene, begun, Math.min(...fleets.map(({ at }) => at)));
    await checkCatalogueCalls(scene);
    const { residentMegabytes } = readProcessUsage(scene.controller.processId);
    scene.check(
      residentMegabytes < mostMegabytes,
      `the controller takes ${Math.round(residentMegabytes)} MB with all types of AWS, instead of ${mostMegabytes}`,
    );
  },
};

/** Claims that ask for the same could be bought together. */
function countKinds(claims: readonly NodeClaim[]): number {
  return new Set(claims.map(({ spec }) => JSON.stringify([spec.requirements, spec.resources]))).size;
}

/** Nothing that a plan is made of is asked for between the pods and the first purchase. */
async function checkPlanning(scene: AwsScene, begun: number, bought: number): Promise<void> {
  const calls = (await scene.account.control.calls()).filter(({ at }) => at >= begun && at <= bought);
  const asked = calls.map(({ action }) => action).filter((action) => planned.has(action));
  scene.same(asked, [], "calls about what is for sale while it was planned");
}

/** Whatever is asked once in twelve hours is asked once. */
async function checkCatalogueCalls(scene: AwsScene): Promise<void> {
  const starts = scene.troupe.startCount;
  for (const [action, most] of [
    ["DescribeInstanceTypes", 1],
    ["DescribeSpotPriceHistory", 1],
    // Of shared machines, and of bare metal.
    ["GetProducts", 2],
  ] as const) {
    const calls = (await scene.account.control.calls(action)).filter(
      ({ params }) => params.NextToken === undefined && params.DryRun !== "true",
    );
    scene.check(calls.length <= most * starts, `${action} was called ${calls.length} times by ${starts} controllers`);
  }
}
