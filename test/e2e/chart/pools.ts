import type { Findings } from "./findings.ts";
import { at, pick, type Rendered } from "./helm.ts";
import { problemsOfPools } from "./pool-refusals.ts";

/** What becomes of the pools in values/pools.yaml. */
export function checkPools(objects: readonly Rendered[], findings: Findings): void {
  findings.same(problemsOfPools(objects), [], "what the API server has against the pools");
  const discovered = [{ tags: { "karpenter.sh/discovery": "karpenter-cluster" } }];
  const disk = { deleteOnTermination: true, encrypted: true, volumeType: "gp3" };
  const same = (kind: string, path: string, expected: unknown) => {
    const [name = "", ...rest] = path.split(".");
    findings.same(at(pick(objects, kind, name), rest.join(".")), expected, `${kind} ${path}`);
  };
  same("EC2NodeClass", "default.spec", {
    role: "KarpenterNodeRole-karpenter-cluster",
    amiSelectorTerms: [{ alias: "al2023@latest" }],
    subnetSelectorTerms: discovered,
    securityGroupSelectorTerms: [...discovered, { id: "sg-0123456789abcdef0" }],
    associatePublicIPAddress: false,
    tags: { "cost-centre": "4711", team: "platform" },
    blockDeviceMappings: [{ deviceName: "/dev/xvda", rootVolume: true, ebs: { ...disk, volumeSize: "100Gi" } }],
  });
  same("NodePool", "default.spec", {
    limits: { cpu: "111", memory: "100Gi" },
    template: {
      metadata: { labels: { generation: "2", tier: "web" }, annotations: { "example.com/owner": "web" } },
      spec: {
        nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
        requirements: [{ key: "karpenter.k8s.aws/instance-category", operator: "In", values: ["c"] }],
        taints: [{ key: "role", value: "web", effect: "NoSchedule" }],
      },
    },
  });
  same("NodePool", "training.spec.limits", { cpu: "2000000", "nvidia.com/gpu": "8" });
  same("NodePool", "training.spec.template.spec.requirements", [
    { key: "karpenter.k8s.aws/instance-category", operator: "In", values: ["g", "p"], minValues: 2 },
    { key: "karpenter.k8s.aws/instance-cpu", operator: "Gt", values: ["4"] },
    { key: "karpenter.k8s.aws/instance-gpu-manufacturer", operator: "In", values: ["nvidia"] },
  ]);
  same("EC2NodeClass", "training.spec.associatePublicIPAddress", true);
  same("EC2NodeClass", "bottles.spec.role", undefined);
  same("EC2NodeClass", "bottles.spec.instanceProfile", "my-profile");
  same("EC2NodeClass", "bottles.spec.securityGroupSelectorTerms", [{ name: "nodes" }]);
  same("EC2NodeClass", "bottles.spec.blockDeviceMappings", [
    { deviceName: "/dev/xvda", ebs: { ...disk, volumeSize: "4Gi" } },
    { deviceName: "/dev/xvdb", rootVolume: true, ebs: { ...disk, volumeSize: "1Ti" } },
  ]);
  same("NodePool", "plain.spec.template.spec.requirements", []);
  for (const kind of ["NodePool", "EC2NodeClass"])
    same(kind, "plain.metadata.annotations", { "helm.sh/resource-policy": "keep" });
  same("EC2NodeClass", "plain.spec.associatePublicIPAddress", undefined);
}
