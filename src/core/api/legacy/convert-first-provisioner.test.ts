import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeProblem } from "../problem.ts";
import { readNodePool } from "../read-node-pool.ts";
import { convertManifests } from "./convert-manifests.ts";
import type { ConvertOptions } from "./convert-options.ts";

const zone = "topology.kubernetes.io/zone";
const instanceType = "node.kubernetes.io/instance-type";
const arch = "kubernetes.io/arch";
const os = "kubernetes.io/os";
const capacityType = "karpenter.sh/capacity-type";
const isIn = (key: string, ...values: string[]) => ({ key, operator: "In", values });

interface Pool {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: { readonly metadata?: object; readonly spec: { readonly requirements: readonly object[] } };
    readonly weight?: number;
  };
}

function convert(apiVersion: string, spec: object, options: Partial<ConvertOptions> = {}) {
  const wire = { apiVersion, kind: "Provisioner", metadata: { name: "a" }, spec };
  const { objects, notes, problems } = convertManifests([wire], { clusterName: "demo", ...options });
  const ofKind = (kind: string) => objects.filter((object) => (object as { kind: string }).kind === kind);
  return {
    pools: ofKind("NodePool") as Pool[],
    classes: ofKind("EC2NodeClass") as { metadata: { name: string }; spec: Record<string, unknown> }[],
    notes: notes.map(describeProblem),
    problems: problems.map(describeProblem),
  };
}

/** The requirements of each pool, and which of them give way to pods. */
function machinesOf(spec: object, apiVersion = "provisioning.karpenter.sh/v1alpha1") {
  const { pools, problems } = convert(apiVersion, spec);
  assert.deepEqual(problems, []);
  return pools.map((pool) => {
    const read = readNodePool(pool, []);
    assert.deepEqual(read.problems, undefined);
    const keys = read.problems === undefined ? [...read.value.defaultKeys] : [];
    return [pool.metadata.name, pool.spec.template.spec.requirements, keys];
  });
}

const defaults = [isIn(os, "linux"), isIn(arch, "amd64"), isIn(capacityType, "on-demand")];
const keys = (...requirements: readonly { key: string }[]) => requirements.map(({ key }) => key);

