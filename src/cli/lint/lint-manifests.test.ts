import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseAllDocuments } from "yaml";
import { loadInstanceTypes } from "../../adapters/kwok/load-instance-types.ts";
import { nearestWord } from "./finding.ts";
import { lintManifests } from "./lint-manifests.ts";

const instanceTypes = loadInstanceTypes({ builtIn: "aws" });

const nodeClass = `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  role: nodes
  amiSelectorTerms: [{alias: al2023@v20260101}]
  subnetSelectorTerms: [{tags: {team: web}}]
  securityGroupSelectorTerms: [{tags: {team: web}}]
`;

interface Fields {
  readonly name?: string;
  readonly spec?: string;
  readonly requirements?: string;
  readonly nodeClassRef?: string;
}

function pool({ name = "a", spec = "limits: {cpu: 100}", requirements = "[]", nodeClassRef = "" }: Fields): string {
  return `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: ${name}}
spec:
  ${spec}
  template:
    spec:
      nodeClassRef: {${nodeClassRef || "group: karpenter.k8s.aws, kind: EC2NodeClass, name: default"}}
      requirements: ${requirements}
`;
}

/** What is found, a line each: severity, path, and the fix where it tells more. */
function lint(...documents: readonly string[]): readonly string[] {
  const wires = parseAllDocuments(documents.join("---\n")).map((document) => document.toJS() as unknown);
  const { findings } = lintManifests(wires, { instanceTypes, isOfEc2: true, now: Date.UTC(2026, 0, 1) });
  return findings.map(
    ({ severity, object, path, message, fix }) => `${severity} ${object}: ${path} ${message} | ${fix}`,
  );
}

const requirement = (key: string, ...values: readonly string[]): string =>
  `[{key: ${key}, operator: In, values: [${values.join(", ")}]}]`;

