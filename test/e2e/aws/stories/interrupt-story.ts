import { isRunning } from "../../controller/scene.ts";
import { type AwsStory, isReady, machineOf } from "../aws-scene.ts";

const pool = "interrupt";

export const interruptStory: AwsStory = {
  name: pool,
  about: "a machine that AWS will take back is replaced before it goes, elsewhere, and the message is deleted",
  async play(scene) {
    const { account } = scene;
    await scene.addMachinePool(pool, { instanceTypes: ["m5.large", "c5.large"], capacityTypes: ["spot"] });
    await scene.addDeployment("web", 2, { pool, cpu: "600m" });
    // Without it a drain may end before another machine can be there.
    await scene.api.create(`/apis/policy/v1/namespaces/${scene.namespace}/poddisruptionbudgets`, {
      metadata: { name: "web" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
    });
    await scene.untilRunning("web", 2);
    const [claim] = await scene.untilReady(pool, 1);
    if (claim === undefined) return;
    const id = machineOf(claim);
    const [machine] = await scene.liveMachines(pool);
    scene.same(machine?.lifecycle, "spot", "how the machine was bought");
    await account.sendMessage({
      version: "0",
      id: "e2e",
      "detail-type": "EC2 Spot Instance Interruption Warning",
      source: "aws.ec2",
      account: "123456789012",
      time: new Date().toISOString(),
      region: "us-west-2",
      resources: [`arn:aws:ec2:us-west-2:123456789012:instance/${id}`],
      detail: { "instance-id": id, "instance-action": "terminate" },
    });
    await scene.until(
      "another machine is ready and runs a pod while the old one is still there",
      async () => {
        const [claims, pods, machines] = await Promise.all([
          scene.claims(pool),
          scene.pods("web"),
          scene.liveMachines(pool),
        ]);
        const nodes = claims
          .filter((each) => isReady(each) && machineOf(each) !== id)
          .map(({ status }) => status?.nodeName);
        const isTakenOver = pods.some((pod) => isRunning(pod) && nodes.includes(pod.spec?.nodeName));
        return isTakenOver && machines.some((each) => each.id === id);
      },
      60,
    );
    await scene.until(
      "the old machine is gone, terminated by the controller",
      async () => (await scene.machines(pool)).some((each) => each.id === id && each.state === "terminated"),
      60,
    );
    scene.check((await scene.callsAbout("TerminateInstances", id)).length > 0, "nobody asked to terminate the machine");
    await scene.untilRunning("web", 2);
    const [other] = await scene.untilSettled(pool);
    const offering = (each: typeof machine) => `${each?.instanceType} in ${each?.zone}`;
    scene.check(offering(other) !== offering(machine), `the other machine is ${offering(other)} again`);
    await scene.until("the message is deleted", async () => {
      const calls = await account.control.calls("DeleteMessage");
      return calls.some(({ status }) => status === 200);
    });
  },
};
