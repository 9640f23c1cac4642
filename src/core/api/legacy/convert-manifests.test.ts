import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { describeProblem } from "../problem.ts";
import { convertManifests } from "./convert-manifests.ts";
import type { ConvertOptions } from "./convert-options.ts";

const template = (name: string, spec: object = {}) => ({
  apiVersion: "karpenter.k8s.aws/v1alpha1",
  kind: "AWSNodeTemplate",
  metadata: { name },
  spec: { instanceProfile: "nodes", ...spec },
});
const provisioner = (name: string, spec: object = {}) => ({
  apiVersion: "karpenter.sh/v1alpha5",
  kind: "Provisioner",
  metadata: { name },
  spec,
});
const uses = (name: string, maxPods?: number) => ({
  providerRef: { name },
  ...(maxPods === undefined ? {} : { kubeletConfiguration: { maxPods } }),
});

function convert(wires: readonly unknown[], options: Partial<ConvertOptions> = {}) {
  const { objects, notes, problems } = convertManifests(wires, { clusterName: "demo", ...options });
  return { objects, notes: notes.map(describeProblem), problems: problems.map(describeProblem) };
}

interface Wire {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { kubelet?: { maxPods: number }; template?: { spec: { nodeClassRef: { name: string } } } };
}

/** `pool → class` for pools, `class (max pods)` for node classes. */
function outline(wires: readonly unknown[], options: Partial<ConvertOptions> = {}): string[] {
  return convert(wires, options).objects.map((object) => {
    const { metadata, spec } = object as Wire;
    const { template, kubelet } = spec;
    return template
      ? `${metadata.name} → ${template.spec.nodeClassRef.name}`
      : `${metadata.name} (${kubelet?.maxPods})`;
  });
}

describe("node classes and the kubelets of pools", () => {
  it("are one where the pools agree", () => {
    const wires = [provisioner("a", uses("t", 9)), provisioner("b", uses("t", 9)), template("t")];
    assert.deepEqual(outline(wires), ["a → t", "b → t", "t (9)"]);
  });

  it("are several where the pools differ, one for each kubelet", () => {
    const wires = [template("t"), ...[undefined, 9, 10, 9].map((max, i) => provisioner(`p${i}`, uses("t", max)))];
    const [base, ...others] = ["t (undefined)", "t-p1 (9)", "t-p2 (10)"];
    assert.deepEqual(outline(wires), [base, ...others, "p0 → t", "p1 → t-p1", "p2 → t-p2", "p3 → t-p1"]);
  });

  it("leave names alone that are taken", () => {
    const wires = [template("a"), template("t-a"), provisioner("a"), provisioner("b", uses("t-a", 1))];
    assert.deepEqual(outline(wires), ["a (undefined)", "t-a (1)", "a-2 (undefined)", "a → a-2", "b → t-a"]);
  });

  it("are of one pool each where that is wanted", () => {
    const wires = [template("t"), provisioner("a", uses("t", 9)), provisioner("b", uses("t"))];
    assert.deepEqual(outline(wires, { nodeClassPerPool: true }), ["a (9)", "a → a", "b (undefined)", "b → b"]);
  });

  it("are copies of a class of today that stays as it is", () => {
    const today = {
      apiVersion: "karpenter.k8s.aws/v1",
      kind: "EC2NodeClass",
      metadata: { name: "t" },
      spec: { role: "r" },
    };
    const wires = [today, provisioner("a", uses("t", 9)), provisioner("b", uses("t"))];
    assert.deepEqual(outline(wires), ["t (undefined)", "t-a (9)", "a → t-a", "b → t"]);
    assert.equal(convert(wires).objects[0], today);
  });
});

