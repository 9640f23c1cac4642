import type { AwsStory } from "../aws-scene.ts";
import { apply, checkNodes, nodeClasses, provisionerName, untilGone, untilTold } from "./legacy-acts.ts";
import { legacyFormStories } from "./legacy-form-stories.ts";

const instanceType = "node.kubernetes.io/instance-type";

/** A Provisioner with its AWSNodeTemplate, as the documents of 2022 and 2023 printed them. */
const templateStory: AwsStory = {
  name: "legacy-template",
  about:
    "a Provisioner of v1alpha5 and its AWSNodeTemplate buy machines that pods select, follow edits, and take all with them",
  async play(scene) {
    const { name } = templateStory;
    await scene.account.makeNodeRole(`KarpenterNodeRole-${scene.account.seeded.clusterName}`);
    await apply(
      scene,
      `
apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata:
  name: ${name}
spec:
  requirements:
    - key: karpenter.sh/capacity-type
      operator: In
      values: ["spot"]
  kubeletConfiguration:
    maxPods: 20
  limits:
    resources:
      cpu: 1000
  providerRef:
    name: ${name}
  ttlSecondsAfterEmpty: 30
  ttlSecondsUntilExpired: 2592000
---
apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata:
  name: ${name}
spec:
  subnetSelector:
    karpenter.sh/discovery: \${CLUSTER_NAME}
  securityGroupSelector:
    karpenter.sh/discovery: \${CLUSTER_NAME}
`,
    );
    await untilTold(scene, `/apis/karpenter.sh/v1alpha5/provisioners/${name}`);
    await untilTold(scene, `/apis/karpenter.k8s.aws/v1alpha1/awsnodetemplates/${name}`, "Converted");
    await scene.addDeployment("web", 1, {
      pool: name,
      cpu: "600m",
      spec: { nodeSelector: { [provisionerName]: name } },
    });
    await scene.untilRunning("web", 1);
    const [machine] = await scene.untilSettled(name);
    await checkNodes(scene, name);
    scene.check(/maxPods["']?: ?20\b/.test(machine?.userData ?? ""), "the user data do not say maxPods 20");
    const [claim] = await scene.claims(name);
    const { expireAfter } = (claim as { spec?: { expireAfter?: string } } | undefined)?.spec ?? {};
    scene.same(expireAfter, "2592000s", "when the claim expires");
    const nodeClass = await scene.api.find<{ spec: { metadataOptions?: object } }>(`${nodeClasses}/${name}`);
    const { httpPutResponseHopLimit } = (nodeClass?.spec.metadataOptions ?? {}) as { httpPutResponseHopLimit?: number };
    scene.same(httpPutResponseHopLimit, 2, "hop limit");
    await scene.kubectl(`patch provisioners.karpenter.sh ${name} --type merge -p {"spec":{"labels":{"team":"web"}}}`);
    await scene.until("the pool gives its nodes the label", async () => {
      const pool = await scene.api.find<{ spec: { template: { metadata?: { labels?: object } } } }>(
        `/apis/karpenter.sh/v1/nodepools/${name}`,
      );
      return JSON.stringify(pool?.spec.template.metadata?.labels) === '{"team":"web"}';
    });
    scene.same(
      (await scene.liveMachines(name)).map(({ id }) => id),
      [machine?.id],
      "machines after an edit",
    );
    await scene.kubectl(`delete provisioners.karpenter.sh ${name} --wait=false`);
    await untilGone(scene, name);
    await scene.kubectl(`delete awsnodetemplates ${name}`);
  },
};

/** One that says all by itself, as articles of the end of 2021 printed it. */
const inlineStory: AwsStory = {
  name: "legacy-inline",
  about: "a Provisioner of v1alpha5 with its provider inside buys machines, and its empty nodes go after their time",
  async play(scene) {
    const { name } = inlineStory;
    const profile = `KarpenterNodeInstanceProfile-${scene.account.seeded.clusterName}`;
    await scene.account.makeInstanceProfile(profile);
    await apply(
      scene,
      `
apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata:
  name: ${name}
spec:
  requirements:
    - key: node.kubernetes.io/instance-type
      operator: In
      values: ["m5.large", "m5.2xlarge"]
    - key: "topology.kubernetes.io/zone"
      operator: In
      values: ["us-west-2a", "us-west-2b"]
  provider:
    subnetSelector:
      karpenter.sh/discovery: \${CLUSTER_NAME}
    securityGroupSelector:
      karpenter.sh/discovery: \${CLUSTER_NAME}
    instanceProfile: KarpenterNodeInstanceProfile-\${CLUSTER_NAME}
    tags:
      team: web
  ttlSecondsAfterEmpty: 5
`,
    );
    await untilTold(scene, `/apis/karpenter.sh/v1alpha5/provisioners/${name}`);
    await scene.addDeployment("web", 1, { pool: name, cpu: "600m" });
    await scene.untilRunning("web", 1);
    const [machine] = await scene.untilSettled(name);
    scene.same([machine?.instanceType, machine?.tags.team], ["m5.large", "web"], "type and tag of the machine");
    await checkNodes(scene, name);
    const nodeClass = await scene.api.find<{ spec: Record<string, unknown> }>(`${nodeClasses}/${name}`);
    scene.same(nodeClass?.spec.instanceProfile, profile, "instance profile");
    await scene.kubectl(`scale deployment web --replicas=0 -n ${scene.namespace}`);
    await scene.until("the empty node goes", async () => (await scene.liveMachines(name)).length === 0);
    await scene.kubectl(`delete provisioners.karpenter.sh ${name} --wait=false`);
    await untilGone(scene, name);
  },
};

/** The first of all, with constraints in a list, as some articles printed them. */
const firstStory: AwsStory = {
  name: "legacy-first",
  about:
    "a Provisioner of v1alpha1 with a list of constraints buys what they say, and what a pod selects in their place",
  async play(scene) {
    const { name } = firstStory;
    await scene.account.makeNodeRole(`KarpenterNodeRole-${scene.account.seeded.clusterName}`);
    await apply(
      scene,
      `
apiVersion: provisioning.karpenter.sh/v1alpha1
kind: Provisioner
metadata:
  name: ${name}
  namespace: ${scene.namespace}
spec:
  constraints:
    - type: aws
      region: us-west-2
      zones: [a, b]
      instanceTypes: [m5.large, m5.xlarge]
  ttlSeconds: 30
`,
    );
    await untilTold(
      scene,
      `/apis/provisioning.karpenter.sh/v1alpha1/namespaces/${scene.namespace}/provisioners/${name}`,
    );
    await scene.addDeployment("web", 1, { pool: name, cpu: "600m" });
    await scene.addDeployment("own", 1, {
      pool: name,
      cpu: "600m",
      spec: { nodeSelector: { "karpenter.sh/nodepool": name, [instanceType]: "c5.large" } },
    });
    await scene.untilRunning("web", 1);
    await scene.untilRunning("own", 1);
    const machines = await scene.untilSettled(name);
    scene.same(machines.map((machine) => machine.instanceType).sort(), ["c5.large", "m5.large"], "types of machines");
    scene.check(
      machines.every(({ zone }) => zone === "us-west-2a" || zone === "us-west-2b"),
      "a machine is in another zone",
    );
    await checkNodes(scene, name);
    await scene.kubectl(`delete provisioners.provisioning.karpenter.sh ${name} -n ${scene.namespace}`);
    await untilGone(scene, name);
  },
};

export const legacyStories: readonly AwsStory[] = [templateStory, inlineStory, firstStory, ...legacyFormStories];
