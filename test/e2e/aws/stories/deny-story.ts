import type { Condition } from "../../controller/manifests.ts";
import { type AwsScene, type AwsStory, ec2NodeClass } from "../aws-scene.ts";

const pool = "deny";
const nodeClasses = "/apis/karpenter.k8s.aws/v1/ec2nodeclasses";
const action = /ec2:CreateFleet/;

export const denyStory: AwsStory = {
  name: pool,
  about: "a permission that the controller lacks is named where people look, and machines come once it is given",
  hasFaults: true,
  async play(scene) {
    const { control } = scene.account;
    await control.deny("CreateFleet");
    await checkNewNodeClass(scene);
    await scene.addMachinePool(pool, { instanceTypes: ["m5.large"] });
    await scene.addDeployment("web", 1, { pool, cpu: "600m" });
    await scene.until("the claim says that it was not launched, and why", async () => {
      const [claim] = await scene.claims(pool);
      const launched = claim?.status?.conditions?.find(({ type }) => type === "Launched");
      return launched !== undefined && launched.status !== "True" && action.test(launched.message ?? "");
    });
    scene.same((await scene.machines(pool)).length, 0, "machines before it is allowed");
    await control.clearFaults();
    await scene.untilRunning("web", 1, 120);
    scene.same((await scene.untilSettled(pool, 30)).length, 1, "machines after all");
  },
};

/** One that nobody has tried yet is tried before anything is launched with it. */
async function checkNewNodeClass(scene: AwsScene): Promise<void> {
  const name = "denied";
  await scene.api.create(nodeClasses, { ...ec2NodeClass(scene.account.seeded), metadata: { name } });
  await scene.until("the node class says what is not allowed", async () => {
    const found = await scene.api.find<{ status?: { conditions?: Condition[] } }>(`${nodeClasses}/${name}`);
    const validation = found?.status?.conditions?.find(({ type }) => type === "ValidationSucceeded");
    return validation?.status === "False" && action.test(validation.message ?? "");
  });
  await scene.api.remove(`${nodeClasses}/${name}`);
}
