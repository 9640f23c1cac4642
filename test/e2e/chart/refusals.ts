import { chartFolder } from "../../chart/chart-files.ts";
import type { Findings } from "./findings.ts";
import type { Helm } from "./helm.ts";

const named = "settings.clusterName=lab";

/** Mistakes, as the assignments of `--set`, and what is said about them. */
const refusals: readonly { readonly sets: readonly string[]; readonly words: readonly string[] }[] = [
  { sets: [], words: ["settings.clusterName: is missing; name the EKS cluster"] },
  { sets: [named, "setings.clusterName=lab"], words: ["additional properties 'setings' not allowed"] },
  { sets: ["settings.clustername=lab"], words: ["at '/settings': additional properties 'clustername' not allowed"] },
  {
    sets: [named, "settings.featureGates.spotToSpot=true"],
    words: ["at '/settings/featureGates': additional properties 'spotToSpot' not allowed"],
  },
  { sets: [named, "replicas=two"], words: ["at '/replicas': got string, want integer"] },
  {
    sets: [named, "controller.resources.request.cpu=1"],
    words: ["at '/controller/resources': additional properties 'request' not allowed"],
  },
  { sets: [named, "logLevel=warn"], words: ["at '/logLevel': value must be one of 'debug', 'info', 'error'"] },
  {
    sets: [named, 'serviceAccount.annotations."eks.amazonaws.com/role-arn"=arn:aws:iam::111122223333:role/a'],
    words: [String.raw`write --set 'serviceAccount.annotations.eks\.amazonaws\.com/role-arn=ARN'`],
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
      "settings.featureGates.nodeRepair=on",
    ],
    words: [
      'settings.batchMaxDuration: "10 seconds" is no duration; write it as in 10s',
      'settings.isolatedVPC: "yes" is neither true nor false',
      'settings.mostPodMovesPerHour: "20" is no percentage; write it as in 20%',
      'settings.vmMemoryOverheadPercent: "7.5" is no share of one; write 7.5 percent as 0.075',
      'settings.clusterEndpoint: "example" is no URL',
      'settings.reservedENIs: "one" is no whole number',
      'settings.featureGates.nodeRepair: "on" is neither true nor false',
    ],
  },
  {
    sets: [
      "clusterName=a",
      "settings.aws.interruptionQueueName=b",
      "controller.clusterEndpoint=c",
      "logConfig.logLevel=d",
    ],
    words: [
      "clusterName: is now settings.clusterName",
      "settings.aws.interruptionQueueName: is now settings.interruptionQueue",
      "controller.clusterEndpoint: is now settings.clusterEndpoint",
      "logConfig.logLevel: is now logLevel",
    ],
  },
  {
    sets: [named, "karpenter.node_pools.a.limit.cpu=1"],
    words: ["at '/karpenter/node_pools/a': additional properties 'limit' not allowed"],
  },
  {
    sets: [named, "karpenter.node_pools.a.node_class.volumesize=1Gi"],
    words: ["at '/karpenter/node_pools/a/node_class': additional properties 'volumesize' not allowed"],
  },
  {
    sets: [named, "karpenter.node_pools.a.requirements[0].key=x", "karpenter.node_pools.a.requirements[0].operator=in"],
    words: ["at '/karpenter/node_pools/a/requirements/0/operator': value must be one of 'In', 'NotIn'"],
  },
  {
    sets: [named, "karpenter.node_pools.a.requirements.zone.key=x"],
    words: ["at '/karpenter/node_pools/a/requirements/zone': missing property 'operator'"],
  },
  {
    sets: [
      named,
      "karpenter.node_pools.Big.node_class.volumeSize=100",
      "karpenter.node_pools.Big.node_class.extra_securitygroup_ids={web}",
      "karpenter.node_pools.Big.node_class.amiSelectorTerms[0].id=ami-1",
      "karpenter.node_pools.Big.node_class.role=a",
      "karpenter.node_pools.Big.node_class.instanceProfile=b",
    ],
    words: [
      "karpenter.node_pools.Big: is no name for an object",
      'karpenter.node_pools.Big.node_class.volumeSize: "100" is no size of a volume; write it as in 100Gi',
      'karpenter.node_pools.Big.node_class.extra_securitygroup_ids: "web" is no id of a security group',
      "karpenter.node_pools.Big.node_class: has amiSelectorTerms without alias",
      "karpenter.node_pools.Big.node_class: has both a role and an instanceProfile",
    ],
  },
  {
    sets: [
      named,
      "karpenter.node_pools.a.node_class.gpu_enabled=true",
      "karpenter.node_pools.a.requirements[0].key=karpenter.k8s.aws/instance-category",
      "karpenter.node_pools.a.requirements[0].operator=In",
      "karpenter.node_pools.a.requirements[0].values={c,m}",
    ],
    words: ["karpenter.node_pools.a.requirements: no machine of the categories c, m has a GPU"],
  },
  {
    sets: ["settings.cloudProvider=kwok", "karpenter.node_pools.a.limits.cpu=1"],
    words: ["karpenter.node_pools: describes machines of AWS, and settings.cloudProvider is kwok"],
  },
];

/** Each mistake is refused, with its path and what to do. */
export async function checkRefusals(helm: Helm, findings: Findings): Promise<void> {
  for (const { sets, words } of refusals) {
    const args = sets.flatMap((set) => ["--set", set]);
    const { status, complaint } = await helm.run(["template", "karpenter", chartFolder, ...args]);
    const act = `helm template with ${sets.join(" ") || "nothing"}`;
    findings.check(status !== 0, `${act} is taken`);
    for (const word of words)
      findings.check(complaint.includes(word), `${act} does not say "${word}", but ${complaint}`);
  }
}