describe("lint", () => {
  it("finds nothing wrong with a pool that works", () => {
    assert.deepEqual(
      lint(nodeClass, pool({ requirements: requirement("karpenter.k8s.aws/instance-category", "c") })),
      [],
    );
  });

  it("finds requirements that leave no machine, and the one at fault", () => {
    assert.deepEqual(lint(nodeClass, pool({ requirements: requirement("karpenter.k8s.aws/instance-category", "C") })), [
      "error NodePool a: spec.template.spec.requirements[0] lists the instance-category C, which no machine has | did you mean c?",
    ]);
    const [contradiction = ""] = lint(
      nodeClass,
      pool({
        requirements:
          "[{key: kubernetes.io/arch, operator: In, values: [arm64]}, {key: kubernetes.io/arch, operator: In, values: [amd64]}]",
      }),
    );
    assert.match(contradiction, /^error NodePool a: spec\.template\.spec\.requirements must not contradict each other/);
  });

  it("leaves to AWS what only an account knows: zones, reservations, and images of a class that is not there", () => {
    const open: readonly (readonly [string, string])[] = [
      ["topology.kubernetes.io/zone", "eu-west-1a"],
      ["topology.kubernetes.io/region", "eu-west-1"],
      ["karpenter.sh/capacity-type", "reserved"],
      ["karpenter.k8s.aws/capacity-reservation-id", "cr-1"],
      ["karpenter.k8s.aws/instance-gpu-manufacturer", "amd"],
    ];
    for (const [key, value] of open)
      assert.deepEqual(lint(nodeClass, pool({ requirements: requirement(key, value) })), [], key);
    const windows = pool({ requirements: requirement("kubernetes.io/os", "windows") });
    assert.equal(lint(windows).filter((line) => line.startsWith("error")).length, 0);
    assert.match(lint(nodeClass, windows)[0] ?? "", /^error .* lists the os windows, .* \| use linux, /);
  });

  it("finds what no machine of EC2 is", () => {
    const aws = (text: string): string => text.replaceAll("aws/", "karpenter.k8s.aws/");
    const never: readonly (readonly [string, RegExp])[] = [
      ['[{key: aws/instance-gpu-count, operator: Gt, values: ["100"]}]', /leave no machine .*machines have 0 to 8; /],
      [
        "[{key: aws/instance-gpu-name, operator: In, values: [t5]}]",
        /lists the instance-gpu-name t5.* did you mean t4\?$/,
      ],
      [
        '[{key: aws/instance-hypervisor, operator: In, values: [xen]}, {key: aws/instance-generation, operator: Gt, values: ["6"]}]',
        /leave no machine .*loosen .*hypervisor In \[xen\] .*, or .*generation >= 7/,
      ],
      ['[{key: aws/instance-memory, operator: Lt, values: ["32"]}]', /machines have 512 to \d+/],
      ['[{key: aws/instance-cpu, operator: In, values: ["5"]}]', /lists the instance-cpu 5.* the nearest are 4 and 8$/],
      ["[{key: karpenter.sh/capacity-type, operator: In, values: [Spot]}]", /has Spot, .* \| did you mean spot\?$/],
    ];
    for (const [requirements, words] of never) {
      const [found = "", ...rest] = lint(nodeClass, pool({ requirements: aws(requirements) }));
      assert.match(found, /^error /);
      assert.match(found, words);
      assert.deepEqual(rest, []);
    }
  });

  it("only doubts machines that may be newer than its list, or no longer told of", () => {
    for (const [key, value] of [
      ["node.kubernetes.io/instance-type", "m10g.large"],
      ["node.kubernetes.io/instance-type", "p3.2xlarge"],
      ["karpenter.k8s.aws/instance-family", "c9i"],
    ] as const) {
      const [found = "", ...rest] = lint(nodeClass, pool({ requirements: requirement(key, value) }));
      assert.match(found, /^warning .* that is known here \| see that EC2 has it/);
      assert.deepEqual(rest, []);
    }
    assert.match(
      lint(nodeClass, pool({ requirements: requirement("karpenter.k8s.aws/instance-family", "m5x") }))[0] ?? "",
      /^error .* did you mean m5\?$/,
    );
  });

  it("finds instance types that do not exist", () => {
    const key = "node.kubernetes.io/instance-type";
    const words =
      "spec.template.spec.requirements[0] lists the instance-type m5.larg, which no machine has | did you mean m5.large?";
    assert.deepEqual(lint(nodeClass, pool({ requirements: requirement(key, "m5.larg") })), [
      `error NodePool a: ${words}`,
    ]);
    assert.deepEqual(lint(nodeClass, pool({ requirements: requirement(key, "m5.larg", "c5.large") })), [
      `warning NodePool a: ${words}`,
    ]);
  });

  it("finds limits that are missing, or too low for any machine", () => {
    assert.match(lint(nodeClass, pool({ spec: "weight: 1" }))[0] ?? "", /^warning NodePool a: spec\.limits is not set/);
    const small = pool({
      spec: "limits: {cpu: 1}",
      requirements: requirement("karpenter.k8s.aws/instance-family", "m5"),
    });
    assert.deepEqual(lint(nodeClass, small), [
      "error NodePool a: spec.limits.cpu is 1, less than the smallest machine has (2 of m5.large), so nothing is ever launched | raise the limit",
    ]);
  });

  it("finds limits without a unit, of 0, and of what no machine has", () => {
    assert.deepEqual(lint(nodeClass, pool({ spec: "limits: {memory: 100}" })), [
      "error NodePool a: spec.limits.memory is 100, less than the smallest machine has (414Mi of t4g.nano), so nothing is ever launched | did you mean 100Gi?",
    ]);
    assert.deepEqual(
      lint(nodeClass, pool({ spec: "limits: {mem: 1, gpus: 3, cpu: 0, example.com/fpga: 2, nvidia.com/gpu: 0}" })),
      [
        "warning NodePool a: spec.limits.cpu is 0, so nothing is ever launched | raise the limit unless that is meant",
        "warning NodePool a: spec.limits.mem limits nothing: no machine has such a resource | did you mean memory?",
        "warning NodePool a: spec.limits.gpus limits nothing: no machine has such a resource | did you mean nvidia.com/gpu?",
      ],
    );
  });

  it("finds labels that nobody sets, and fields that nobody reads", () => {
    const [label = ""] = lint(nodeClass, pool({ requirements: requirement("karpenter.k8s.aws/instance-famly", "m5") }));
    assert.match(
      label,
      /^error NodePool a: spec\.template\.spec\.requirements\[0\] names .* \| did you mean karpenter\.k8s\.aws\/instance-family\?$/,
    );
    const [field = ""] = lint(nodeClass, pool({ spec: "limits: {cpu: 9}\n  wieght: 3" }));
    assert.equal(
      field,
      "error NodePool a: spec.wieght is no field of this kind, and would be ignored | did you mean weight?",
    );
  });

  it("finds node classes that are missing, or of no cloud", () => {
    const other = "group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu";
    assert.match(
      lint(nodeClass, pool({ nodeClassRef: other }))[0] ?? "",
      /^error .*"gpu", which is not in these files \| use one of default/,
    );
    assert.match(
      lint(pool({ nodeClassRef: other }))[0] ?? "",
      /^warning .* \| see that the cluster has it: kubectl get ec2nodeclass gpu$/,
    );
    assert.match(
      lint(pool({ nodeClassRef: "group: karpenter.azure.com, kind: AKSNodeClass, name: x" }))[0] ?? "",
      /^error .* refers to a AKSNodeClass of karpenter\.azure\.com, which no cloud here has/,
    );
  });

  it("finds pools that overlap at the same weight, for the same pods", () => {
    const requirements = requirement("karpenter.k8s.aws/instance-family", "m5");
    const [found = "", ...rest] = lint(nodeClass, pool({ requirements }), pool({ name: "b", requirements }));
    assert.match(found, /^warning NodePool a: spec\.weight overlaps NodePool b: both buy 9 of the same/);
    assert.deepEqual(rest, []);
    assert.deepEqual(
      lint(nodeClass, pool({ requirements }), pool({ name: "b", requirements, spec: "limits: {cpu: 9}\n  weight: 5" })),
      [],
    );
  });

  it("sees that pools are apart: by GPUs, operating systems, zones", () => {
    const apart: readonly (readonly [string, string])[] = [
      [
        "[{key: karpenter.k8s.aws/instance-gpu-count, operator: DoesNotExist}]",
        requirement("karpenter.k8s.aws/instance-gpu-manufacturer", "nvidia"),
      ],
      [requirement("kubernetes.io/os", "linux"), requirement("kubernetes.io/os", "windows")],
      [requirement("topology.kubernetes.io/zone", "a"), requirement("topology.kubernetes.io/zone", "b")],
    ];
    for (const [one, other] of apart) {
      const found = lint(pool({ requirements: one }), pool({ name: "b", requirements: other }));
      assert.deepEqual(
        found.filter((line) => line.includes("overlaps")),
        [],
      );
    }
  });

  it("says what is wrong and what to do in different words", () => {
    const [limits = ""] = lint(nodeClass, pool({ spec: "limits: {cpu: a lot}" }));
    assert.match(limits, /spec\.limits\.cpu is "a lot", which is no amount \| write one such as 100/);
    const [operator = ""] = lint(
      nodeClass,
      pool({ requirements: '[{key: karpenter.k8s.aws/instance-cpu, operator: gt, values: ["4"]}]' }),
    );
    assert.match(operator, /\.operator has gt, which is none of .* \| did you mean Gt\?$/);
  });

  it("finds budgets that never let a node go, by a schedule too", () => {
    const budgets = (text: string) =>
      lint(nodeClass, pool({ spec: `limits: {cpu: 9}\n  disruption: {consolidateAfter: 1m, budgets: [${text}]}` }));
    assert.match(budgets('{nodes: "0"}')[0] ?? "", /^warning .*budgets never let a node go for any reason/);
    assert.match(
      budgets('{nodes: "0%", reasons: [Drifted], schedule: "0 * * * *", duration: 1h}')[0] ?? "",
      /never let a node go for Drifted/,
    );
    assert.deepEqual(budgets('{nodes: "0", schedule: "0 9 * * mon-fri", duration: 8h}'), []);
  });

  it("finds what is wrong with a node class, and what an article left for the reader to fill in", () => {
    const bad = nodeClass
      .replace("role: nodes", `role: KarpenterNodeRole-\${CLUSTER_NAME}`)
      .replace("[{tags: {team: web}}]", "[]")
      .replace("v20260101", "latest");
    assert.deepEqual(
      lint(bad).map((line) => line.split(" ").slice(0, 4).join(" ")),
      [
        "error EC2NodeClass default: spec.subnetSelectorTerms",
        "error EC2NodeClass default: spec.role",
        "warning EC2NodeClass default: spec.amiSelectorTerms[0].alias",
      ],
    );
  });

  it("finds names that are there twice and versions that are old, and survives garbage", () => {
    const old = "apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: b}\n";
    assert.match(lint(nodeClass, nodeClass)[0] ?? "", /^error EC2NodeClass default: metadata\.name is there twice/);
    assert.match(lint(old)[0] ?? "", /^warning NodePool b: apiVersion is of the old version .*karpenter convert/);
    assert.deepEqual(lint("7\n", "null\n", "kind: Pod\n"), []);
    assert.equal(lint("apiVersion: karpenter.sh/v1\nkind: NodePool\nspec: 3\n").length > 0, true);
  });
});

describe("the nearest word", () => {
  it("is one that few signs tell from the other", () => {
    assert.equal(nearestWord("m5.larg", ["m5.xlarge", "m5.large"]), "m5.large");
    assert.equal(nearestWord("zone", ["capacity-type", "weight"]), undefined);
  });
});
