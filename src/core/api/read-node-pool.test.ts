import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { NodePool } from "../model/node-pool.ts";
import { makeRequirement } from "../model/requirements.ts";
import { describeProblem } from "./problem.ts";
import { readNodePool } from "./read-node-pool.ts";

const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };

interface Parts {
  readonly spec?: object;
  readonly template?: object;
  readonly templateMetadata?: object;
  readonly metadata?: object;
  readonly status?: object;
}

function wirePool({ spec, template, templateMetadata, metadata, status }: Parts = {}): unknown {
  return {
    metadata: { name: "default", ...metadata },
    spec: { template: { metadata: templateMetadata, spec: { nodeClassRef, requirements: [], ...template } }, ...spec },
    status,
  };
}

function read(wire: unknown): NodePool {
  const result = readNodePool(wire, []);
  if (result.problems !== undefined) assert.fail(result.problems.map(describeProblem).join("\n"));
  return result.value;
}

function problemsOf(parts: Parts): string[] {
  return (readNodePool(wirePool(parts), []).problems ?? []).map(({ field, message }) => `${field} ${message}`);
}

const emptyPool: NodePool = {
  name: "default",
  weight: 0,
  replicas: undefined,
  unusableBecause: undefined,
  labels: new Map(),
  annotations: new Map(),
  taints: [],
  startupTaints: [],
  requirements: new Map(),
  defaultKeys: new Set(),
  limits: new Map(),
  nodeClassRef,
  instanceTypes: [],
};

