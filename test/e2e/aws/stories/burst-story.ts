import { readProcessUsage } from "../../burst/process-usage.ts";
import type { AwsScene, AwsStory } from "../aws-scene.ts";

const pool = "burst";
const podCount = 1_000;
const mostMegabytes = 350;

export const burstStory: AwsStory = {
  name: pool,
  about: "a thousand pods get machines of any type with few calls, and the controller stays small",
  async play(scene) {
    await scene.addMachinePool(pool, { capacityTypes: ["spot", "on-demand"] });
    await scene.addDeployment("web", podCount, { pool, cpu: "500m" });
    await scene.untilRunning("web", podCount, 180);
    const machines = await scene.untilSettled(pool, 60);
    const fleets = await scene.callsAbout("CreateFleet", pool);
    scene.check(
      fleets.length <= Math.max(1, machines.length),
      `CreateFleet was called ${fleets.length} times for ${machines.length} machines`,
    );
    await checkCatalogueCalls(scene);
    const { residentMegabytes } = readProcessUsage(scene.controller.processId);
    scene.check(
      residentMegabytes < mostMegabytes,
      `the controller takes ${Math.round(residentMegabytes)} MB with all types of AWS, instead of ${mostMegabytes}`,
    );
  },
};

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
