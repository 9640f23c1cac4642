import type { Condition } from "../../controller/manifests.ts";
import { type AwsScene, type AwsStory, ec2NodeClass } from "../aws-scene.ts";

const pool = "deny";
const nodeClasses = "/apis/karpenter.k8s.aws/v1/ec2nodeclasses";
const newNodeClass = "denied";
const action = /ec2:CreateFleet/;

export const denyStory: AwsStory = {
  name: pool,
  about:
    "a permission that the controller lacks is named where people look, and machines come and node classes heal once it is given",
  hasFaults: true,
  async play(scene) {
    const { control } = scene.account;
    await control.deny("CreateFleet");
    await scene.api.create(nodeClasses, { ...ec2NodeClass(scene.account.seeded), metadata: { name: newNodeClass } });
    await scene.until("a node class that nobody has tried yet says what is not allowed", async () => {
      const { status, message = "" } = (await findCondition(scene, "ValidationSucceeded")) ?? {};
      return status === "False" && action.test(message);
    });
    await scene.addMachinePool(pool, { instanceTypes: ["m5.large"] });
    await scene.addDeployment("web", 1, { pool, cpu: "600m" });
    await scene.until("the claim says that it was not launched, and why", async () => {
      const [claim] = await scene.claims(pool);
      const launched = claim?.status?.conditions?.find(({ type }) => type === "Launched");
      return launched !== undefined && launched.status !== "True" && action.test(launched.message ?? "");
    });
    scene.same((await scene.machines(pool)).length, 0, "machines before it is allowed");
    await control.clearFaults();
    await scene.untilRunning("web", 1);
    scene.same((await scene.untilSettled(pool)).length, 1, "machines after all");
    await scene.until(
      "the new node class is ready, because it was tried again",
      async () => (await findCondition(scene, "Ready"))?.status === "True",
      90,
    );
    await scene.api.remove(`${nodeClasses}/${newNodeClass}`);
  },
};

async function findCondition(scene: AwsScene, type: string): Promise<Condition | undefined> {
  const found = await scene.api.find<{ status?: { conditions?: Condition[] } }>(`${nodeClasses}/${newNodeClass}`);
  return found?.status?.conditions?.find((condition) => condition.type === type);
}
