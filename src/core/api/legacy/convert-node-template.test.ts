import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeProblem } from "../problem.ts";
import { convertManifests } from "./convert-manifests.ts";
import type { ConvertOptions } from "./convert-options.ts";

const basics = { subnetSelector: { a: "b" }, securityGroupSelector: { a: "b" }, instanceProfile: "nodes" };

function convert(spec: object, options: Partial<ConvertOptions> = {}) {
  const wire = { apiVersion: "karpenter.k8s.aws/v1alpha1", kind: "AWSNodeTemplate", metadata: { name: "a" }, spec };
  const { objects, notes, problems } = convertManifests([wire], { clusterName: "demo", ...options });
  return {
    objects,
    dropped: notes.filter(({ kind }) => kind === "dropped").map(describeProblem),
    problems: problems.map(describeProblem),
  };
}

type Spec = Readonly<Record<string, unknown>>;

/** What becomes of these fields, beside what a node class needs at least. */
function classOf(spec: object, options: Partial<ConvertOptions> = {}): Spec {
  const { objects, problems } = convert({ ...basics, ...spec }, options);
  assert.deepEqual(problems, []);
  return (objects[0] as { spec: Spec }).spec;
}

const hopLimit2 = {
  httpEndpoint: "enabled",
  httpProtocolIPv6: "disabled",
  httpPutResponseHopLimit: 2,
  httpTokens: "required",
};

