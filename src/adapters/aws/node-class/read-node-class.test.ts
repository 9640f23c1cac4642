import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { describeProblem } from "../../../core/api/problem.ts";
import type { Ec2NodeClass } from "./ec2-node-class.ts";
import { readEc2NodeClass } from "./read-node-class.ts";

const terms = {
  subnetSelectorTerms: [{ tags: { "karpenter.sh/discovery": "web" } }],
  securityGroupSelectorTerms: [{ id: "sg-1" }, { name: "web" }],
  amiSelectorTerms: [{ alias: "al2023@latest" }],
};
const small = { metadata: { name: "default", uid: "u" }, spec: { ...terms, role: "nodes" } };

/** Something in every field. */
const large = {
  metadata: {
    ...small.metadata,
    generation: 3,
    annotations: { a: "b" },
    finalizers: ["karpenter.k8s.aws/termination"],
  },
  spec: {
    ...terms,
    amiFamily: "Custom",
    instanceProfile: "nodes",
    capacityReservationSelectorTerms: [{ tags: { a: "b" }, ownerID: "012345678901", instanceMatchCriteria: "open" }],
    placementGroupSelector: { name: "web" },
    associatePublicIPAddress: false,
    ipPrefixCount: 2,
    userData: "#!/bin/sh",
    tags: { team: "web" },
    kubelet: { maxPods: 42 },
    blockDeviceMappings: [{ deviceName: "/dev/xvda", rootVolume: true, ebs: { volumeSize: "100Gi", encrypted: true } }],
    instanceStorePolicy: "RAID0",
    networkInterfaces: [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" }],
    detailedMonitoring: true,
    metadataOptions: { httpTokens: "optional", httpPutResponseHopLimit: 2 },
    connectionTracking: { udpTimeout: 30 },
    context: "c",
    cpuOptions: { nestedVirtualization: "enabled" },
  },
  status: {
    subnets: [{ id: "subnet-1", zone: "us-west-2a", zoneID: "usw2-az1" }],
    securityGroups: [{ id: "sg-1", name: "web" }],
    amis: [{ id: "ami-1", requirements: [{ key: "kubernetes.io/arch", operator: "In", values: ["amd64"] }] }],
    capacityReservations: [
      {
        id: "cr-1",
        ownerID: "012345678901",
        instanceType: "m5.large",
        availabilityZone: "us-west-2a",
        instanceMatchCriteria: "targeted",
        endTime: "2026-01-31T12:00:00Z",
      },
    ],
    instanceProfile: "nodes",
    conditions: [{ type: "Ready", status: "True", reason: "Ready", message: "", observedGeneration: 3 }],
  },
};

function read(wire: unknown): Ec2NodeClass {
  const result = readEc2NodeClass(wire);
  assert.deepEqual(result.problems?.map(describeProblem), undefined);
  return (result as { value: Ec2NodeClass }).value;
}

function problemsOf(wire: unknown): string[] {
  return (readEc2NodeClass(wire).problems ?? []).map(describeProblem);
}

const withSpec = (spec: object) => ({ ...small, spec: { ...small.spec, ...spec } });

describe("readEc2NodeClass", () => {
  it("gives what says next to nothing its defaults", () => {
    assert.deepEqual(read(small), {
      name: "default",
      uid: "u",
      resourceVersion: "",
      generation: 0,
      createdAt: 0,
      deletedAt: undefined,
      finalizers: [],
      annotations: new Map(),
      spec: {
        subnetSelectorTerms: [{ tags: new Map([["karpenter.sh/discovery", "web"]]), id: undefined }],
        securityGroupSelectorTerms: [
          { tags: new Map(), id: "sg-1", name: undefined },
          { tags: new Map(), id: undefined, name: "web" },
        ],
        capacityReservationSelectorTerms: [],
        placementGroupSelector: undefined,
        associatePublicIPAddress: undefined,
        ipPrefixCount: undefined,
        amiSelectorTerms: [
          {
            tags: new Map(),
            id: undefined,
            alias: "al2023@latest",
            name: undefined,
            owner: undefined,
            ssmParameter: undefined,
          },
        ],
        amiFamily: "AL2023",
        userData: undefined,
        role: "nodes",
        instanceProfile: undefined,
        tags: new Map(),
        kubelet: undefined,
        blockDeviceMappings: [],
        instanceStorePolicy: undefined,
        networkInterfaces: [],
        detailedMonitoring: false,
        metadataOptions: {
          httpEndpoint: "enabled",
          httpProtocolIPv6: "disabled",
          httpPutResponseHopLimit: 1,
          httpTokens: "required",
        },
        connectionTracking: undefined,
        context: undefined,
        cpuOptions: undefined,
      },
      status: { subnets: [], securityGroups: [], amis: [], capacityReservations: [], instanceProfile: undefined },
      conditions: [],
    });
  });

  it("reads everything that can be said", () => {
    const { spec, status, conditions } = read(large);
    assert.deepEqual(
      [spec.amiFamily, spec.role, spec.instanceProfile, spec.associatePublicIPAddress, spec.ipPrefixCount],
      ["Custom", undefined, "nodes", false, 2],
    );
    assert.deepEqual(spec.blockDeviceMappings, [
      {
        deviceName: "/dev/xvda",
        rootVolume: true,
        ebs: {
          deleteOnTermination: undefined,
          encrypted: true,
          iops: undefined,
          kmsKeyID: undefined,
          snapshotID: undefined,
          throughput: undefined,
          volumeInitializationRate: undefined,
          volumeSize: 100 * 2 ** 30,
          volumeType: undefined,
        },
      },
    ]);
    assert.deepEqual(spec.metadataOptions, {
      httpEndpoint: "enabled",
      httpProtocolIPv6: "disabled",
      httpPutResponseHopLimit: 2,
      httpTokens: "optional",
    });
    assert.deepEqual(status.amis, [
      {
        id: "ami-1",
        name: undefined,
        deprecated: false,
        requirements: [{ key: "kubernetes.io/arch", operator: "In", values: ["amd64"], minValues: undefined }],
      },
    ]);
    assert.deepEqual(status.capacityReservations, [
      {
        id: "cr-1",
        ownerID: "012345678901",
        instanceType: "m5.large",
        availabilityZone: "us-west-2a",
        instanceMatchCriteria: "targeted",
        reservationType: "default",
        state: "active",
        interruptible: false,
        endTime: Date.parse("2026-01-31T12:00:00Z"),
      },
    ]);
    assert.deepEqual(
      conditions.map(({ type, status: value }) => [type, value]),
      [["Ready", "True"]],
    );
  });

  for (const [alias, family] of [
    ["al2@latest", "AL2"],
    ["bottlerocket@v1.20.3", "Bottlerocket"],
    ["windows2025@latest", "Windows2025"],
  ]) {
    it(`takes the family ${family} from the alias ${alias}`, () => {
      assert.equal(read(withSpec({ amiSelectorTerms: [{ alias }] })).spec.amiFamily, family);
    });
  }

  it("takes a status that makes no sense for none, because it will be written anew", () => {
    const { status, conditions } = read({ ...small, status: { subnets: [7], conditions: [{ type: "Ready" }] } });
    assert.deepEqual([status.subnets, conditions], [[], []]);
  });

  const wrong: [string, unknown, string[]][] = [
    [
      "no spec",
      { metadata: { name: "a" } },
      [
        "EC2NodeClass a: spec.amiSelectorTerms must have at least one term, and has none.",
        "EC2NodeClass a: spec.subnetSelectorTerms must have at least one term, and has none.",
        "EC2NodeClass a: spec.securityGroupSelectorTerms must have at least one term, and has none.",
        "EC2NodeClass a: spec.amiFamily must be set, because no alias in amiSelectorTerms tells it.",
        "EC2NodeClass a: spec must have either a role or an instanceProfile.",
      ],
    ],
    [
      "a term that says nothing",
      withSpec({ subnetSelectorTerms: [{ tags: {}, id: "" }] }),
      ["EC2NodeClass default: spec.subnetSelectorTerms[0] must say what it selects by, and says nothing."],
    ],
    [
      "images of an owner alone",
      withSpec({ amiFamily: "AL2", amiSelectorTerms: [{ owner: "self" }] }),
      ["EC2NodeClass default: spec.amiSelectorTerms[0] must say what it selects by, and says nothing."],
    ],
    [
      "an alias of no family",
      withSpec({ amiSelectorTerms: [{ alias: "custom@latest" }] }),
      ["EC2NodeClass default: spec.amiFamily must be set, because no alias in amiSelectorTerms tells it."],
    ],
    [
      "a role and a profile",
      withSpec({ instanceProfile: "b" }),
      ["EC2NodeClass default: spec must have either a role or an instanceProfile."],
    ],
    [
      "a volume of no size",
      withSpec({ blockDeviceMappings: [{ ebs: { volumeSize: "Ti" } }] }),
      ['EC2NodeClass default: spec.blockDeviceMappings[0].ebs.volumeSize must be a size such as 100Gi, found "Ti".'],
    ],
    [
      "too many terms",
      withSpec({ subnetSelectorTerms: Array.from({ length: 31 }, () => ({ id: "subnet-1" })) }),
      ["EC2NodeClass default: spec.subnetSelectorTerms must have at most 30 entries, found 31."],
    ],
    ["a list", [], ["EC2NodeClass without a name must be an object."]],
  ];
  for (const [what, wire, problems] of wrong) {
    it(`says what is wrong with ${what}`, () => assert.deepEqual(problemsOf(wire), problems));
  }

  it("reads or refuses whatever somebody puts anywhere, and never throws", () => {
    const garbage = fc.oneof(
      fc.constantFrom(null, undefined, 0, -1, 1e308, "", "a", true, [], {}, [[]], [null], "__proto__", "1Ti"),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.nat(), garbage, (seed, part) => {
        const paths = pathsIn(large);
        const wire = structuredClone(large);
        replaceAt(wire, paths[seed % paths.length] ?? [], part);
        const result = readEc2NodeClass(wire);
        for (const problem of result.problems ?? []) assert.ok(problem.message.length < 500);
      }),
      { numRuns: 500 },
    );
  });
});

type Path = readonly (string | number)[];

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [[...path, key], ...pathsIn(part, [...path, key])]);
}

function replaceAt(wire: unknown, path: Path, part: unknown): void {
  const parent = path.slice(0, -1).reduce((value: unknown, key) => (value as Record<string, unknown>)[key], wire);
  (parent as Record<string, unknown>)[path.at(-1) ?? ""] = part;
}
