import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeProblem } from "../problem.ts";
import { convertManifests } from "./convert-manifests.ts";

const nodeClassRef = { apiVersion: "karpenter.k8s.aws/v1beta1", kind: "EC2NodeClass", name: "a" };
const ref = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "a" };
const pool = (spec: object, template: object = {}) => ({
  apiVersion: "karpenter.sh/v1beta1",
  kind: "NodePool",
  metadata: { name: "a" },
  spec: { template: { spec: { nodeClassRef, requirements: [], ...template } }, ...spec },
});
const nodeClass = (spec: object) => ({
  apiVersion: "karpenter.k8s.aws/v1beta1",
  kind: "EC2NodeClass",
  metadata: { name: "a" },
  spec: {
    amiFamily: "AL2023",
    role: "nodes",
    subnetSelectorTerms: [{ id: "subnet-1" }],
    securityGroupSelectorTerms: [{ name: "workers" }],
    ...spec,
  },
});

function convert(...wires: readonly object[]) {
  const { objects, notes, problems } = convertManifests(wires, { clusterName: undefined });
  const specs = objects.map((object) => (object as { spec: Record<string, unknown> }).spec);
  return { objects, specs, notes: notes.map(describeProblem), problems: problems.map(describeProblem) };
}

describe("a NodePool of v1beta1", () => {
  it("that says nothing consolidates at once and expires in a month", () => {
    const { objects, problems } = convert(pool({}));
    assert.deepEqual(problems, []);
    assert.deepEqual(objects, [
      {
        apiVersion: "karpenter.sh/v1",
        kind: "NodePool",
        metadata: { name: "a" },
        spec: {
          template: { spec: { nodeClassRef: ref, requirements: [], expireAfter: "720h" } },
          disruption: { consolidationPolicy: "WhenEmptyOrUnderutilized", consolidateAfter: "0s" },
        },
      },
    ]);
  });

  it("has its expiry in the template, and its policy by the new name", () => {
    const budgets = [{ nodes: "0", schedule: "@daily", duration: "1h" }];
    const disruption = { consolidationPolicy: "WhenUnderutilized", expireAfter: "24h", budgets };
    const { specs, notes } = convert(pool({ disruption }));
    assert.deepEqual(specs, [
      {
        template: { spec: { nodeClassRef: ref, requirements: [], expireAfter: "24h" } },
        disruption: { consolidationPolicy: "WhenEmptyOrUnderutilized", consolidateAfter: "0s", budgets },
      },
    ]);
    assert.deepEqual(notes, [
      "NodePool a: spec.disruption.consolidationPolicy is called WhenEmptyOrUnderutilized now.",
      "NodePool a: spec.disruption.consolidateAfter was not set, which is 0s: write a longer time for fewer moves.",
      "NodePool a: spec.disruption.expireAfter is template.spec.expireAfter: 24h now, which waits neither for budgets nor for a replacement; the annotation karpenter.sh/soft-expire-after on the pool does.",
      "NodePool a: spec.template.spec.nodeClassRef is the EC2NodeClass a now, which is not among these objects: convert what it was too, unless the cluster has it.",
    ]);
  });

  it("that ends empty nodes keeps the time that they wait", () => {
    const disruption = { consolidationPolicy: "WhenEmpty", consolidateAfter: "Never", expireAfter: "Never" };
    assert.deepEqual(convert(pool({ disruption })).specs[0]?.disruption, {
      consolidationPolicy: "WhenEmpty",
      consolidateAfter: "Never",
    });
  });

  it("refers to a node class by its group", () => {
    const refs = [
      { name: "b" },
      { apiVersion: "karpenter.kwok.sh/v1alpha1", kind: "KWOKNodeClass", name: "b" },
      { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "b" },
    ].map((nodeClassRef) => convert(pool({}, { nodeClassRef })).specs[0]);
    assert.deepEqual(
      refs.map((spec) => (spec as { template: { spec: { nodeClassRef: object } } }).template.spec.nodeClassRef),
      [
        { ...ref, name: "b" },
        { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "b" },
        { ...ref, name: "b" },
      ],
    );
  });

  it("gives its kubelet to its node class, which only it knows", () => {
    const kubelet = { maxPods: 42 };
    const together = convert(pool({}, { kubelet }), nodeClass({}));
    assert.deepEqual(together.specs[1]?.kubelet, kubelet);
    const foreign = { apiVersion: "karpenter.kwok.sh/v1alpha1", kind: "KWOKNodeClass", name: "b" };
    const notes = [{ kubelet }, { kubelet, nodeClassRef: foreign }].flatMap((spec) => convert(pool({}, spec)).notes);
    assert.deepEqual(
      notes.filter((note) => note.includes("kubelet")),
      [
        "NodePool a: spec.template.spec.kubelet belongs into the EC2NodeClass a, which is not among these objects: convert both together, or write it there.",
        "NodePool a: spec.template.spec.kubelet is left out: a KWOKNodeClass knows no kubelet.",
      ],
    );
  });

  it("is refused where it cannot be read", () => {
    const problems = [
      pool({ disruption: { expireAfter: "30d" } }),
      pool({ disruption: { consolidationPolicy: "Sometimes" } }),
      pool({}, { nodeClassRef: {} }),
    ].flatMap((wire) => convert(wire).problems);
    assert.deepEqual(problems, [
      'NodePool a: spec.disruption.expireAfter must be a duration such as "1h30m", or "Never", found "30d".',
      'NodePool a: spec.disruption.consolidationPolicy must be one of WhenUnderutilized, WhenEmptyOrUnderutilized, WhenEmpty, found "Sometimes".',
      "NodePool a: spec.template.spec.nodeClassRef.name must be a non-empty string, but is missing.",
    ]);
  });
});

