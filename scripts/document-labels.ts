// Writes docs/reference/labels.md: labels, annotations, taints, finalizers and tags, as found in the source.
import { awsWellKnownLabels } from "../src/adapters/aws/aws-labels.ts";
import * as awsNames from "../src/adapters/aws/names.ts";
import * as kwokLabels from "../src/core/api/kwok-labels.ts";
import { oldProvisionerNameLabel, provisionerNameLabel, wellKnownLabels } from "../src/core/model/labels.ts";
import { successors } from "../src/core/model/old-labels.ts";
import { compareWithSource, readSources, tableOf, wordsIn } from "./document-source.ts";

type Words = Readonly<Record<string, string>>;

const coreLabels: Words = {
  "karpenter.sh/capacity-type": "`spot`, `on-demand` or `reserved`",
  "karpenter.sh/nodepool": "the pool that the node belongs to",
  "kubernetes.io/arch": "`amd64`, `arm64`",
  "kubernetes.io/os": "`linux`, `windows`",
  "node.kubernetes.io/instance-type": "the type of machine, as in `m5.large`",
  "node.kubernetes.io/windows-build": "the build of Windows, as in `10.0.20348`",
  "topology.kubernetes.io/region": "the region",
  "topology.kubernetes.io/zone": "the zone, as in `us-west-2a`",
};

const awsLabels: Words = {
  "karpenter.k8s.aws/capacity-reservation-id": "the capacity reservation that the machine is in",
  "karpenter.k8s.aws/capacity-reservation-interruptible": "whether AWS may take it back",
  "karpenter.k8s.aws/capacity-reservation-type": "`default` or `capacity-block`",
  "karpenter.k8s.aws/instance-accelerator-count": "how many accelerators, as in `1`",
  "karpenter.k8s.aws/instance-accelerator-manufacturer": "who makes them, as in `aws`",
  "karpenter.k8s.aws/instance-accelerator-name": "what they are called, as in `inferentia`",
  "karpenter.k8s.aws/instance-capability-flex": "`true` for flex types, as `m7i-flex.large`",
  "karpenter.k8s.aws/instance-category": "the letters before the generation: `c`, `m`, `r`, `g`",
  "karpenter.k8s.aws/instance-cpu": "how many virtual cores, as in `4`",
  "karpenter.k8s.aws/instance-cpu-manufacturer": "`intel`, `amd`, `aws`",
  "karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz": "MHz, as in `3600`",
  "karpenter.k8s.aws/instance-ebs-bandwidth": "Mbit/s at most, as in `9500`",
  "karpenter.k8s.aws/instance-encryption-in-transit-supported": "`true` or `false`",
  "karpenter.k8s.aws/instance-family": "what stands before the dot: `m5`, `c6g`",
  "karpenter.k8s.aws/instance-generation": "the number of the generation, as in `5`",
  "karpenter.k8s.aws/instance-gpu-count": "how many GPUs",
  "karpenter.k8s.aws/instance-gpu-manufacturer": "who makes them, as in `nvidia`",
  "karpenter.k8s.aws/instance-gpu-memory": "MiB of each",
  "karpenter.k8s.aws/instance-gpu-name": "what they are called, as in `t4`",
  "karpenter.k8s.aws/instance-hypervisor": "`nitro`, `xen`, or empty for bare metal",
  "karpenter.k8s.aws/instance-local-nvme": "GB of disks in the machine",
  "karpenter.k8s.aws/instance-memory": "MiB of memory, as in `8192`",
  "karpenter.k8s.aws/instance-network-bandwidth": "Mbit/s that are always there",
  "karpenter.k8s.aws/instance-size": "what stands after the dot: `large`, `4xlarge`",
  "karpenter.k8s.aws/instance-tenancy": "`default` or `dedicated`",
  "karpenter.k8s.aws/nitro-sandbox": "whether the machine supports Nitro enclaves",
  "karpenter.k8s.aws/placement-group-id": "the placement group",
  "karpenter.k8s.aws/placement-group-partition": "the partition in it",
  "topology.k8s.aws/zone-id": "the id of the zone, as in `usw2-az1`",
};

const kwokLabelWords: Words = {
  "karpenter.kwok.sh/instance-cpu": "virtual cores",
  "karpenter.kwok.sh/instance-family": "as in `c`, `m`, `s`",
  "karpenter.kwok.sh/instance-memory": "MiB of memory",
  "karpenter.kwok.sh/instance-size": "as in `4x`",
};

const forUsers: Words = {
  "karpenter.sh/balanced-threshold":
    "on a NodePool with the policy `Balanced`: how much a move must save for what it disturbs ([disruption.md](../disruption.md#what-the-fleet-can-do-without))",
  "karpenter.sh/default-requirements":
    "on a NodePool: keys of its requirements that give way to what a pod selects ([concepts.md](../concepts.md#defaults-and-overrides))",
  "karpenter.sh/do-not-disrupt":
    "on a Pod or Node: `true`, or for a Pod a duration from its start, in which it is not moved by choice",
  "karpenter.sh/do-not-evict": "on a Pod, as it was called until v0.32: `true` is `karpenter.sh/do-not-disrupt`",
  "karpenter.sh/do-not-consolidate": "on a Node, as it was called until v0.32: `true` is `karpenter.sh/do-not-disrupt`",
  "karpenter.sh/drain-strategy":
    "on a Pod: `surge` replaces it before it goes ([disruption.md](../disruption.md#surge))",
  "karpenter.sh/hourly-price": "not an annotation, but a limit: below `spec.limits` of a NodePool, dollars an hour",
  "karpenter.sh/look-ahead":
    "on a workload or Namespace, also as a label: `false` leaves its pods out of plans until they exist ([controller.md](../controller.md#look-ahead))",
  "karpenter.sh/paused":
    "on a NodePool: `true` keeps its nodes from going by choice ([disruption.md](../disruption.md#pausing-a-pool))",
  "karpenter.sh/soft-expire-after":
    "on a NodePool: replace nodes of that age within budgets ([disruption.md](../disruption.md#soft-expiry))",
  "karpenter.sh/do-not-sync-taints": "a label of a Node: `true` leaves its taints to somebody else",
};

