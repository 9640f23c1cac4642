import { EC2Client } from "@aws-sdk/client-ec2";
import { CreateInstanceProfileCommand, CreateRoleCommand, IAMClient } from "@aws-sdk/client-iam";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { versions } from "../../../scripts/lab/versions.ts";
import { openControl } from "../../aws/control.ts";
import { type Moto, region, startMoto } from "../../aws/moto.ts";
import { makeImages, seedAccount } from "../../aws/seed.ts";
import { ApiClient } from "../controller/api-client.ts";
import { tellStory } from "../controller/tell-story.ts";
import { Troupe } from "../controller/troupe.ts";
import { applyDefinitions, mustRun, startCluster } from "../karpenter-stage.ts";
import type { Suite } from "../suite.ts";
import { type Account, AwsScene, type AwsStory, ec2NodeClass } from "./aws-scene.ts";
import { Kubelets } from "./kubelets.ts";
import { burstStory } from "./stories/burst-story.ts";
import { capacityStory } from "./stories/capacity-story.ts";
import { deleteStory } from "./stories/delete-story.ts";
import { denyStory } from "./stories/deny-story.ts";
import { driftStory } from "./stories/drift-story.ts";
import { interruptStory } from "./stories/interrupt-story.ts";
import { killStory } from "./stories/kill-story.ts";
import { launchStory } from "./stories/launch-story.ts";
import { legacyStories } from "./stories/legacy-stories.ts";
import { mistakeStory } from "./stories/mistake-story.ts";
import { throttleStory } from "./stories/throttle-story.ts";

const quickKills = 6;
const killsOfAll = 200;

function storiesOf(isAll: boolean): readonly AwsStory[] {
  return [
    launchStory,
    deleteStory,
    interruptStory,
    capacityStory,
    mistakeStory,
    denyStory,
    throttleStory,
    burstStory,
    driftStory,
    ...legacyStories,
    killStory(isAll ? killsOfAll : quickKills),
  ];
}

const kubernetesVersion = versions.kubernetes.split(".").slice(0, 2).join(".");

/** Our controller with the AWS provider on a real control plane and moto. `--focus` picks stories by name. */
export const awsSuite: Suite = {
  name: "aws",
  async run({ progress, took, leaveToAll, focus, isAll }) {
    if (!isAll) leaveToAll(`${killsOfAll - quickKills} more rounds of kill`);
    const moto = await startMoto(progress);
    const { endpoint } = moto;
    const control = openControl({ endpoint, region });
    const seeded = await seedAccount({ endpoint, region, control, kubernetesVersion });
    const controlPlane = await startCluster({ progress });
    const api = new ApiClient(controlPlane);
    const kubelets = new Kubelets({ control, api, endpoint, region });
    const environment = {
      ...moto.environment,
      CLUSTER_NAME: seeded.clusterName,
      CLUSTER_ENDPOINT: controlPlane.server,
      INTERRUPTION_QUEUE: seeded.queueName,
    };
    const troupe = new Troupe({ controlPlane, api, progress, cloudProvider: "aws", environment });
    const account: Account = {
      seeded,
      control,
      kubelets,
      ...openAccount(moto, { control, queueUrl: seeded.queueUrl }),
    };
    try {
      await applyDefinitions("ours", controlPlane.kubeconfigPath);
      await control.clearCalls();
      await troupe.add();
      await api.create("/apis/karpenter.k8s.aws/v1/ec2nodeclasses", ec2NodeClass(seeded));
      await mustRun("wait --for=condition=Ready ec2nodeclasses --all --timeout=180s", controlPlane.kubeconfigPath);
      kubelets.start();
      const problems: string[] = [];
      for (const story of storiesOf(isAll).filter(({ name }) => focus?.test(name) ?? true)) {
        const scene = new AwsScene(story.name, { api, controlPlane, troupe, account });
        await tellStory(story, scene, { progress, took });
        problems.push(...scene.problems);
      }
      problems.push(...kubelets.problems);
      if (problems.length > 0) progress(`the controllers' logs are ${(await troupe.keepLogs()).join(", ")}`);
      return problems;
    } finally {
      await kubelets.stop();
      await troupe.stop();
      api.close();
      await controlPlane.stop();
      await moto.stop();
    }
  },
};

function openAccount(
  { endpoint }: Moto,
  { control, queueUrl }: { readonly control: Account["control"]; readonly queueUrl: string },
): Pick<Account, "releaseImages" | "sendMessage" | "makeNodeRole" | "makeInstanceProfile"> {
  const options = { endpoint, region, credentials: { accessKeyId: "test", secretAccessKey: "test" } };
  const client = new EC2Client(options);
  const queue = new SQSClient(options);
  const iam = new IAMClient(options);
  const unlessThere = async (made: Promise<unknown>): Promise<void> => {
    await made.catch((error: unknown) => {
      if ((error as Error).name !== "EntityAlreadyExistsException") throw error;
    });
  };
  return {
    releaseImages: (version) => makeImages({ client, control, kubernetesVersion, version }),
    sendMessage: async (body) => {
      await queue.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(body) }));
    },
    makeNodeRole: (RoleName) =>
      unlessThere(iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: JSON.stringify({}) }))),
    makeInstanceProfile: (InstanceProfileName) =>
      unlessThere(iam.send(new CreateInstanceProfileCommand({ InstanceProfileName }))),
  };
}
