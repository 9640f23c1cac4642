import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { oldLabelsOf } from "../model/old-labels.ts";
import { holdsOn, makeRequirement, type RequirementOperator } from "../model/requirements.ts";
import { readPod } from "./read-pod.ts";

const capacityType = "karpenter.sh/capacity-type";
const oldCapacityType = "node.k8s.aws/capacity-type";
const provisionerName = "karpenter.sh/provisioner-name";
const oldProvisionerName = "provisioning.karpenter.sh/name";
const ofProvisioner = { [provisionerName]: "web", [oldProvisionerName]: "web" };

type Words = Readonly<Record<string, string>>;

const machines: readonly Words[] = [
  {},
  { [capacityType]: "spot" },
  { [capacityType]: "on-demand", "karpenter.k8s.aws/instance-cpu": "8" },
  { [capacityType]: "on-demand", "karpenter.k8s.aws/instance-cpu": "2", "karpenter.k8s.aws/instance-gpu-name": "t4" },
];
/** Nodes of all kinds: of Provisioners, of other pools, and some that carry an old name because somebody wrote it. */
const nodes: readonly Words[] = machines.flatMap((labels) => [
  labels,
  { ...labels, ...ofProvisioner },
  // As the Go Karpenter of 2023 left them.
  { ...labels, [provisionerName]: "web" },
  { ...labels, [oldCapacityType]: "spot", "karpenter.k8s.aws/instance.cpu": "16" },
]);
/** A node of a Provisioner of ours carries the old names of what it is. */
const asInCluster = (labels: Words) => {
  const own = new Map(Object.entries(labels));
  return own.has(oldProvisionerName) ? new Map([...own, ...oldLabelsOf(own)]) : own;
};

const expression = (key: string, operator: string, ...values: string[]) => ({ key, operator, values });
const required = (...terms: readonly object[][]) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: terms.map((matchExpressions) => ({ matchExpressions })),
    },
  },
});

function specOf(spec: object) {
  const read = readPod({ metadata: { name: "a" }, spec: { containers: [{ name: "a" }], ...spec } });
  if (read.problems !== undefined) assert.fail(JSON.stringify(read.problems));
  return read.value.spec;
}

/** Which of the nodes the pod is planned for. */
function accepted(spec: object): Words[] {
  const { nodeSelector, requiredNodeTerms } = specOf(spec);
  return nodes.filter((labels) => {
    const known = new Map(Object.entries(labels));
    const isSelected = [...nodeSelector].every(([key, value]) => known.get(key) === value);
    return isSelected && (requiredNodeTerms.length === 0 || requiredNodeTerms.some((term) => holdsOn(term, known)));
  });
}

describe("pods that choose nodes by old names", () => {
  it("are planned for those nodes that kube-scheduler takes, whatever they ask of them", () => {
    const asks: readonly [string, RequirementOperator, ...string[]][] = [
      [oldCapacityType, "In", "spot"],
      [oldCapacityType, "In", "spot", "on-demand"],
      [oldCapacityType, "NotIn", "spot"],
      [oldCapacityType, "Exists"],
      [oldCapacityType, "DoesNotExist"],
      ["karpenter.k8s.aws/instance.cpu", "Gt", "4"],
      ["karpenter.k8s.aws/instance.cpu", "Lt", "4"],
      ["karpenter.k8s.aws/instance.gpu.name", "DoesNotExist"],
      [oldProvisionerName, "In", "web"],
      [oldProvisionerName, "DoesNotExist"],
    ];
    for (const [key, operator, ...values] of asks) {
      const term = new Map([[key, makeRequirement(operator, values)]]);
      assert.deepEqual(
        accepted({ affinity: required([expression(key, operator, ...values)]) }),
        nodes.filter((labels) => holdsOn(term, asInCluster(labels))),
        `${key} ${operator} ${values}`,
      );
    }
  });

  it("may say so in a selector, together with anything else", () => {
    const spec = {
      nodeSelector: { [oldCapacityType]: "on-demand", [provisionerName]: "web" },
      affinity: required(
        [expression("karpenter.k8s.aws/instance.cpu", "In", "8")],
        [expression("karpenter.k8s.aws/instance-cpu", "In", "2")],
      ),
    };
    assert.deepEqual(accepted(spec), [
      { ...machines[2], ...ofProvisioner },
      { ...machines[3], ...ofProvisioner },
    ]);
  });

  it("get no node when they contradict themselves", () => {
    const spec = {
      nodeSelector: { [oldCapacityType]: "spot" },
      affinity: required([expression(oldCapacityType, "In", "on-demand")]),
    };
    assert.deepEqual(accepted(spec), []);
    const both = [expression(oldCapacityType, "In", "spot"), expression(capacityType, "In", "on-demand")];
    assert.deepEqual(accepted({ affinity: required([...both, expression(oldProvisionerName, "Exists")]) }), []);
  });

  it("may merely prefer it", () => {
    const preference = { matchExpressions: [expression(oldCapacityType, "In", "spot")] };
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 7, preference }] } };
    const { requiredNodeTerms, preferredNodeTerms } = specOf({ affinity });
    assert.deepEqual(
      [requiredNodeTerms.length, ...preferredNodeTerms.map(({ weight, term }) => [weight, ...term.keys()])],
      [0, [7, capacityType, oldProvisionerName], [7, oldCapacityType, oldProvisionerName]],
    );
  });
});
