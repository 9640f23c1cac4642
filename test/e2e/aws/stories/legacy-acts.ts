import { mustRun } from "../../karpenter-stage.ts";
import type { AwsScene } from "../aws-scene.ts";

export const provisionerName = "karpenter.sh/provisioner-name";
export const nodeClasses = "/apis/karpenter.k8s.aws/v1/ec2nodeclasses";

interface Told {
  readonly status?: { readonly conditions?: readonly { type: string; status: string; message: string }[] };
}

export async function apply(scene: AwsScene, manifest: string): Promise<void> {
  await mustRun("apply -f -", scene.controlPlane.kubeconfigPath, manifest);
}

export async function untilTold(scene: AwsScene, path: string, type = "Ready"): Promise<void> {
  await scene.until(`${path} is ${type}`, async () => {
    const { status } = (await scene.api.find<Told>(path)) ?? {};
    return status?.conditions?.some((condition) => condition.type === type && condition.status === "True");
  });
}

export async function checkNodes(scene: AwsScene, name: string): Promise<void> {
  const nodes = await scene.nodes(name);
  scene.check(nodes.length > 0, "there is no node");
  for (const { metadata } of nodes) {
    scene.same(metadata?.labels?.[provisionerName], name, `the Provisioner that node ${metadata?.name} names`);
  }
}

/** Deleting a Provisioner deletes its nodes, and in the end all that was made of it. */
export async function untilGone(scene: AwsScene, name: string): Promise<void> {
  await scene.until(
    `nothing is left of ${name}`,
    async () => {
      const left = await Promise.all([
        scene.api.find(`/apis/karpenter.sh/v1/nodepools/${name}`),
        scene.api.find(`${nodeClasses}/${name}`),
      ]);
      const machines = await scene.liveMachines(name);
      return left.every((object) => object === undefined) && machines.length === 0;
    },
    90,
  );
}
