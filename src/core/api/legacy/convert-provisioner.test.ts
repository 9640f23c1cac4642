import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeProblem } from "../problem.ts";
import { convertManifests } from "./convert-manifests.ts";
import type { ConvertOptions } from "./convert-options.ts";

const providerRef = { name: "shared" };
const linux = { key: "kubernetes.io/os", operator: "In", values: ["linux"] };
const amd64 = { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] };
const onDemand = { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] };
const categories = { key: "karpenter.k8s.aws/instance-category", operator: "In", values: ["c", "m", "r"] };
const generations = { key: "karpenter.k8s.aws/instance-generation", operator: "Gt", values: ["2"] };

function convert(spec: object, options: Partial<ConvertOptions> = {}) {
  const wire = { apiVersion: "karpenter.sh/v1alpha5", kind: "Provisioner", metadata: { name: "a" }, spec };
  const { objects, notes, problems } = convertManifests([wire], { clusterName: "demo", ...options });
  return { objects, notes: notes.map(describeProblem), problems: problems.map(describeProblem) };
}

interface Pool {
  readonly spec: {
    readonly template: { readonly metadata?: unknown; readonly spec: { readonly requirements: readonly object[] } };
    readonly disruption: object;
    readonly limits?: object;
    readonly weight?: number;
  };
}

function poolOf(spec: object, options: Partial<ConvertOptions> = {}): Pool["spec"] {
  const { objects, problems } = convert({ providerRef, ...spec }, options);
  assert.deepEqual(problems, []);
  return (objects[0] as Pool).spec;
}

const noDrift = { nodes: "0", reasons: ["Drifted"] };