const byController: Words = {
  "compatibility.karpenter.k8s.aws/cluster-name-tagged":
    "annotation of a NodeClaim: its machine has the tag `eks:eks-cluster-name`",
  "karpenter.k8s.aws/ec2nodeclass": "label of nodes, and tag of what is made: the node class",
  "karpenter.k8s.aws/ec2nodeclass-hash":
    "annotation of a node class and its NodeClaims, tag of machines: what the node class said",
  "karpenter.k8s.aws/ec2nodeclass-hash-version": "annotation: how that hash is made",
  "karpenter.k8s.aws/instance-profile-name":
    "annotation of a NodeClaim: the profile that its machine was launched with",
  "karpenter.k8s.aws/nodeclaims-": "tags of machines, numbered: the claims that it may be for",
  "karpenter.k8s.aws/tagged": "annotation of a NodeClaim: its machine has its tags",
  "karpenter.k8s.aws/termination": "finalizer of an EC2NodeClass",
  "karpenter.kwok.sh/nodeclaim": "annotation of a KWOK node: its claim",
  "karpenter.sh/disrupted": "taint of a node that is about to go",
  "karpenter.sh/leaving":
    "taint (PreferNoSchedule) of a node that the plan under way takes away later: pods go elsewhere if they can, so that none is moved twice",
  "karpenter.sh/initialized": "label of a node that is ready for pods",
  "karpenter.sh/is-replacement": "annotation of a NodeClaim that was bought in place of others",
  "karpenter.sh/move-failed-at": "annotation of a NodeClaim: when a move of it failed",
  "karpenter.sh/moved-pods": "annotation of a NodePool: how many pods were moved in the last hour",
  "karpenter.sh/nodeclaim": "tag of machines: the claim",
  "karpenter.sh/nodeclaim-min-values-relaxed": "annotation of a NodeClaim: `minValues` gave way",
  "karpenter.sh/nodeclaim-termination-timestamp":
    "annotation of a NodeClaim: by when its node is gone, whatever its pods say",
  "karpenter.sh/nodepool-hash": "annotation of pools and claims: the template that the claim was made of",
  "karpenter.sh/nodepool-hash-version": "annotation: how that hash is made",
  "karpenter.sh/price-overlay-applied": "annotation of a NodeClaim: its prices are not those of the cloud",
  "karpenter.sh/provisioner-name": "label of nodes that a Provisioner asked for, beside `karpenter.sh/nodepool`",
  "karpenter.sh/registered": "label of a node that carries all that its claim asks for",
  "karpenter.sh/replacements": "annotation of a NodeClaim: which ones replace others together",
  "karpenter.sh/replaces": "annotation of a NodeClaim: the claims whose pods are meant for it",
  "karpenter.sh/termination": "finalizer of NodeClaims and Nodes",
  "karpenter.sh/unregistered": "taint of a node that is not registered yet",
};

const oldLabels: Words = Object.fromEntries(
  [[oldProvisionerNameLabel, provisionerNameLabel], ...successors].map(([old, now]) => [old, `\`${now}\``]),
);

/** Keys in domains of ours; what ends in a version is the apiVersion of an object. */
function findKeys(): readonly string[] {
  const sources = readSources(["core", "controllers", "adapters", "operator", "runtime"]);
  const literals = sources
    // Old names are for reading old manifests.
    .filter(({ name }) => !name.startsWith("core/api/legacy/"))
    .flatMap(({ text }) =>
      wordsIn(text, /"((?:[\w.]+\.)?(?:karpenter\.(?:sh|kwok\.sh|k8s\.aws)|topology\.k8s\.aws)\/[\w.-]+)[:"]/g),
    );
  const values = [
    ...successors.keys(),
    ...wellKnownLabels,
    ...awsWellKnownLabels,
    ...Object.values(kwokLabels),
    awsNames.nodeClassLabel,
  ];
  return [...literals.filter((key) => !/\/v\d\w*$/.test(key)), ...values];
}

const introduction = `# Labels, annotations, taints and tags

Made by \`npx node scripts/document-reference.ts\`; a test fails when the source says otherwise.
`;

export function documentLabels(): string {
  const tables = [coreLabels, awsLabels, kwokLabelWords, forUsers, byController, oldLabels];
  compareWithSource(
    "Key",
    tables.flatMap((table) => Object.keys(table)),
    findKeys(),
  );
  const show = (words: Words, what = "what"): string =>
    tableOf(
      ["key", what],
      Object.entries(words).map(([key, meaning]) => [`\`${key}\``, meaning]),
    );
  return `${introduction}
## Well-known labels

Pods may select these although no pool mentions them, and pools may require them: the cloud decides what they are.

${show(coreLabels)}

With AWS besides (what a machine has not got, it has no label for):

${show(awsLabels)}

With KWOK besides:

${show(kwokLabelWords)}

## What you can set

Annotations, unless it says otherwise.

${show(forUsers)}

## What the controller sets

${show(byController)}

## What nodes of Provisioners carry besides

Pods of old manifests may select these, and get machines of pools that are made of a Provisioner, or that name one in the annotation \`${provisionerNameLabel}\`. Other nodes do not have them.

${show(oldLabels, "now")}
`;
}