describe("a NodeClaim of v1beta1", () => {
  it("keeps what it asks for", () => {
    const requirements = [{ key: "karpenter.sh/nodepool", operator: "In", values: ["a"] }];
    const spec = { nodeClassRef, requirements, resources: { requests: { cpu: "1" } } };
    const wire = { apiVersion: "karpenter.sh/v1beta1", kind: "NodeClaim", metadata: { name: "a-1" }, spec };
    assert.deepEqual(convert(wire).objects, [
      {
        apiVersion: "karpenter.sh/v1",
        kind: "NodeClaim",
        metadata: { name: "a-1" },
        spec: { nodeClassRef: ref, requirements, resources: { requests: { cpu: "1" } }, expireAfter: "Never" },
      },
    ]);
  });
});

describe("an EC2NodeClass of v1beta1", () => {
  const options = {
    httpEndpoint: "enabled",
    httpProtocolIPv6: "disabled",
    httpPutResponseHopLimit: 2,
    httpTokens: "required",
  };

  it("has an alias for its family, and the hop limit that it had", () => {
    assert.deepEqual(convert(nodeClass({})).specs, [
      {
        amiSelectorTerms: [{ alias: "al2023@latest" }],
        subnetSelectorTerms: [{ id: "subnet-1" }],
        securityGroupSelectorTerms: [{ name: "workers" }],
        role: "nodes",
        metadataOptions: options,
      },
    ]);
  });

  it("keeps its own images, with their family", () => {
    const amiSelectorTerms = [{ name: "a", owner: "self" }, { id: "ami-1" }];
    const { amiFamily, amiSelectorTerms: terms } = convert(nodeClass({ amiSelectorTerms })).specs[0] ?? {};
    assert.deepEqual([amiFamily, terms], ["AL2023", amiSelectorTerms]);
  });

  it("of Ubuntu joins as AL2 does", () => {
    const [spec] = convert(nodeClass({ amiFamily: "Ubuntu", amiSelectorTerms: [{ id: "ami-1" }] })).specs;
    assert.deepEqual(
      [spec?.amiFamily, spec?.blockDeviceMappings],
      [
        "AL2",
        [
          {
            deviceName: "/dev/sda1",
            rootVolume: true,
            ebs: { volumeSize: "20Gi", volumeType: "gp3", encrypted: true },
          },
        ],
      ],
    );
  });

  it("fills in the metadata options that it leaves out, as its schema did", () => {
    const [spec] = convert(nodeClass({ metadataOptions: { httpTokens: "optional" } })).specs;
    assert.deepEqual(spec?.metadataOptions, { ...options, httpTokens: "optional" });
  });

  it("keeps everything else", () => {
    const kept = {
      userData: "x",
      tags: { a: "b" },
      detailedMonitoring: true,
      context: "c",
      associatePublicIPAddress: false,
      instanceStorePolicy: "RAID0",
      blockDeviceMappings: [{ deviceName: "/dev/xvda", rootVolume: true, ebs: { volumeSize: "100Gi" } }],
    };
    const { metadataOptions: _, role: __, ...spec } = convert(nodeClass(kept)).specs[0] ?? {};
    assert.deepEqual(spec, {
      ...kept,
      amiSelectorTerms: [{ alias: "al2023@latest" }],
      subnetSelectorTerms: [{ id: "subnet-1" }],
      securityGroupSelectorTerms: [{ name: "workers" }],
    });
  });

  it("says what means something else now", () => {
    assert.deepEqual(convert(nodeClass({ userData: "x" })).notes, [
      "EC2NodeClass a: spec.tags aside, machines have the tag eks:eks-cluster-name in place of karpenter.sh/managed-by: correct policies of IAM that look at it.",
      "EC2NodeClass a: spec.associatePublicIPAddress was false where all subnets are private, and is what the subnet says now: write false to be sure.",
      "EC2NodeClass a: spec.userData gives way to what Karpenter says, where both have something in a NodeConfig.",
      "EC2NodeClass a: spec.amiFamily is the alias al2023@latest of amiSelectorTerms now.",
      "EC2NodeClass a: spec.metadataOptions had a hop limit of 2 by default, which is written out; 1, the default now, keeps pods from the machine's credentials.",
    ]);
  });
});
