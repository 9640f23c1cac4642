import { chartFolder } from "../../chart/chart-files.ts";
import type { Findings } from "./findings.ts";
import type { Helm } from "./helm.ts";

const named = "settings.clusterName=lab";
const unknown = "value must be 'left out, for there is no such name here; there are";
const roleForm = String.raw`write --set 'serviceAccount.annotations.eks\.amazonaws\.com/role-arn=ARN'`;

/** Mistakes, as the assignments of `--set`, and what is said about them. */
const refusals: readonly { readonly sets: readonly string[]; readonly words: readonly string[] }[] = [
  { sets: [], words: ["settings.clusterName: is missing; name the EKS cluster"] },
  { sets: [named, "setings.clusterName=lab"], words: [`at '/setings': ${unknown} nameOverride`] },
  { sets: ["settings.clustername=lab"], words: [`at '/settings/clustername': ${unknown} cloudProvider, clusterName,`] },
  {
    sets: [named, "settings.featureGates.spotToSpot=true"],
    words: [`at '/settings/featureGates/spotToSpot': ${unknown} nodeRepair`],
  },
  { sets: [named, "replicas=two"], words: ["at '/replicas': got string, want integer"] },
  {
    sets: [named, "controller.resources.request.cpu=1"],
    words: [`at '/controller/resources/request': ${unknown} requests`],
  },
  { sets: [named, "logLevel=warn"], words: ["at '/logLevel': value must be one of 'debug', 'info', 'error'"] },
  {
    sets: [named, 'serviceAccount.annotations."eks.amazonaws.com/role-arn"=arn:aws:iam::111122223333:role/a'],
    words: ["the dots of a key have been taken for levels", roleForm],
  },
  {
    sets: [
      named,
      String.raw`serviceAccount.annotations."eks\.amazonaws\.com/role-arn"=arn:aws:iam::111122223333:role/a`,
    ],
    words: ['quotes or backslashes have become part of the key "eks.amazonaws.com/role-arn"', roleForm],
  },
  {
    sets: [named, "controller.image.repository=public.ecr.aws/karpenter/controller", "controller.image.tag=1.0.0"],
    words: ["controller.image.repository: public.ecr.aws/karpenter/controller has the Go controller; take"],
  },
  {
    sets: [named, "controller.image=public.ecr.aws/karpenter/controller:v0.16.3"],
    words: ["controller.image: is a text, as in older charts"],
  },
  {
    sets: [named, "controller.env[0].name=LEADER_ELECT", "controller.env[1].name=AWS_DEFAULT_INSTANCE_PROFILE"],
    words: [
      "controller.env: LEADER_ELECT is now DISABLE_LEADER_ELECTION",
      "controller.env: AWS_DEFAULT_INSTANCE_PROFILE has gone, name the profile in an EC2NodeClass",
    ],
  },
  {
    sets: [
      named,
      "settings.batchMaxDuration=10 seconds",
      "settings.isolatedVPC=yes",
      "settings.mostPodMovesPerHour=20",
      "settings.vmMemoryOverheadPercent=7.5",
      "settings.clusterEndpoint=example",
      "settings.reservedENIs=one",
      "settings.lookAheadMaxPods=many",
      "settings.featureGates.nodeRepair=on",
    ],
    words: [
      'settings.batchMaxDuration: "10 seconds" is no duration; write it as in 10s',
      'settings.isolatedVPC: "yes" is neither true nor false',
      'settings.mostPodMovesPerHour: "20" is no percentage; write it as in 20%',
      'settings.vmMemoryOverheadPercent: "7.5" is no share of one; write 7.5 percent as 0.075',
      'settings.clusterEndpoint: "example" is no URL',
      'settings.reservedENIs: "one" is no whole number',
      'settings.lookAheadMaxPods: "many" is no whole number',
      'settings.featureGates.nodeRepair: "on" is neither true nor false',
    ],
  },
  {
    sets: [
      "clusterName=a",
      "settings.aws.interruptionQueueName=b",
      "controller.clusterEndpoint=c",
      "logConfig.logLevel=d",
      "controller.replicas=2",
      "settings.aws.clusterNam=e",
      "webhook.serviceNamespace=f",
    ],
    words: [
      "controller.replicas: is now replicas",
      "settings.aws.clusterNam: is not known; what is left of settings.aws is now right below settings",
      "webhook.serviceNamespace: has gone, there is no webhook; remove it",
      "clusterName: is now settings.clusterName",
      "settings.aws.interruptionQueueName: is now settings.interruptionQueue",
      "controller.clusterEndpoint: is now settings.clusterEndpoint",
      "logConfig.logLevel: is now logLevel",
    ],
  },
  {
    sets: ["settings.cloudProvider=kwok", "karpenter.node_pools.a.limits.cpu=1"],
    words: ["karpenter.node_pools: describes machines of AWS, and settings.cloudProvider is kwok"],
  },
];

/** Each mistake is refused, with its path and what to do. */
export async function checkRefusals(helm: Helm, findings: Findings): Promise<void> {
  for (const refusal of refusals) {
    const args = refusal.sets.flatMap((set) => ["--set", set]);
    await checkRefusal(helm, { ...refusal, args }, findings);
  }
}

interface Refusal {
  readonly args: readonly string[];
  readonly words: readonly string[];
}

export async function checkRefusal(helm: Helm, { args, words }: Refusal, findings: Findings): Promise<void> {
  const { status, complaint } = await helm.run(["template", "karpenter", chartFolder, ...args]);
  const act = `helm template with ${args.join(" ") || "nothing"}`;
  findings.check(status !== 0, `${act} is taken`);
  for (const word of words) findings.check(complaint.includes(word), `${act} does not say "${word}", but ${complaint}`);
}