describe("readNodePool", () => {
  it("is content with a node class and no requirements", () => {
    assert.deepEqual(read(wirePool()), emptyPool);
  });

  it("reads everything a pool says", () => {
    const pool = read(
      wirePool({
        metadata: { annotations: { "karpenter.sh/default-requirements": " beta.kubernetes.io/arch, team " } },
        spec: { weight: 10, limits: { cpu: "1.5", memory: "1Gi", nodes: 3, "karpenter.sh/hourly-price": "0.05" } },
        templateMetadata: { labels: { team: "a" }, annotations: { note: "x" } },
        template: {
          taints: [{ key: "t", value: "v", effect: "NoSchedule" }],
          startupTaints: [{ key: "s", effect: "NoExecute" }],
          requirements: [
            { key: "beta.kubernetes.io/arch", operator: "In", values: ["amd64", "arm64"], minValues: 1 },
            { key: "kubernetes.io/arch", operator: "NotIn", values: ["amd64"] },
            { key: "team", operator: "Exists", minValues: 3 },
          ],
        },
      }),
    );
    assert.deepEqual(pool, {
      ...emptyPool,
      weight: 10,
      labels: new Map([["team", "a"]]),
      annotations: new Map([["note", "x"]]),
      taints: [{ key: "t", value: "v", effect: "NoSchedule" }],
      startupTaints: [{ key: "s", value: "", effect: "NoExecute" }],
      requirements: new Map([
        ["kubernetes.io/arch", makeRequirement("In", ["arm64"], 1)],
        ["team", makeRequirement("Exists", [], 3)],
      ]),
      defaultKeys: new Set(["kubernetes.io/arch", "team"]),
      limits: new Map([
        ["cpu", 1500],
        ["memory", 2 ** 30],
        ["nodes", 3],
        ["karpenter.sh/hourly-price", 50_000],
      ]),
    });
  });

  it("cannot be used while it is deleted or not ready", () => {
    const ready = (status: string) => ({
      conditions: [{ type: "Ready", status, reason: "NodeClassNotFound", message: "no such class" }],
    });
    const reasons = [
      wirePool({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
      wirePool({ status: ready("False") }),
      wirePool({ status: ready("Unknown") }),
      wirePool({ status: ready("True") }),
      wirePool({ status: {} }),
    ].map((wire) => read(wire).unusableBecause);
    assert.deepEqual(reasons, [
      "it is being deleted",
      "it is not ready: NodeClassNotFound: no such class",
      "it is not ready: NodeClassNotFound: no such class",
      undefined,
      undefined,
    ]);
  });

  it("reads a static pool, which only nodes may limit", () => {
    const pool = read(wirePool({ spec: { replicas: 0, limits: { nodes: 5 } } }));
    assert.deepEqual([pool.replicas, pool.limits], [0, new Map([["nodes", 5]])]);
    assert.deepEqual(problemsOf({ spec: { replicas: 1, weight: 3, limits: { cpu: 1 } } }), [
      "spec.weight must not be set together with replicas",
      "spec.limits must only limit nodes when replicas is set",
    ]);
    assert.deepEqual(problemsOf({ spec: { replicas: -1 } }), [
      "spec.replicas must be a whole number from 0 to 9007199254740991, found -1",
    ]);
  });

  const requirement = (entry: object) => problemsOf({ template: { requirements: [entry] } });
  const path = "spec.template.spec.requirements[0]";

  it("refuses labels that are not the user's to choose", () => {
    assert.deepEqual(requirement({ key: "kubernetes.io/hostname", operator: "Exists" }), [
      `${path}.key must not be kubernetes.io/hostname, which Karpenter sets itself`,
    ]);
    assert.deepEqual(requirement({ key: "karpenter.sh/anything", operator: "Exists" }), [
      `${path}.key must not be karpenter.sh/anything, which Karpenter sets itself`,
    ]);
    assert.deepEqual(requirement({ key: "karpenter.sh/nodepool", operator: "In", values: ["x"] }), [
      `${path}.key must not be karpenter.sh/nodepool: every node gets the name of its own pool`,
    ]);
    assert.deepEqual(problemsOf({ templateMetadata: { labels: { "karpenter.sh/nodepool": "x", "a b": "c d" } } }), [
      'spec.template.metadata.labels["karpenter.sh/nodepool"] must not be set: every node gets the name of its own pool',
      'spec.template.metadata.labels["a b"] must be a label key such as example.com/team, found "a b"',
      'spec.template.metadata.labels["a b"] must be a label value: at most 63 letters, digits, dots, dashes and underscores, the first and last a letter or digit, found "c d"',
    ]);
    assert.deepEqual(requirement({ key: "kubernetes.io/foo", operator: "Exists" }), []);
  });

  it("takes one known capacity type among others, but not fewer than minValues", () => {
    const capacity = (values: string[], minValues?: number) =>
      requirement({ key: "karpenter.sh/capacity-type", operator: "In", values, minValues });
    assert.deepEqual(capacity(["spot", "bogus"]), []);
    assert.deepEqual(capacity(["bogus"]), [
      `${path}.values must include one of on-demand, spot, reserved, found "bogus"`,
    ]);
    assert.deepEqual(capacity(["spot", "bogus"], 2), [
      `${path}.minValues must be at most the number of values, 1, found 2`,
    ]);
  });

  it("refuses numbers that make no sense", () => {
    assert.deepEqual(requirement({ key: "a", operator: "In", values: ["x", "y"], minValues: 3 }), [
      `${path}.minValues must be at most the number of values, 2, found 3`,
    ]);
    assert.deepEqual(requirement({ key: "a", operator: "Exists", minValues: 51 }), [
      `${path}.minValues must be a whole number from 1 to 50, found 51`,
    ]);
    assert.deepEqual(requirement({ key: "a", operator: "Gt", values: ["-1"] }), [
      `${path}.values must not be negative, found "-1"`,
    ]);
    assert.deepEqual(requirement({ key: "a", operator: "NotIn" }), []);
  });

  it("refuses requirements that no node could meet", () => {
    const requirements = [
      { key: "a", operator: "In", values: ["x"] },
      { key: "a", operator: "In", values: ["y"] },
    ];
    assert.deepEqual(problemsOf({ template: { requirements } }), [
      "spec.template.spec.requirements must not contradict each other, but no node could meet them all",
    ]);
  });

  it("refuses to repeat a taint and taints that are none", () => {
    const taint = { key: "a", effect: "NoSchedule" };
    assert.deepEqual(problemsOf({ template: { taints: [taint], startupTaints: [taint] } }), [
      "spec.template.spec.startupTaints must not repeat a:NoSchedule, in taints and startupTaints together",
    ]);
    assert.deepEqual(problemsOf({ template: { taints: [{ key: "a b", effect: "Never" }, {}] } }), [
      'spec.template.spec.taints[0].effect must be one of NoSchedule, PreferNoSchedule, NoExecute, found "Never"',
      "spec.template.spec.taints[1].key must be a non-empty string, but is missing",
      "spec.template.spec.taints[1].effect must be one of NoSchedule, PreferNoSchedule, NoExecute, but is missing",
    ]);
  });

  it("gives nodes the name of the Provisioner that the pool is made of", () => {
    const annotated = (name: string): Parts => ({
      metadata: { annotations: { "karpenter.sh/provisioner-name": name } },
    });
    assert.deepEqual(Object.fromEntries(read(wirePool(annotated("a"))).labels), {
      "karpenter.sh/provisioner-name": "a",
      "provisioning.karpenter.sh/name": "a",
    });
    assert.deepEqual(problemsOf(annotated("no name")), [
      'metadata.annotations["karpenter.sh/provisioner-name"] must be a label value: at most 63 letters, digits, dots, dashes and underscores, the first and last a letter or digit, found "no name"',
    ]);
  });

  it("needs a node class, and only defaults for requirements it has", () => {
    const annotations = { "karpenter.sh/default-requirements": "zone" };
    assert.deepEqual(
      problemsOf({ template: { nodeClassRef: { group: "a/v1", kind: "", name: 7 } }, metadata: { annotations } }),
      [
        'metadata.annotations["karpenter.sh/default-requirements"] must list keys of requirements, found "zone"',
        'spec.template.spec.nodeClassRef.group must be a group without a version, found "a/v1"',
        'spec.template.spec.nodeClassRef.kind must be a non-empty string, found ""',
        "spec.template.spec.nodeClassRef.name must be a string, found 7",
      ],
    );
  });
});