describe("a Provisioner of v1alpha5", () => {
  it("that says nothing never ends a node, and has what webhooks added", () => {
    assert.deepEqual(poolOf({}), {
      template: {
        spec: {
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "shared" },
          requirements: [linux, amd64, onDemand, categories, generations],
          expireAfter: "Never",
        },
      },
      disruption: {
        consolidationPolicy: "WhenEmpty",
        consolidateAfter: "Never",
        budgets: [{ nodes: "100%" }, noDrift],
      },
    });
  });

  it("has no defaults of webhooks where they are not wanted", () => {
    assert.deepEqual(poolOf({}, { webhookDefaults: false }).template.spec.requirements, []);
  });

  for (const key of ["instance-family", "instance-category", "instance-generation"]) {
    it(`gets no machines by default once it speaks of ${key}`, () => {
      const requirement = { key: `karpenter.k8s.aws/${key}`, operator: "Exists" };
      const { requirements } = poolOf({ requirements: [requirement] }).template.spec;
      assert.deepEqual(requirements, [requirement, linux, amd64, onDemand]);
    });
  }

  it("lets labels choose the machines, as requirements do", () => {
    const labels = { "kubernetes.io/arch": "arm64", "node.kubernetes.io/instance-type": "m6g.large", team: "web" };
    const { template } = poolOf({ labels });
    assert.deepEqual(template.metadata, { labels });
    assert.deepEqual(template.spec.requirements, [linux, onDemand]);
  });

  it("keeps its annotations, limits, weight and taints", () => {
    const taints = [{ key: "a", value: "", effect: "NoSchedule" }];
    const startupTaints = [{ key: "b", value: "c", effect: "NoExecute" }];
    const limits = { resources: { cpu: 10, memory: "1Gi", "nvidia.com/gpu": 1.5 } };
    const spec = poolOf({ annotations: { x: "y" }, taints, startupTaints, limits, weight: 7 });
    assert.deepEqual(spec.template.metadata, { annotations: { x: "y" } });
    assert.deepEqual([spec.limits, spec.weight], [{ cpu: 10, memory: "1Gi", "nvidia.com/gpu": "1.5" }, 7]);
    const { requirements: _, ...rest } = spec.template.spec;
    assert.deepEqual(rest, {
      nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "shared" },
      taints: [{ key: "a", effect: "NoSchedule" }],
      startupTaints,
      expireAfter: "Never",
    });
  });

  it("ends empty nodes, expired nodes and nodes that cost too much as it says", () => {
    assert.deepEqual(poolOf({ ttlSecondsAfterEmpty: 0 }).disruption, {
      consolidationPolicy: "WhenEmpty",
      consolidateAfter: "0s",
      budgets: [{ nodes: "100%" }, noDrift],
    });
    assert.deepEqual(poolOf({ consolidation: { enabled: true } }).disruption, {
      consolidationPolicy: "WhenEmptyOrUnderutilized",
      consolidateAfter: "0s",
      budgets: [{ nodes: "10%" }, noDrift],
    });
    assert.deepEqual(poolOf({ consolidation: { enabled: false }, ttlSecondsAfterEmpty: 30 }).disruption, {
      consolidationPolicy: "WhenEmpty",
      consolidateAfter: "30s",
      budgets: [{ nodes: "100%" }, noDrift],
    });
    const { expireAfter } = poolOf({ ttlSecondsUntilExpired: 2_592_000 }).template.spec as { expireAfter?: string };
    assert.equal(expireAfter, "2592000s");
  });

  it("calls labels by their names of today, and names those that are gone", () => {
    const entry = (key: string) => ({ key, operator: "Exists" });
    const { objects, notes } = convert(
      {
        providerRef,
        requirements: [
          entry("karpenter.k8s.aws/instance.gpu.manufacturer"),
          entry("karpenter.k8s.aws/instance.memory"),
          entry("node.k8s.aws/capacity-type"),
          entry("beta.kubernetes.io/arch"),
          entry("karpenter.k8s.aws/instance-pods"),
          entry("karpenter.k8s.aws/instance-ami-id"),
        ],
      },
      { webhookDefaults: false },
    );
    assert.deepEqual((objects[0] as Pool).spec.template.spec.requirements, [
      entry("karpenter.k8s.aws/instance-gpu-manufacturer"),
      entry("karpenter.k8s.aws/instance-memory"),
      entry("karpenter.sh/capacity-type"),
      entry("kubernetes.io/arch"),
    ]);
    assert.deepEqual(
      notes.filter((note) => note.includes("left out")),
      [
        "Provisioner a: spec.requirements[4].key is left out: nodes have no label karpenter.k8s.aws/instance-pods any more.",
        "Provisioner a: spec.requirements[5].key is left out: nodes have no label karpenter.k8s.aws/instance-ami-id any more.",
      ],
    );
  });

  it("names every field that there never was, and what only the cluster knew", () => {
    const wire = {
      apiVersion: "karpenter.sh/v1alpha5",
      kind: "Provisioner",
      metadata: {
        name: "a",
        uid: "1",
        resourceVersion: "7",
        annotations: { "karpenter.sh/provisioner-hash": "1", "kubectl.kubernetes.io/last-applied-configuration": "{}" },
        finalizers: ["karpenter.sh/termination"],
        ownerReferences: [{ kind: "App", name: "b" }],
        clusterName: "c",
      },
      spec: { providerRef, instanceTypes: ["m5.large"], limits: { cpu: 1 }, consolidation: { enabled: true, ttl: 1 } },
      status: { resources: { cpu: "1" } },
      data: {},
    };
    const { objects, notes } = convertManifests([wire], { clusterName: "demo" });
    assert.deepEqual((objects[0] as { metadata: object }).metadata, {
      name: "a",
      annotations: { "karpenter.sh/provisioner-name": "a" },
    });
    assert.deepEqual(notes.filter(({ kind }) => kind === "dropped").map(describeProblem), [
      "Provisioner a: data is no field of the object, and is left out: correct its name, or remove it.",
      "Provisioner a: metadata.clusterName is no field of metadata, and is left out: correct its name, or remove it.",
      "Provisioner a: metadata is left without resourceVersion, uid, which an API server writes.",
      "Provisioner a: metadata.finalizers is left out: whoever waits for the old object does not know the new one.",
      "Provisioner a: metadata.ownerReferences is left out: nothing owns the new object. Add its owner, if it has one.",
      "Provisioner a: status is left out: the controller writes it.",
      'Provisioner a: metadata.annotations["karpenter.sh/provisioner-hash"] is left out: karpenter.sh/nodepool-hash is written anew on the new object.',
      'Provisioner a: metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"] is left out: kubectl.kubernetes.io/last-applied-configuration is written anew on the new object.',
      "Provisioner a: spec.instanceTypes is no field of Provisioner v1alpha5, and is left out: correct its name, or remove it.",
      "Provisioner a: spec.limits.cpu is no field of limits, which holds amounts under resources, and is left out: correct its name, or remove it.",
      "Provisioner a: spec.consolidation.ttl is no field of consolidation, and is left out: correct its name, or remove it.",
    ]);
  });

  it("keeps the label of its name on nodes, and says so", () => {
    const { objects, notes } = convert({ provider: { apiVersion: "extensions.karpenter.sh/v1alpha1", kind: "AWS" } });
    const [, pool] = objects as { metadata: { annotations?: object } }[];
    assert.deepEqual(pool?.metadata.annotations, { "karpenter.sh/provisioner-name": "a" });
    assert.deepEqual(
      notes.filter((note) => note.includes("provisioner-name of the pool") || note.includes("has its own")),
      [
        "Provisioner a: metadata.name is the label karpenter.sh/nodepool of nodes now; the annotation karpenter.sh/provisioner-name of the pool keeps the old label and those of 2021 beside it, which the Go Karpenter does not know: select the new one.",
        "Provisioner a: spec.provider.apiVersion is left out: the node class has its own.",
        "Provisioner a: spec.provider.kind is left out: the node class has its own.",
      ],
    );
  });

  it("leaves taints of Karpenter itself to Karpenter", () => {
    const taints = [
      { key: "karpenter.sh/not-ready", effect: "NoSchedule" },
      { key: "a", effect: "NoSchedule" },
    ];
    const { taints: kept } = poolOf({ taints }).template.spec as { taints?: object };
    assert.deepEqual(kept, [{ key: "a", effect: "NoSchedule" }]);
  });

  it("is refused where it contradicts itself", () => {
    const refusals = [
      { consolidation: { enabled: true }, ttlSecondsAfterEmpty: 30, providerRef },
      { provider: {}, providerRef },
      { providerRef: { name: "a", kind: "AzureNodeTemplate" } },
      { providerRef, taints: [{ key: "a" }] },
      { providerRef, weight: 101 },
      { providerRef, ttlSecondsUntilExpired: -1 },
      { providerRef, limits: { resources: { cpu: "many" } } },
      { providerRef, kubeletConfiguration: { maxPods: "many" } },
      { providerRef, requirements: [{ key: "kubernetes.io/hostname", operator: "Exists" }] },
    ];
    assert.deepEqual(
      refusals.map((spec) => convert(spec)).map(({ objects, problems }) => [objects.length, ...problems]),
      [
        [
          0,
          "Provisioner a: spec.ttlSecondsAfterEmpty must not go with consolidation.enabled, which removes empty nodes too: remove one of them.",
        ],
        [0, "Provisioner a: spec.provider must not go with providerRef, which says the same: remove one of them."],
        [
          0,
          'Provisioner a: spec.providerRef.kind must be AWSNodeTemplate: node classes of other clouds cannot be converted, found "AzureNodeTemplate".',
        ],
        [
          0,
          "Provisioner a: spec.taints[0].effect must be one of NoSchedule, PreferNoSchedule, NoExecute, but is missing.",
        ],
        [0, "Provisioner a: spec.weight must be a whole number from 1 to 100, found 101."],
        [0, "Provisioner a: spec.ttlSecondsUntilExpired must be a whole number from 0 to 9007199254740991, found -1."],
        [0, 'Provisioner a: spec.limits.resources.cpu must be a quantity such as "100" or "100Gi", found "many".'],
        [
          0,
          'Provisioner a: spec.kubeletConfiguration.maxPods must be a whole number from 0 to 2147483647, found "many".',
        ],
        [0, "Provisioner a: spec.requirements[0].key must not be kubernetes.io/hostname, which Karpenter sets itself."],
      ],
    );
  });
});
