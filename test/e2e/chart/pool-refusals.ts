import { describeProblem } from "../../../src/core/api/problem.ts";
import { validateCustomResource } from "../../../src/core/api/validate-custom-resource.ts";
import { celRules } from "../../../src/embedded/cel/cel-rules.ts";
import { matchesPattern } from "../../../src/embedded/cel/re2.ts";
import { chartFolder } from "../../chart/chart-files.ts";
import type { Findings } from "./findings.ts";
import type { Helm, Rendered } from "./helm.ts";
import { checkRefusal } from "./refusals.ts";

interface Requirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly unknown[];
  readonly minValues?: number;
}

const category = "karpenter.k8s.aws/instance-category";
const requiring = (...requirements: Requirement[]) => ({ requirements });

/** A pool each, and what is said about it, in which `a` is its name. */
const mistakes: readonly { readonly pool: object; readonly words: string }[] = [
  { pool: { limit: { cpu: 1 } }, words: "at '/karpenter/node_pools/a/limit': value must be 'left out" },
  {
    pool: { node_class: { volumesize: "1Gi" } },
    words:
      "/a/node_class/volumesize': value must be 'left out, for there is no such name here; there are extra_security",
  },
  { pool: requiring({ key: "x", operator: "in" }), words: "/a/requirements/0/operator': value must be one of 'In'" },
  { pool: { requirements: { zone: { key: "x" } } }, words: "/a/requirements/zone': missing property 'operator'" },
  { pool: { limits: { cpu: "a lot" } }, words: 'a.limits.cpu: "a lot" is no quantity; write it as in 100 or 400Gi' },
  { pool: { limits: { cpu: -1 } }, words: 'a.limits.cpu: "-1" is no quantity' },
  { pool: { limits: { mem: 1 } }, words: "a.limits.mem: limits nothing; there are cpu, memory, nodes" },
  { pool: { labels: { "karpenter.sh/nodepool": "x" } }, words: "a.labels: karpenter.sh/nodepool is the pool itself" },
  {
    pool: { labels: { "karpenter.sh/mine": "x" } },
    words: "karpenter.sh/mine is in the domain of Karpenter; take one",
  },
  { pool: { labels: { "kubernetes.io/hostname": "x" } }, words: "kubernetes.io/hostname differs from node to node" },
  { pool: { labels: { "a b": "x" } }, words: "a.labels: a b is no key of a label; write it as in team" },
  { pool: { labels: { team: "a b" } }, words: 'a.labels.team: "a b" is no value of a label' },
  { pool: { labels: { team: "x".repeat(64) } }, words: "is no value of a label; write at most 63 letters" },
  {
    pool: requiring({ key: category, operator: "In" }),
    words: `a.requirements: ${category} In has no values; list at least one, or use Exists or DoesNotExist`,
  },
  { pool: requiring({ key: category, operator: "NotIn", values: [] }), words: "NotIn has no values; list at least" },
  { pool: requiring({ key: category, operator: "Exists", values: ["c"] }), words: "Exists heeds no values; leave" },
  {
    pool: requiring({ key: "karpenter.k8s.aws/instance-cpu", operator: "Gt", values: ["many"] }),
    words: "karpenter.k8s.aws/instance-cpu Gt compares numbers; give exactly one value, a whole number",
  },
  {
    pool: requiring({ key: "karpenter.k8s.aws/instance-cpu", operator: "Lte", values: [1, 2] }),
    words: "Lte compares numbers; give exactly one value",
  },
  {
    pool: requiring({ key: category, operator: "In", values: ["c"], minValues: 2 }),
    words: "In has fewer values than minValues asks for; list more, or lower minValues",
  },
  {
    pool: requiring({ key: "karpenter.k8s.aws/instance-famly", operator: "In", values: ["c5"] }),
    words: "karpenter.k8s.aws/instance-famly is no label of machines; there are karpenter.k8s.aws/capacity",
  },
  {
    pool: requiring({ key: "karpenter.sh/provisioner-name", operator: "Exists" }),
    words: "karpenter.sh/provisioner-name is in the domain of Karpenter",
  },
  { pool: { taints: [{ key: "a b", effect: "NoSchedule" }] }, words: 'a.taints: "a b" is no key of a taint' },
  { pool: { taints: [{ key: "a", value: "b c", effect: "NoSchedule" }] }, words: '"b c" is no value of a taint' },
  {
    pool: { node_class: { volumeSize: 100 } },
    words: 'volumeSize: "100" is no size of a volume; write it as in 100Gi',
  },
  { pool: { node_class: { volumeSize: "100000Gi" } }, words: '"100000Gi" is no size of a volume' },
  { pool: { node_class: { extra_securitygroup_ids: ["web"] } }, words: '"web" is no id of a security group; write' },
  { pool: { node_class: { amiSelectorTerms: [{ id: "ami-1" }] } }, words: "has amiSelectorTerms without alias" },
  { pool: { node_class: { role: "a", instanceProfile: "b" } }, words: "has both a role and an instanceProfile" },
  {
    pool: { node_class: { amiSelectorTerms: [{ alias: "al2023@latest" }, { id: "ami-1" }] } },
    words: "an alias chooses all images; make its term the only one",
  },
  {
    pool: { node_class: { amiFamily: "Bottlerocket", amiSelectorTerms: [{ alias: "al2023@latest" }] } },
    words: "amiFamily: is another than that of the alias al2023@latest",
  },
  {
    pool: { node_class: { amiFamily: "Bottlerocket" } },
    words: "leave amiFamily out, or name an alias of bottlerocket",
  },
  { pool: { node_class: { amiSelectorTerms: [{ alias: "ubuntu@latest" }] } }, words: "does not match pattern" },
  {
    pool: { node_class: { subnetSelectorTerms: [{ id: "mine" }] } },
    words: "subnetSelectorTerms/0/id': 'mine' does not",
  },
  {
    pool: { node_class: { subnetSelectorTerms: [{ id: "subnet-1", tags: { a: "b" } }] } },
    words: "subnetSelectorTerms: id says all; leave the rest out of that term",
  },
  { pool: { node_class: { subnetSelectorTerms: [{ tags: { a: "" } }] } }, words: "write * for any value" },
  { pool: { node_class: { subnetSelectorTerms: [{}] } }, words: "subnetSelectorTerms/0'" },
  { pool: { node_class: { tags: { "karpenter.sh/nodepool": "x" } } }, words: "is set by Karpenter, which finds" },
  {
    pool: { node_class: { tags: { "kubernetes.io/cluster/lab": "owned" } } },
    words: "is set by Karpenter, which finds",
  },
  {
    pool: { node_class: { gpu_enabled: true }, ...requiring({ key: category, operator: "In", values: ["c", "m"] }) },
    words: "a.requirements: no machine of the categories c, m has a GPU",
  },
];

