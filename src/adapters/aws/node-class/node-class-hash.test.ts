import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Condition } from "../../../core/model/condition.ts";
import type { Ec2NodeClass } from "./ec2-node-class.ts";
import { isOfOldNodeClass, nodeClassHash, nodeClassHashAnnotations, restampClaim } from "./node-class-hash.ts";
import { readEc2NodeClass } from "./read-node-class.ts";

const spec = {
  subnetSelectorTerms: [{ id: "subnet-1" }],
  securityGroupSelectorTerms: [{ id: "sg-1" }],
  amiSelectorTerms: [{ alias: "al2023@latest" }],
  role: "nodes",
  tags: { a: "1", b: "2" },
  kubelet: { maxPods: 42, clusterDNS: ["10.0.0.1", "10.0.0.2"] },
  blockDeviceMappings: [
    { deviceName: "/dev/xvda", ebs: { volumeSize: "4Gi" } },
    { deviceName: "/dev/xvdb", ebs: { volumeSize: "100Gi" } },
  ],
};

function nodeClass(changes: object = {}): Ec2NodeClass {
  const result = readEc2NodeClass({ metadata: { name: "default" }, spec: { ...spec, ...changes } });
  assert.deepEqual(result.problems, undefined);
  return (result as { value: Ec2NodeClass }).value;
}

const facts = { caBundle: "Y2E=" };
const hash = (changes: object = {}): string => nodeClassHash(nodeClass(changes), facts);

describe("nodeClassHash", () => {
  const same: [string, object][] = [
    ["subnets", { subnetSelectorTerms: [{ id: "subnet-2" }] }],
    ["security groups", { securityGroupSelectorTerms: [{ id: "sg-2" }] }],
    ["the version of the alias", { amiSelectorTerms: [{ alias: "al2023@v20240807" }] }],
    ["images of the same family", { amiSelectorTerms: [{ id: "ami-1" }], amiFamily: "AL2023" }],
    ["capacity reservations", { capacityReservationSelectorTerms: [{ id: "cr-1" }] }],
    ["prefixes", { ipPrefixCount: 3 }],
    ["the order of tags", { tags: { b: "2", a: "1" } }],
    ["the order of volumes", { blockDeviceMappings: spec.blockDeviceMappings.toReversed() }],
    ["the order of kubelet settings", { kubelet: { clusterDNS: ["10.0.0.1", "10.0.0.2"], maxPods: 42 } }],
    [
      "how a size is written",
      {
        blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: "4096Mi" } }, spec.blockDeviceMappings[1]],
      },
    ],
    ["defaults that are written out", { metadataOptions: { httpTokens: "required" }, detailedMonitoring: false }],
    ["what says nothing", { userData: "", context: "", cpuOptions: {}, networkInterfaces: [] }],
  ];
  for (const [what, changes] of same) {
    it(`is the same whatever ${what} may be`, () => assert.equal(hash(changes), hash()));
  }

  const others: object[] = [
    { amiFamily: "Custom" },
    { placementGroupSelector: { name: "a" } },
    { placementGroupSelector: { id: "a" } },
    { associatePublicIPAddress: true },
    { associatePublicIPAddress: false },
    { userData: "a" },
    { role: "b" },
    { role: undefined, instanceProfile: "nodes" },
    { tags: {} },
    { tags: { a: "1", b: "" } },
    { tags: { a: "2", b: "1" } },
    { kubelet: undefined },
    { kubelet: {} },
    { kubelet: { ...spec.kubelet, cpuCFSQuota: false } },
    { kubelet: { ...spec.kubelet, clusterDNS: spec.kubelet.clusterDNS.toReversed() } },
    { blockDeviceMappings: [] },
    { blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: "4Gi", encrypted: false } }] },
    { instanceStorePolicy: "RAID0" },
    { networkInterfaces: [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" }] },
    { detailedMonitoring: true },
    { metadataOptions: { httpTokens: "optional" } },
    { connectionTracking: { udpTimeout: 30 } },
    { context: "a" },
    { cpuOptions: { nestedVirtualization: "disabled" } },
  ];
  it("differs with everything else", () => {
    const hashes = [hash(), ...others.map(hash), nodeClassHash(nodeClass(), { caBundle: "Y2I=" })];
    assert.equal(new Set(hashes).size, hashes.length);
  });

  it("stays as it is from one version to the next, so that an update drifts nothing", () => {
    assert.equal(hash(), "16420452708220220172");
  });
});

const drifted: Condition = {
  type: "Drifted",
  status: "True",
  reason: "Drifted",
  message: "",
  lastTransitionTime: 0,
  observedGeneration: 1,
};
const hashKey = "karpenter.k8s.aws/ec2nodeclass-hash";
const versionKey = "karpenter.k8s.aws/ec2nodeclass-hash-version";
const stamped = (own: string, version = "ts1") => ({
  annotations: new Map([
    [hashKey, own],
    [versionKey, version],
  ]),
  conditions: [],
});

describe("restampClaim", () => {
  it("leaves a claim alone that bears a hash of ours, whatever it is", () => {
    assert.equal(restampClaim(stamped("1"), "2"), undefined);
  });

  it("gives a claim of the Go version, or of nobody, the present hash", () => {
    assert.deepEqual(restampClaim(stamped("1", "v6"), "2"), { [hashKey]: "2", [versionKey]: "ts1" });
    assert.deepEqual(restampClaim({ annotations: new Map(), conditions: [] }, "2"), nodeClassHashAnnotations("2"));
  });

  it("keeps the old hash of a claim that has drifted", () => {
    assert.deepEqual(restampClaim({ ...stamped("1", "v6"), conditions: [drifted] }, "2"), { [versionKey]: "ts1" });
  });
});

describe("isOfOldNodeClass", () => {
  const cases: [string, { annotations: Map<string, string> }, { annotations: Map<string, string> }, boolean][] = [
    ["the same hash", stamped("1"), stamped("1"), false],
    ["another hash", stamped("1"), stamped("2"), true],
    ["another hash, both of the Go version", stamped("1", "v6"), stamped("2", "v6"), true],
    ["a claim of the Go version", stamped("1", "v6"), stamped("2"), false],
    ["a node class of the Go version", stamped("1"), stamped("2", "v6"), false],
    ["a claim without a hash", { annotations: new Map([[versionKey, "ts1"]]) }, stamped("2"), false],
    ["a claim without anything", { annotations: new Map() }, stamped("2"), false],
    ["nothing at all", { annotations: new Map() }, { annotations: new Map() }, false],
  ];
  for (const [what, claim, owner, expected] of cases) {
    it(`is ${expected} for ${what}`, () => assert.equal(isOfOldNodeClass(claim, owner), expected));
  }
});