describe("convertManifests", () => {
  it("returns what is of today, and what is not ours, as it is", () => {
    const wires = [
      { apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name: "a" }, spec: { anything: null } },
      { apiVersion: "karpenter.k8s.aws/v1", kind: "EC2NodeClass", metadata: { name: "a" }, spec: {} },
      { apiVersion: "karpenter.sh/v1", kind: "NodeClaim", metadata: { name: "a" } },
      { apiVersion: "karpenter.sh/v1alpha1", kind: "NodeOverlay", metadata: { name: "a" } },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: {} },
      { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, spec: { template: { spec: {} } } },
    ];
    const { objects, notes, problems } = convert(wires);
    assert.deepEqual([notes, problems], [[], []]);
    assert.ok(objects.length === wires.length && objects.every((object, index) => object === wires[index]));
  });

  it("converts what it has converted to the same", () => {
    const wires = [template("t"), provisioner("a", uses("t", 9)), provisioner("b")];
    const { objects } = convert(wires);
    assert.deepEqual(convert(objects), { objects, notes: [], problems: [] });
  });

  it("holds back pools whose node class has a mistake, and says all there is to say about both", () => {
    const wires = [
      provisioner("a", { ...uses("bad", 9), ttlSecondsAfterEmpty: 30 }),
      template("bad", { launchTemplate: "mine", tag: {} }),
      provisioner("b", uses("good", 9)),
      template("good"),
    ];
    assert.deepEqual(outline(wires), ["b → good", "good (9)"]);
    const { notes, problems } = convert(wires);
    assert.match(problems[0] ?? "", /^AWSNodeTemplate bad: spec\.launchTemplate must not be set/);
    assert.deepEqual(problems.slice(1), [
      "Provisioner a: spec.providerRef refers to AWSNodeTemplate bad, which has errors, so that neither is written: correct those first.",
    ]);
    const told = (start: string) => notes.some((note) => note.startsWith(start));
    assert.ok(told("AWSNodeTemplate bad: spec.tag is no field") && told("Provisioner a: spec.ttlSecondsAfterEmpty is"));
    assert.ok(!notes.some((note) => note.includes("not among these objects")));
  });

  it("opens lists", () => {
    const list = {
      apiVersion: "v1",
      kind: "List",
      items: [template("t"), { kind: "ProvisionerList", items: [provisioner("a")] }],
    };
    assert.deepEqual(outline([list]), ["t (undefined)", "a (undefined)", "a → a"]);
  });

  it("calls what pods ask of nodes by the names of today", () => {
    const old = "karpenter.sh/provisioner-name";
    const pod = (names: { pool: string; annotation: string; taint: string; zone: string }) => ({
      metadata: { annotations: { [names.annotation]: "true", other: "x" }, labels: { [old]: "stays" } },
      spec: {
        nodeSelector: { [names.pool]: "a", team: "b" },
        tolerations: [{ key: names.taint, operator: "Exists" }, { operator: "Exists" }],
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: names.zone,
            labelSelector: { matchExpressions: [{ key: old, operator: "Exists" }] },
          },
        ],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: names.pool, operator: "In", values: ["a"] }] }],
            },
          },
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: names.zone, labelSelector: { matchLabels: { [old]: "stays" } } },
            ],
          },
        },
        containers: [{ name: "a", env: null }],
      },
    });
    const before = {
      pool: old,
      annotation: "karpenter.sh/do-not-evict",
      taint: "karpenter.sh/disruption",
      zone: "failure-domain.beta.kubernetes.io/zone",
    };
    const after = {
      pool: "karpenter.sh/nodepool",
      annotation: "karpenter.sh/do-not-disrupt",
      taint: "karpenter.sh/disrupted",
      zone: "topology.kubernetes.io/zone",
    };
    const kinds: [string, (pod: object) => object][] = [
      ["Pod", (pod) => pod],
      ["StatefulSet", (template) => ({ spec: { template } })],
      ["CronJob", (template) => ({ spec: { jobTemplate: { spec: { template } } } })],
    ];
    for (const [kind, wrap] of kinds) {
      const wire = { apiVersion: "v1", kind, ...wrap(pod(before)) };
      const { objects, notes } = convert([wire]);
      assert.deepEqual(objects, [{ apiVersion: "v1", kind, ...wrap(pod(after)) }]);
      assert.equal(notes.length, 6);
    }
  });

  it("says where settings have gone, and that machines and their forebears are gone", () => {
    const data = {
      batchMaxDuration: "10s",
      "aws.vmMemoryOverheadPercent": "0.075",
      "aws.assumeRoleARN": "a",
      "aws.enablePodENI": "true",
      other: "x",
    };
    const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "karpenter-global-settings" }, data };
    const machine = { apiVersion: "karpenter.sh/v1alpha5", kind: "Machine", metadata: { name: "m" } };
    const group = {
      apiVersion: "autoscaling.karpenter.sh/v1alpha1",
      kind: "ScalableNodeGroup",
      metadata: { name: "g" },
    };
    assert.deepEqual(convert([settings, machine, group]), {
      objects: [],
      notes: [
        "ConfigMap karpenter-global-settings is left out: settings are environment variables, or values of the chart, now.",
        "ConfigMap karpenter-global-settings: data.batchMaxDuration is the environment variable BATCH_MAX_DURATION of the controller now.",
        'ConfigMap karpenter-global-settings: data["aws.vmMemoryOverheadPercent"] is the environment variable VM_MEMORY_OVERHEAD_PERCENT of the controller now.',
        'ConfigMap karpenter-global-settings: data["aws.assumeRoleARN"] is left out: give the controller\'s service account the role itself.',
        'ConfigMap karpenter-global-settings: data["aws.enablePodENI"] is left out: it is always assumed.',
        "ConfigMap karpenter-global-settings: data.other is left out: there is no such setting.",
        "Machine m is left out: Karpenter made it for a node, and makes a NodeClaim now.",
      ],
      problems: [
        "ScalableNodeGroup g cannot be converted: it belongs to what Karpenter was before it bought machines. Remove it.",
      ],
    });
  });

  it("refuses two objects of one name, names that are none, and kinds that there never were", () => {
    const { problems } = convert([
      provisioner("a"),
      { ...provisioner("a"), apiVersion: "karpenter.sh/v1alpha4" },
      provisioner("../../etc/passwd"),
      { ...provisioner("b"), apiVersion: "karpenter.sh/v1beta1" },
      { apiVersion: "karpenter.sh/v1alpha5", metadata: { name: "c" } },
    ]);
    assert.deepEqual(problems, [
      "Provisioner a: metadata.name must be its own, but there is another NodePool a: rename one of them.",
      'Provisioner ../../etc/passwd: metadata.name must be lower-case letters, digits, dashes and dots, and at most 253 of them, found "../../etc/passwd".',
      "Provisioner b: kind must be a kind of karpenter.sh/v1beta1 that there was, found Provisioner: Provisioner of v1alpha1 to v1alpha5, AWSNodeTemplate of v1alpha1, and NodePool, NodeClaim and EC2NodeClass of v1beta1 can be converted.",
      "Object c: kind must be a non-empty string, but is missing.",
    ]);
  });

  it("keeps even the oddest tags and labels what they are", () => {
    const odd = JSON.parse('{"__proto__": "x", "constructor": "y"}');
    const [nodeClass, pool] = convert([provisioner("a", { labels: odd, provider: { tags: odd, subnetSelector: odd } })])
      .objects as {
      spec: { tags?: object; subnetSelectorTerms?: { tags: object }[]; template?: { metadata: object } };
    }[];
    assert.deepEqual(JSON.parse(JSON.stringify(nodeClass?.spec.tags)), odd);
    assert.equal(JSON.stringify(nodeClass?.spec.subnetSelectorTerms), JSON.stringify([{ tags: odd }]));
    assert.equal(JSON.stringify(pool?.spec.template?.metadata), JSON.stringify({ labels: odd }));
    assert.equal(Object.getPrototypeOf({}), Object.prototype);
  });

  it("never throws, whatever it is given", () => {
    const names = [
      "spec",
      "metadata",
      "name",
      "provider",
      "providerRef",
      "requirements",
      "labels",
      "constraints",
      "zones",
    ];
    const more = [
      "template",
      "kubelet",
      "disruption",
      "amiSelectorTerms",
      "subnetSelector",
      "blockDeviceMappings",
      "items",
    ];
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        fc.constantFrom(null, undefined, 0, -1, 1.5, true, "", "a", "Never", "1", Number.NaN),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names, ...more, "__proto__"), tie("value"), { maxKeys: 5 }),
      ),
    }));
    const kinds: [string, string][] = [
      ["karpenter.sh/v1alpha5", "Provisioner"],
      ["provisioning.karpenter.sh/v1alpha1", "Provisioner"],
      ["karpenter.k8s.aws/v1alpha1", "AWSNodeTemplate"],
      ["karpenter.sh/v1beta1", "NodePool"],
      ["karpenter.sh/v1beta1", "NodeClaim"],
      ["karpenter.k8s.aws/v1beta1", "EC2NodeClass"],
      ["karpenter.k8s.aws/v1", "EC2NodeClass"],
      ["apps/v1", "Deployment"],
      ["v1", "List"],
    ];
    const wires = fc.tuple(fc.constantFrom(...kinds), value, value);
    fc.assert(
      fc.property(fc.array(wires, { maxLength: 3 }), value, (parts, other) => {
        const objects = parts.map(([[apiVersion, kind], metadata, spec]) => ({ apiVersion, kind, metadata, spec }));
        convertManifests([...objects, other], { clusterName: undefined });
      }),
      { numRuns: 1000 },
    );
    const endless: Record<string, unknown> = { ...provisioner("a") };
    endless.spec = endless;
    assert.deepEqual(convert([endless, 7, "x", null]).problems, [
      "Provisioner a is nested too deeply.",
      "Object without a name must be an object.",
      "Object without a name must be an object.",
      "Object without a name must be an object.",
    ]);
  });
});