describe("a Provisioner before v1alpha5", () => {
  for (const apiVersion of [
    "provisioning.karpenter.sh/v1alpha1",
    "provisioning.karpenter.sh/v1alpha2",
    "karpenter.sh/v1alpha3",
    "karpenter.sh/v1alpha4",
  ]) {
    it(`of ${apiVersion} buys ordinary machines unless a pod wants others`, () => {
      assert.deepEqual(machinesOf({}, apiVersion), [["a", defaults, keys(...defaults)]]);
    });
  }

  it("has lists that give way to what a pod selects", () => {
    const spec = {
      zones: ["us-east-1a"],
      instanceTypes: ["m5.large"],
      architecture: "arm64",
      operatingSystem: "windows",
    };
    const expected = [
      isIn(zone, "us-east-1a"),
      isIn(instanceType, "m5.large"),
      isIn(arch, "arm64"),
      isIn(os, "windows"),
      isIn(capacityType, "on-demand"),
    ];
    assert.deepEqual(machinesOf(spec), [["a", expected, keys(...expected)]]);
  });

  it("has lists of architectures and systems, and capacity types of its provider", () => {
    const spec = {
      architectures: ["amd64", "arm64"],
      operatingSystems: ["linux"],
      provider: { instanceProfile: "p", capacityTypes: ["spot", "on-demand"] },
    };
    const expected = [isIn(arch, "amd64", "arm64"), isIn(os, "linux"), isIn(capacityType, "spot", "on-demand")];
    assert.deepEqual(machinesOf(spec, "karpenter.sh/v1alpha4"), [["a", expected, keys(...expected)]]);
  });

  it("takes requirements as they are, and they do not give way", () => {
    const spec = { requirements: [isIn("node.k8s.aws/capacity-type", "spot"), isIn(arch, "arm64")] };
    assert.deepEqual(machinesOf(spec, "karpenter.sh/v1alpha4"), [
      ["a", [isIn(capacityType, "spot"), isIn(arch, "arm64"), isIn(os, "linux")], [os]],
    ]);
  });

  it("may have its constraints under that name, as a map or as a list", () => {
    const expected = [
      isIn("topology.kubernetes.io/region", "us-west-2"),
      isIn(zone, "us-west-2a", "us-west-2b"),
      isIn(instanceType, "m5.large"),
      ...defaults,
    ];
    const constraints = { region: "us-west-2", zones: ["a", "us-west-2b"], instanceTypes: ["m5.large"] };
    for (const spec of [
      { constraints },
      { constraints: [constraints] },
      { constraints: [{ ...constraints, type: "aws" }] },
      { constraints: [{ type: "zones", zones: ["a", "b"] }, { region: "us-west-2" }, { instanceTypes: ["m5.large"] }] },
    ]) {
      assert.deepEqual(machinesOf(spec), [["a", expected, keys(...expected.slice(1))]]);
    }
  });

  it("becomes several pools where its constraints are alternatives, the first with the most weight", () => {
    const constraints = [
      { type: "spot", instanceTypes: ["c5.large"] },
      { type: "on-demand", instanceTypes: ["m5.large"] },
    ];
    const { pools } = convert("provisioning.karpenter.sh/v1alpha1", { constraints, labels: { team: "a" } });
    assert.deepEqual(
      pools.map(({ metadata, spec }) => [
        metadata.name,
        spec.weight,
        spec.template.metadata,
        spec.template.spec.requirements.slice(0, 2),
      ]),
      [
        ["a", 2, { labels: { team: "a" } }, [isIn(instanceType, "c5.large"), isIn(capacityType, "spot")]],
        ["a-2", 1, { labels: { team: "a" } }, [isIn(instanceType, "m5.large"), isIn(capacityType, "on-demand")]],
      ],
    );
  });

  it("chooses machines, subnets and security groups by labels", () => {
    const labels = {
      team: "a",
      [arch]: "arm64",
      "node.k8s.aws/capacity-type": "spot",
      "node.k8s.aws/subnet-name": "private",
      "node.k8s.aws/security-group-tag-key": "workers",
    };
    const { pools, classes } = convert("karpenter.sh/v1alpha3", { labels });
    assert.deepEqual(pools[0]?.spec.template.metadata, { labels: { team: "a" } });
    assert.deepEqual(pools[0]?.spec.template.spec.requirements, [
      isIn(arch, "arm64"),
      isIn(capacityType, "spot"),
      isIn(os, "linux"),
    ]);
    assert.deepEqual(
      [classes[0]?.spec.subnetSelectorTerms, classes[0]?.spec.securityGroupSelectorTerms],
      [[{ tags: { Name: "private" } }], [{ tags: { workers: "*" } }]],
    );
  });

  it("has labels that choose among its lists, and tells of those that the lists exclude", () => {
    const lists = {
      architectures: ["amd64", "arm64"],
      zones: ["us-west-2a"],
      requirements: [isIn(capacityType, "spot")],
    };
    const labels = { [arch]: "arm64", "failure-domain.beta.kubernetes.io/zone": "us-west-2b", [capacityType]: "spot" };
    const { pools, notes } = convert("karpenter.sh/v1alpha4", { ...lists, labels });
    assert.deepEqual(pools[0]?.spec.template.spec.requirements, [
      isIn(capacityType, "spot"),
      isIn(zone, "us-west-2a"),
      isIn(arch, "arm64"),
      isIn(os, "linux"),
    ]);
    assert.deepEqual(
      notes.filter((note) => /chooses|says otherwise/.test(note)),
      [
        'Provisioner a: spec.labels["kubernetes.io/arch"] chooses arm64 among amd64, arm64.',
        'Provisioner a: spec.labels["failure-domain.beta.kubernetes.io/zone"] is left out: what else there is about topology.kubernetes.io/zone says otherwise, or the same.',
        'Provisioner a: spec.labels["karpenter.sh/capacity-type"] is left out: what else there is about karpenter.sh/capacity-type says otherwise, or the same.',
      ],
    );
  });

  it("finds the cluster that it names, unless another is given", () => {
    const terms = (name: string) => [
      { tags: { "karpenter.sh/discovery": name } },
      { tags: { [`kubernetes.io/cluster/${name}`]: "*" } },
    ];
    const cluster = { name: "own", endpoint: "https://own", caBundle: "x" };
    const subnets = (spec: object, clusterName: string | undefined) =>
      convert("karpenter.sh/v1alpha4", spec, { clusterName }).classes[0]?.spec.subnetSelectorTerms;
    assert.deepEqual(subnets({ cluster }, undefined), terms("own"));
    assert.deepEqual(subnets({ provider: { cluster } }, undefined), terms("own"));
    assert.deepEqual(subnets({ cluster }, "demo"), terms("demo"));
  });

  it("is refused where it cannot be understood", () => {
    const problems = [
      { zones: ["a"] },
      { constraints: 7 },
      { constraints: [7] },
      { labels: { "node.k8s.aws/launch-template-id": "lt-1" } },
      { instanceTypes: { a: "b" } },
    ].map((spec) => convert("provisioning.karpenter.sh/v1alpha1", spec).problems);
    assert.deepEqual(problems, [
      ["Provisioner a: spec.zones[0] must be the whole name of a zone, such as us-west-2a, or go with a region."],
      ["Provisioner a: spec.constraints must be an object, found 7."],
      ["Provisioner a: spec.constraints[0] must be an object, found 7."],
      [
        'Provisioner a: spec.labels["node.k8s.aws/launch-template-id"] must not be set: launch templates of one\'s own are gone. Write what it says in a node class, and remove the label.',
      ],
      ["Provisioner a: spec.instanceTypes must be a list, found an object."],
    ]);
  });
});
