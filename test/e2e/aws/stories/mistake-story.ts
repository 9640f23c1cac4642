import type { Condition } from "../../controller/manifests.ts";
import type { AwsScene, AwsStory } from "../aws-scene.ts";
import { ec2NodeClass } from "../aws-scene.ts";

const pool = "mistake";
const nodeClasses = "/apis/karpenter.k8s.aws/v1/ec2nodeclasses";

interface Mistake {
  readonly name: string;
  readonly spec: object;
  /** The condition that is not true, and what it must name. */
  readonly type: string;
  readonly names: readonly RegExp[];
}

const terms = [{ tags: { "karpenter.sh/discovery": "nowhere" } }];

const mistakes: readonly Mistake[] = [
  { name: "no-subnets", spec: { subnetSelectorTerms: terms }, type: "SubnetsReady", names: [/nowhere/] },
  { name: "no-groups", spec: { securityGroupSelectorTerms: terms }, type: "SecurityGroupsReady", names: [/nowhere/] },
  {
    name: "no-images",
    spec: { amiSelectorTerms: [{ alias: "al2023@v19990101" }] },
    type: "AMIsReady",
    names: [/v19990101/],
  },
  {
    name: "long-data",
    spec: { userData: `#!/bin/sh\n# ${"x".repeat(16_384)}` },
    type: "ValidationSucceeded",
    names: [/16384/],
  },
  { name: "no-role", spec: { role: "nobody" }, type: "InstanceProfileReady", names: [/nobody/] },
];

export const mistakeStory: AwsStory = {
  name: pool,
  about: "a node class with a mistake says which and launches nothing, while another goes on",
  // To fail and to try again is what controllers do with a mistake.
  hasFaults: true,
  async play(scene) {
    const good = ec2NodeClass(scene.account.seeded);
    for (const { name, spec } of mistakes) {
      await scene.api.create(nodeClasses, { ...good, metadata: { name }, spec: { ...good.spec, ...spec } });
      await scene.addMachinePool(`${pool}-${name}`, { instanceTypes: ["m5.large"], nodeClass: name });
      await scene.addDeployment(name, 1, { pool: `${pool}-${name}`, cpu: "600m" });
    }
    await scene.addMachinePool(pool, { instanceTypes: ["m5.large"] });
    await scene.addDeployment("web", 1, { pool, cpu: "600m" });
    for (const mistake of mistakes) await checkMistake(scene, mistake);
    await scene.untilRunning("web", 1);
    for (const { name } of mistakes) {
      scene.same((await scene.machines(`${pool}-${name}`)).length, 0, `machines of ${name}`);
      await scene.api.remove(`${nodeClasses}/${name}`);
    }
    await scene.until("the node classes are gone", async () => {
      const left = await scene.api.list<{ metadata: { name: string } }>(nodeClasses);
      return left.length === 1;
    });
  },
};

async function checkMistake(scene: AwsScene, { name, type, names }: Mistake): Promise<void> {
  const conditions = await scene.until(`${type} of the node class ${name} is not true`, async () => {
    const found = await scene.api.find<{ status?: { conditions?: Condition[] } }>(`${nodeClasses}/${name}`);
    const all = found?.status?.conditions ?? [];
    return all.some((condition) => condition.type === type && condition.status === "False") && all;
  });
  const { message = "" } = conditions.find((condition) => condition.type === type) ?? {};
  for (const word of names) scene.check(word.test(message), `${type} of ${name} does not say ${word}: ${message}`);
  const ready = conditions.find((condition) => condition.type === "Ready");
  scene.check(ready?.status === "False", `the node class ${name} is ${ready?.status ?? "not even"} ready`);
}