describe("an AWSNodeTemplate", () => {
  it("that says little has the AMI family and the metadata options that it had", () => {
    assert.deepEqual(classOf({}), {
      amiSelectorTerms: [{ alias: "al2@latest" }],
      subnetSelectorTerms: [{ tags: { a: "b" } }],
      securityGroupSelectorTerms: [{ tags: { a: "b" } }],
      instanceProfile: "nodes",
      metadataOptions: hopLimit2,
    });
  });

  it("that says nothing has what carries the cluster's tags, and its role", () => {
    const { objects, problems } = convert({});
    const terms = [{ tags: { "karpenter.sh/discovery": "demo" } }, { tags: { "kubernetes.io/cluster/demo": "*" } }];
    assert.deepEqual(problems, []);
    assert.deepEqual((objects[0] as { spec: Spec }).spec, {
      amiSelectorTerms: [{ alias: "al2@latest" }],
      subnetSelectorTerms: terms,
      securityGroupSelectorTerms: terms,
      role: "KarpenterNodeRole-demo",
      metadataOptions: hopLimit2,
    });
  });

  it("asks for the cluster's name only where it needs it", () => {
    assert.deepEqual(convert(basics, { clusterName: undefined }).problems, []);
    assert.deepEqual(convert({}, { clusterName: undefined }).problems, [
      "AWSNodeTemplate a: spec.subnetSelector must be set unless the name of the cluster is known: give that, or select by tags or ids.",
      "AWSNodeTemplate a: spec.securityGroupSelector must be set unless the name of the cluster is known: give that, or select by tags or ids.",
      "AWSNodeTemplate a: spec.instanceProfile must be set unless the name of the cluster is known: give that, or name an instance profile.",
    ]);
  });

  const selectors: readonly (readonly [string, object, readonly object[]])[] = [
    ["all tags of a selector in one term", { a: "b", c: "d" }, [{ tags: { a: "b", c: "d" } }]],
    ["any value for an empty one", { a: "" }, [{ tags: { a: "*" } }]],
    ["any value for a star", { a: "*" }, [{ tags: { a: "*" } }]],
    ["a term for each alternative", { a: "b,c", d: "e" }, [{ tags: { a: "b", d: "e" } }, { tags: { a: "c", d: "e" } }]],
    ["a term for each id", { "aws-ids": "subnet-1, subnet-2" }, [{ id: "subnet-1" }, { id: "subnet-2" }]],
    ["a term for each id, with colons", { "aws::ids": "subnet-1" }, [{ id: "subnet-1" }]],
  ];
  for (const [title, selector, terms] of selectors) {
    it(`has ${title}`, () => assert.deepEqual(classOf({ subnetSelector: selector }).subnetSelectorTerms, terms));
  }

  const images: readonly (readonly [object, object])[] = [
    [{ amiFamily: "AL2" }, { amiSelectorTerms: [{ alias: "al2@latest" }] }],
    [{ amiFamily: "Bottlerocket" }, { amiSelectorTerms: [{ alias: "bottlerocket@latest" }] }],
    [{ amiFamily: "Windows2019" }, { amiSelectorTerms: [{ alias: "windows2019@latest" }] }],
    [{ amiFamily: "Windows2022" }, { amiSelectorTerms: [{ alias: "windows2022@latest" }] }],
    [
      { amiSelector: { "aws-ids": "ami-1,ami-2" } },
      { amiFamily: "AL2", amiSelectorTerms: [{ id: "ami-1" }, { id: "ami-2" }] },
    ],
    [
      { amiFamily: "Bottlerocket", amiSelector: { "aws::name": "mine-*" } },
      { amiFamily: "Bottlerocket", amiSelectorTerms: [{ name: "mine-*" }] },
    ],
    [
      { amiFamily: "Custom", amiSelector: { stage: "live" } },
      {
        amiFamily: "Custom",
        amiSelectorTerms: [
          { tags: { stage: "live" }, owner: "self" },
          { tags: { stage: "live" }, owner: "amazon" },
        ],
      },
    ],
    [
      { amiSelector: { "aws::name": "a,b", "aws::owners": "self,123456789012", stage: "live" } },
      {
        amiFamily: "AL2",
        amiSelectorTerms: ["self", "123456789012"].flatMap((owner) =>
          ["a", "b"].map((name) => ({ tags: { stage: "live" }, name, owner })),
        ),
      },
    ],
  ];
  for (const [spec, expected] of images) {
    it(`finds the images of ${JSON.stringify(spec)}`, () => {
      const { amiFamily, amiSelectorTerms } = classOf(spec);
      assert.deepEqual({ ...(amiFamily === undefined ? {} : { amiFamily }), amiSelectorTerms }, expected);
    });
  }

  it("of AL2 is one of AL2023 where there are no images of AL2, unless its user data are of AL2", () => {
    const alias = (spec: object, kubernetesVersion: string) => classOf(spec, { kubernetesVersion }).amiSelectorTerms;
    assert.deepEqual(alias({}, "1.32"), [{ alias: "al2@latest" }]);
    assert.deepEqual(alias({}, "1.33"), [{ alias: "al2023@latest" }]);
    assert.deepEqual(alias({ amiFamily: "AL2" }, "v1.36.3"), [{ alias: "al2023@latest" }]);
    assert.deepEqual(alias({ userData: "#!/bin/sh" }, "1.36"), [{ alias: "al2@latest" }]);
  });

  it("of Ubuntu joins as AL2 does, from Canonical's images, with its root volume written out", () => {
    const ubuntu = { amiFamily: "Ubuntu" };
    const { amiFamily, amiSelectorTerms, blockDeviceMappings } = classOf(ubuntu, { kubernetesVersion: "1.29" });
    const parameter = (architecture: string) => ({
      ssmParameter: `/aws/service/canonical/ubuntu/eks/20.04/1.29/stable/current/${architecture}/hvm/ebs-gp2/ami-id`,
    });
    assert.deepEqual(
      { amiFamily, amiSelectorTerms, blockDeviceMappings },
      {
        amiFamily: "AL2",
        amiSelectorTerms: [parameter("amd64"), parameter("arm64")],
        blockDeviceMappings: [
          {
            deviceName: "/dev/sda1",
            rootVolume: true,
            ebs: { volumeSize: "20Gi", volumeType: "gp3", encrypted: true },
          },
        ],
      },
    );
    const newer = ["1.31", "1.36"].map((kubernetesVersion) => classOf(ubuntu, { kubernetesVersion }).amiSelectorTerms);
    assert.deepEqual(
      newer.map((terms) => (terms as object[])[0]),
      [
        { ssmParameter: "/aws/service/canonical/ubuntu/eks/22.04/1.31/stable/current/amd64/hvm/ebs-gp2/ami-id" },
        { ssmParameter: "/aws/service/canonical/ubuntu/eks/24.04/1.36/stable/current/amd64/hvm/ebs-gp3/ami-id" },
      ],
    );
    assert.deepEqual(convert({ ...basics, ...ubuntu }).problems, [
      "AWSNodeTemplate a: spec.amiFamily must not be Ubuntu without a selector of images or the version of Kubernetes, which its images depend on.",
    ]);
  });

  it("has the metadata options that EC2 chose where it gave some", () => {
    const options = (metadataOptions: object) => classOf({ metadataOptions }).metadataOptions;
    assert.deepEqual(options({}), { ...hopLimit2, httpPutResponseHopLimit: 1, httpTokens: "optional" });
    const all = {
      httpEndpoint: "disabled",
      httpProtocolIPv6: "enabled",
      httpPutResponseHopLimit: 64,
      httpTokens: "required",
    };
    assert.deepEqual(options(all), all);
  });

  it("writes sizes of volumes as they are written now", () => {
    const sizes = ["100Gi", "20G", "1Ti", "64T", "102400Mi", "0.5Ti", 107_374_182_400, "1500M"];
    const mappings = sizes.map((volumeSize) => ({ deviceName: "/dev/xvda", ebs: { volumeSize } }));
    const { blockDeviceMappings } = classOf({ blockDeviceMappings: mappings });
    assert.deepEqual(
      (blockDeviceMappings as { ebs: { volumeSize: string } }[]).map(({ ebs }) => ebs.volumeSize),
      ["100Gi", "20G", "1Ti", "64T", "100Gi", "512Gi", "100Gi", "2Gi"],
    );
  });

  it("keeps user data, tags, monitoring, context and all that a volume may be", () => {
    const kept = {
      userData: "echo",
      tags: { team: "a" },
      detailedMonitoring: false,
      context: "c",
      blockDeviceMappings: [
        {
          deviceName: "/dev/xvda",
          ebs: {
            deleteOnTermination: false,
            encrypted: true,
            iops: 1,
            kmsKeyID: "k",
            snapshotID: "s",
            throughput: 2,
            volumeSize: "1Gi",
            volumeType: "io2",
          },
        },
      ],
    };
    const { userData, tags, detailedMonitoring, context, blockDeviceMappings } = classOf(kept);
    assert.deepEqual({ userData, tags, detailedMonitoring, context, blockDeviceMappings }, kept);
  });

  it("names what has no equivalent", () => {
    const blockDeviceMappings = [{ deviceName: "/dev/sdb", virtualName: "ephemeral0" }];
    const amiSelector = { "aws-ids": "ami-1", stage: "live" };
    assert.deepEqual(convert({ ...basics, blockDeviceMappings, amiSelector, role: "a" }).dropped, [
      "AWSNodeTemplate a: spec.role is no field of AWSNodeTemplate, and is left out: correct its name, or remove it.",
      "AWSNodeTemplate a: spec.amiSelector had more than ids, which say all now: what else there is is left out.",
      "AWSNodeTemplate a: spec.blockDeviceMappings[0].virtualName is left out: disks of the machine are set up with instanceStorePolicy now.",
    ]);
  });

  it("is refused where it cannot be converted", () => {
    const many = Array.from({ length: 31 }, (_, index) => `v${index}`).join(",");
    const refusals = [
      { launchTemplate: "mine" },
      { amiFamily: "Custom" },
      { amiFamily: "Debian" },
      { amiSelector: { "aws::owners": "self" } },
      { subnetSelector: { "aws-ids": "subnet-1", a: "b" } },
      { subnetSelector: { a: many } },
      { subnetSelector: { a: 7 } },
      { blockDeviceMappings: [{ ebs: { volumeSize: "100" } }] },
      { metadataOptions: { httpPutResponseHopLimit: 65 } },
      { tags: ["a"] },
    ].map((spec) => convert({ ...basics, ...spec }));
    assert.deepEqual(
      refusals.map(({ objects }) => objects.length),
      refusals.map(() => 0),
    );
    assert.deepEqual(
      refusals.flatMap(({ problems }) => problems),
      [
        "AWSNodeTemplate a: spec.launchTemplate must not be set: launch templates of one's own are gone. Write what it says as amiSelector, securityGroupSelector, userData, blockDeviceMappings and metadataOptions instead.",
        "AWSNodeTemplate a: spec.amiFamily must not be Custom without a selector of images: add one, or name another family.",
        'AWSNodeTemplate a: spec.amiFamily must be one of AL2, AL2023, Bottlerocket, Ubuntu, Windows2019, Windows2022, Windows2025, Custom, found "Debian".',
        "AWSNodeTemplate a: spec.amiSelector must select images by more than their owners: add aws::name, aws::ids or tags.",
        "AWSNodeTemplate a: spec.subnetSelector must have either ids or tags: remove one of them.",
        "AWSNodeTemplate a: spec.subnetSelector must not have more than 30 combinations of values: list ids, or give what is meant one tag.",
        "AWSNodeTemplate a: spec.subnetSelector.a must be a string, found 7.",
        'AWSNodeTemplate a: spec.blockDeviceMappings[0].ebs.volumeSize must be a size from 1G to 64T such as "100Gi", found "100".',
        "AWSNodeTemplate a: spec.metadataOptions.httpPutResponseHopLimit must be a whole number from 1 to 64, found 65.",
        "AWSNodeTemplate a: spec.tags must be an object, found a list.",
      ],
    );
  });
});
