import type { StagedInstance } from "../../../aws/control.ts";
import type { AwsScene, AwsStory } from "../aws-scene.ts";
import { apply, checkNodes, untilGone, untilTold } from "./legacy-acts.ts";

/** A Provisioner of a version before v1alpha5, and pods of its time. */
interface Form {
  readonly name: string;
  readonly about: string;
  readonly apiVersion: string;
  /** As the YAML of an article. */
  readonly spec: string;
  /** What its pods select, each with what the machine of that pod is: its type, or how it is bought. */
  readonly pods: readonly { readonly selects: Readonly<Record<string, string>>; readonly gets: string }[];
  /** What else there is to see. */
  check?(scene: AwsScene, name: string): Promise<void>;
}

const cluster = `
  cluster:
    name: \${CLUSTER_NAME}
    caBundle: LS0tLS1CRUdJTg==
    endpoint: https://0123456789.gr7.us-west-2.eks.amazonaws.com`;

const forms: readonly Form[] = [
  {
    name: "legacy-v1alpha1",
    about: "a Provisioner of v1alpha1 with its constraints under spec buys what they say, and what pods of 2021 select",
    apiVersion: "provisioning.karpenter.sh/v1alpha1",
    spec: `${cluster}
  architecture: amd64
  zones: [us-west-2a]
  instanceTypes: [m5.large]
  ttlSeconds: 300`,
    pods: [
      { selects: { "provisioning.karpenter.sh/name": "legacy-v1alpha1" }, gets: "m5.large on-demand" },
      {
        selects: { "provisioning.karpenter.sh/name": "legacy-v1alpha1", "node.k8s.aws/capacity-type": "spot" },
        gets: "m5.large spot",
      },
    ],
  },
  {
    name: "legacy-v1alpha2",
    about: "a Provisioner of v1alpha2 with a label for spot buys spot, and on demand for pods that select that",
    apiVersion: "provisioning.karpenter.sh/v1alpha2",
    spec: `${cluster}
  instanceTypes: [m5.large]
  labels:
    node.k8s.aws/capacity-type: spot
  ttlSecondsAfterEmpty: 300
  ttlSecondsUntilExpired: 2592000`,
    pods: [
      { selects: { "provisioning.karpenter.sh/name": "legacy-v1alpha2" }, gets: "m5.large spot" },
      {
        selects: { "provisioning.karpenter.sh/name": "legacy-v1alpha2", "node.k8s.aws/capacity-type": "on-demand" },
        gets: "m5.large on-demand",
      },
    ],
  },
  {
    name: "legacy-v1alpha3",
    about: "a Provisioner of v1alpha3 with a label for arm64 buys that, and a pod that is not to be evicted stays",
    apiVersion: "karpenter.sh/v1alpha3",
    spec: `
  cluster:
    endpoint: https://0123456789.gr7.us-west-2.eks.amazonaws.com
  labels:
    kubernetes.io/arch: arm64
  instanceTypes: [m6g.large]`,
    pods: [{ selects: { "karpenter.sh/provisioner-name": "legacy-v1alpha3" }, gets: "m6g.large on-demand" }],
    check: checkHeldPod,
  },
  {
    name: "legacy-v1alpha4",
    about: "a Provisioner of v1alpha4 with its cluster and capacity types in its provider buys them for pods of 2022",
    apiVersion: "karpenter.sh/v1alpha4",
    spec: `
  instanceTypes: [m5.large, c5.large]
  architectures: [amd64]
  operatingSystems: [linux]
  ttlSecondsAfterEmpty: 300
  provider:
    apiVersion: extensions.karpenter.sh/v1alpha1
    kind: AWS
    cluster:
      name: \${CLUSTER_NAME}
      endpoint: https://0123456789.gr7.us-west-2.eks.amazonaws.com
    instanceProfile: KarpenterNodeInstanceProfile-\${CLUSTER_NAME}
    capacityTypes: [spot]
    subnetSelector:
      karpenter.sh/discovery: \${CLUSTER_NAME}
    securityGroupSelector:
      karpenter.sh/discovery: \${CLUSTER_NAME}`,
    pods: [
      {
        selects: { "karpenter.sh/provisioner-name": "legacy-v1alpha4", "karpenter.k8s.aws/instance.family": "m5" },
        gets: "m5.large spot",
      },
      {
        selects: {
          "karpenter.sh/provisioner-name": "legacy-v1alpha4",
          "karpenter.k8s.aws/instance.family": "c5",
          "karpenter.k8s.aws/instance.size": "large",
        },
        gets: "c5.large spot",
      },
    ],
  },
];

export const legacyFormStories: readonly AwsStory[] = forms.map((form) => ({
  name: form.name,
  about: form.about,
  play: (scene) => play(scene, form),
}));

async function play(scene: AwsScene, { name, apiVersion, spec, pods, check }: Form): Promise<void> {
  const { clusterName } = scene.account.seeded;
  await scene.account.makeNodeRole(`KarpenterNodeRole-${clusterName}`);
  await scene.account.makeInstanceProfile(`KarpenterNodeInstanceProfile-${clusterName}`);
  const isNamespaced = apiVersion.startsWith("provisioning.");
  const namespace = isNamespaced ? `\n  namespace: ${scene.namespace}` : "";
  await apply(
    scene,
    `apiVersion: ${apiVersion}\nkind: Provisioner\nmetadata:\n  name: ${name}${namespace}\nspec:${spec}\n`,
  );
  const [group = "", version = ""] = apiVersion.split("/");
  const place = isNamespaced ? `/namespaces/${scene.namespace}` : "";
  await untilTold(scene, `/apis/${group}/${version}${place}/provisioners/${name}`);
  for (const [index, { selects }] of pods.entries()) {
    const annotations = { "karpenter.sh/do-not-evict": "true" };
    const spec = { nodeSelector: selects };
    // Too large for two of them on a machine.
    await scene.addDeployment(`web-${index}`, 1, { pool: name, cpu: "1200m", annotations, spec });
  }
  for (const index of pods.keys()) await scene.untilRunning(`web-${index}`, 1);
  const machines = await scene.untilSettled(name);
  scene.same(machines.map(describe).sort(), pods.map(({ gets }) => gets).sort(), "machines");
  await checkNodes(scene, name);
  await check?.(scene, name);
  await scene.kubectl(`delete deployment --all -n ${scene.namespace}`);
  await scene.kubectl(
    `delete provisioners.${group} ${name} --wait=false${isNamespaced ? ` -n ${scene.namespace}` : ""}`,
  );
  await untilGone(scene, name);
}

function describe({ instanceType, lifecycle }: StagedInstance): string {
  return `${instanceType} ${lifecycle}`;
}

/** A node that is told to go waits for a pod that says so in the words of 2021. */
async function checkHeldPod(scene: AwsScene, name: string): Promise<void> {
  const [claim] = await scene.claims(name);
  const [node] = await scene.nodes(name);
  await scene.kubectl(`delete nodeclaim ${claim?.metadata.name} --wait=false`);
  await scene.untilEvent(["Node", node?.metadata?.name ?? ""], "FailedDraining", /web-0-.*do-not-evict/);
  await scene.untilRunning("web-0", 1);
  scene.same((await scene.liveMachines(name)).length, 1, "machines while the pod is there");
}