/** What people write, and what the API server takes as well. */
const oddities: readonly object[] = [
  { limits: { cpu: "1500m", memory: "1.5Ti", nodes: 3, "nvidia.com/gpu": 8, "karpenter.sh/hourly-price": 12.5 } },
  { labels: { team: "", "example.com/Team_1": true }, annotations: { "a b": "what you like" } },
  requiring({ key: "karpenter.sh/capacity-type", operator: "In", values: ["spot"] }),
  requiring({ key: "example.com/team", operator: "DoesNotExist" }, { key: "x", operator: "Gte", values: [0] }),
  requiring({ key: "topology.k8s.aws/zone-id", operator: "NotIn", values: ["usw2-az4"] }),
  { taints: [{ key: "example.com/a", effect: "NoExecute" }] },
  { node_class: { amiFamily: "Custom", amiSelectorTerms: [{ tags: { a: "*" } }, { name: "b", owner: "self" }] } },
  { node_class: { amiFamily: "AL2023", amiSelectorTerms: [{ alias: "al2023@latest" }], volumeSize: "58Ti" } },
];

/** Whatever the API server would refuse of a pool, the chart refuses before anything is installed. */
export async function checkPoolRefusals(helm: Helm, findings: Findings): Promise<void> {
  for (const { pool, words } of mistakes)
    await checkRefusal(helm, { args: valuesOf({ a: pool }), words: [words] }, findings);
  const named = { args: valuesOf({ Big: {} }), words: ["karpenter.node_pools.Big: is no name for an object; write"] };
  await checkRefusal(helm, named, findings);
  for (const pool of oddities) {
    const objects = await helm.template(chartFolder, valuesOf({ a: pool }));
    findings.same(problemsOfPools(objects), [], `what the API server has against ${JSON.stringify(pool)}`);
  }
}

export function problemsOfPools(objects: readonly Rendered[]): string[] {
  return objects
    .filter(({ kind }) => kind === "NodePool" || kind === "EC2NodeClass")
    .flatMap((object) => validateCustomResource(object, { matches: matchesPattern, rules: celRules }))
    .map(describeProblem);
}

function valuesOf(pools: object): readonly string[] {
  const values = { settings: { clusterName: "lab" }, karpenter: { node_pools: pools } };
  return Object.entries(values).flatMap(([name, value]) => ["--set-json", `${name}=${JSON.stringify(value)}`]);
}
