import type { Node } from "kubernetes-types/core/v1.js";
import type { NodeClaim } from "../../controller/manifests.ts";
import { type AwsScene, type AwsStory, machineOf } from "../aws-scene.ts";

const pool = "launch";

/** Pods that wait get machines, which join as their user data say. */
export const launchStory: AwsStory = {
  name: pool,
  about: "pods that wait get machines of EC2, whose nodes, claims and tags tell the same, with no call too many",
  async play(scene) {
    await scene.addMachinePool(pool, { instanceTypes: ["m5.large", "c5.large", "m6i.large"] });
    await scene.addDeployment("web", 6, { pool, cpu: "600m" });
    await scene.untilRunning("web", 6);
    const claims = await scene.untilReady(pool, 2);
    const nodes = await scene.nodes(pool);
    scene.same(nodes.length, 2, "nodes");
    for (const claim of claims) checkClaim(scene, claim, nodes);
    await checkTags(scene, claims);
    const fleets = await scene.callsAbout("CreateFleet", pool);
    scene.check(fleets.length <= 2, `CreateFleet was called ${fleets.length} times for 2 machines`);
  },
};

function checkClaim(scene: AwsScene, claim: NodeClaim, nodes: readonly Node[]): void {
  const of = `of claim ${claim.metadata.name}`;
  const node = nodes.find(({ spec }) => spec?.providerID === claim.status?.providerID);
  if (node === undefined) {
    scene.check(false, `no node ${of}`);
    return;
  }
  const labels = node.metadata?.labels ?? {};
  scene.same(labels["karpenter.sh/registered"], "true", `whether the node is registered ${of}`);
  scene.same(labels["karpenter.sh/capacity-type"], "on-demand", `capacity type ${of}`);
  scene.same(labels["karpenter.k8s.aws/instance-size"], "large", `size ${of}`);
  scene.same(
    labels["node.kubernetes.io/instance-type"],
    claim.metadata.labels?.["node.kubernetes.io/instance-type"],
    `type of the node, against that ${of}`,
  );
  scene.same(node.spec?.taints ?? [], [], `taints of the node ${of}`);
  scene.same(claim.status?.nodeName, node.metadata?.name, `name of the node ${of}`);
}

async function checkTags(scene: AwsScene, claims: readonly NodeClaim[]): Promise<void> {
  const { clusterName } = scene.account.seeded;
  for (const claim of claims) {
    const tags = await scene.until(`the machine of ${claim.metadata.name} is tagged with its name`, async () => {
      const machine = (await scene.liveMachines(pool)).find(({ id }) => id === machineOf(claim));
      return machine?.tags.Name !== undefined && machine.tags;
    });
    const told = {
      "karpenter.sh/nodeclaim": claim.metadata.name,
      Name: claim.status?.nodeName,
      [`kubernetes.io/cluster/${clusterName}`]: "owned",
      "eks:eks-cluster-name": clusterName,
      "karpenter.k8s.aws/ec2nodeclass": "default",
    };
    for (const [key, value] of Object.entries(told)) scene.same(tags[key], value, `tag ${key}`);
  }
}
