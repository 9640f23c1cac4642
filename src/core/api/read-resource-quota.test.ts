import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ResourceQuota } from "../model/workload.ts";
import { readResourceQuota } from "./read-resource-quota.ts";

function read(spec: object, status: object = {}): ResourceQuota {
  const result = readResourceQuota({ metadata: { name: "team", namespace: "shop" }, spec, status });
  if (result.problems !== undefined) assert.fail(JSON.stringify(result.problems));
  return result.value;
}

describe("reading a resource quota", () => {
  it("keeps what pods and their claims count for, under the names of the quota", () => {
    const hard = {
      cpu: "1500m",
      "requests.memory": "1Gi",
      "requests.nvidia.com/gpu": "4",
      "hugepages-2Mi": "4Mi",
      pods: "10",
      "count/pods": "20",
      "limits.cpu": "2",
      "limits.memory": "1Ki",
      "count/configmaps": "3",
      services: 5,
    };
    const quota = read({ hard }, { used: { cpu: "1", pods: 3, services: "1" } });
    assert.equal(quota.namespace, "shop");
    assert.deepEqual(Object.fromEntries(quota.hard), {
      cpu: 1_500,
      "requests.memory": 2 ** 30,
      "requests.nvidia.com/gpu": 4,
      "hugepages-2Mi": 4 * 2 ** 20,
      pods: 10,
      "count/pods": 20,
      "limits.cpu": 2_000,
      "limits.memory": 1_024,
    });
    assert.deepEqual(Object.fromEntries(quota.used), { cpu: 1_000, pods: 3 });
    assert.equal(read({ hard: { "requests.cpu": "100m" } }).hard.get("requests.cpu"), 100);
  });

  it("keeps what claims count for, of all storage classes or of one", () => {
    const hard = {
      persistentvolumeclaims: "3",
      "count/persistentvolumeclaims": "4",
      "requests.storage": "1Gi",
      "gold.storageclass.storage.k8s.io/requests.storage": "1Mi",
      "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "2",
    };
    assert.deepEqual(Object.fromEntries(read({ hard }).hard), {
      persistentvolumeclaims: 3,
      "count/persistentvolumeclaims": 4,
      "requests.storage": 2 ** 30,
      "gold.storageclass.storage.k8s.io/requests.storage": 2 ** 20,
      "gold.storageclass.storage.k8s.io/persistentvolumeclaims": 2,
    });
  });

  it("keeps its scopes, short or as expressions", () => {
    const expression = { scopeName: "PriorityClass", operator: "In", values: ["high"] };
    assert.deepEqual(read({ scopes: ["BestEffort"], scopeSelector: { matchExpressions: [expression] } }).scopes, [
      { name: "BestEffort", operator: "Exists", values: [] },
      { name: "PriorityClass", operator: "In", values: ["high"] },
    ]);
  });

  it("says what it cannot read", () => {
    const { problems } = readResourceQuota({ metadata: { name: "team" }, spec: { hard: { pods: "many" } } });
    assert.deepEqual(
      problems?.map(({ object, field }) => [object, field]),
      [["ResourceQuota default/team", "spec.hard.pods"]],
    );
  });
});
