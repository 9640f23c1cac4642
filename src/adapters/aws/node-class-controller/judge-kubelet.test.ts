import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelEc2NodeClass } from "../../../../test/support/model-ec2-node-class.ts";
import type { InstanceType } from "../../../core/model/instance-type.ts";
import type { Ec2NodeClassSpec } from "../node-class/ec2-node-class.ts";
import { judgeExpressions, judgeKubelet } from "./judge-kubelet.ts";

const of = (kubelet: Record<string, unknown>, spec: Partial<Ec2NodeClassSpec> = {}) =>
  modelEc2NodeClass({ spec: { kubelet, ...spec } });
const closed = { isNodeClassCelEnabled: false };
const open = { isNodeClassCelEnabled: true };

describe("the judgement of a kubelet's settings", () => {
  it("finds nothing wrong where there are none, or good ones", () => {
    assert.equal(judgeKubelet(modelEc2NodeClass(), closed), undefined);
    assert.equal(judgeKubelet(of({ maxPods: 20, kubeReserved: { cpu: "100m" } }), closed), undefined);
  });

  it("tells all that is wrong with their shape", () => {
    const problem = judgeKubelet(of({ maxPods: -1, registerWithTaints: [] }), closed);
    assert.equal(problem?.reason, "InvalidKubeletConfiguration");
    assert.match(problem?.message ?? "", /registerWithTaints.*; .*maxPods/);
  });

  it("tells how to switch expressions on", () => {
    const problem = judgeKubelet(of({ maxPods: "max_pods - 1" }), closed);
    assert.equal(problem?.reason, "KubeletExpressionsDisabled");
    assert.match(problem?.message ?? "", /NodeClassCEL=true/);
    assert.equal(judgeKubelet(of({ maxPods: "max_pods - 1" }), open), undefined);
  });

  it("tells which expression is none", () => {
    const problem = judgeKubelet(of({ kubeReserved: { cpu: "vcpus +" } }), open);
    assert.equal(problem?.reason, "KubeletExpressionInvalid");
    assert.match(problem?.message ?? "", /^kubeReserved\.cpu/);
  });

  it("tells what nodes of the family would not get", () => {
    const problem = judgeKubelet(of({ podsPerCore: 4 }, { amiFamily: "Bottlerocket" }), closed);
    assert.equal(problem?.reason, "UnsupportedKubeletConfiguration");
  });
});

describe("the judgement of a kubelet's expressions", () => {
  const facts = {
    name: "m5.large",
    arch: "amd64",
    vcpus: 2,
    memoryMib: 8192,
    interfaces: 3,
    addressesPerInterface: 10,
    efaInterfaces: 0,
    isMetal: false,
  } as const;
  const types = [{ name: "unheard-of" }, { name: "m5.large" }] as unknown as readonly InstanceType[];
  const catalogue = { list: () => types, facts: (name: string) => (name === facts.name ? facts : undefined) };
  const judge = (kubelet: Record<string, unknown>, known = catalogue) =>
    judgeExpressions(of(kubelet), known, { reservedEnis: 0 });

  it("needs no machines where there are no expressions", () => {
    assert.equal(judge({ maxPods: 3 }, { ...catalogue, list: () => [] }), undefined);
  });

  it("waits for the types of machines", () => {
    assert.equal(judge({ maxPods: "vcpus" }, { ...catalogue, list: () => [] }), "unknown");
  });

  it("names the machine on which one fails", () => {
    assert.equal(judge({ maxPods: "max_pods - 29" }), undefined);
    const problem = judge({ maxPods: "max_pods - 30" });
    assert.deepEqual(problem, {
      reason: "KubeletExpressionEvaluationFailed",
      message: "on m5.large: maxPods gives -1, and must not be negative",
    });
  });
});
