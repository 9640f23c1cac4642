import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.js";
import { ApiError } from "../api/api-error.ts";
import { evictPod } from "../api/subresources/eviction.ts";
import { TestCluster } from "./test-cluster.ts";

async function started(budget: object): Promise<TestCluster> {
  const cluster = new TestCluster();
  cluster.node("a");
  const selector = { matchLabels: { app: "web" } };
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "web" }] } };
  cluster.create("apps", "deployments", {
    metadata: { name: "web", namespace: "default" },
    spec: { replicas: 4, selector, template },
  });
  cluster.create("policy", "poddisruptionbudgets", {
    metadata: { name: "web", namespace: "default" },
    spec: { selector, ...budget },
  });
  await cluster.advance(5);
  return cluster;
}

const statusOf = (cluster: TestCluster) =>
  cluster.of<PodDisruptionBudget>("policy", "poddisruptionbudgets").find("default/web")!.status;

function evict(cluster: TestCluster): string {
  const pod = cluster.pods.find(({ metadata }) => metadata.deletionTimestamp === undefined)!;
  try {
    const address = cluster.of("", "pods").addressOf(pod);
    evictPod(cluster.cluster.api, address, { eviction: { metadata: { name: address.name } }, options: {} });
    return "evicted";
  } catch (error) {
    return error instanceof ApiError ? String(error.code) : String(error);
  }
}

describe("DisruptionController", () => {
  it("counts what is there and what may go", async () => {
    const cluster = await started({ minAvailable: 3 });
    assert.deepEqual(statusOf(cluster), {
      expectedPods: 4,
      desiredHealthy: 3,
      currentHealthy: 4,
      disruptionsAllowed: 1,
      observedGeneration: 1,
      conditions: [
        {
          type: "DisruptionAllowed",
          status: "True",
          reason: "SufficientPods",
          message: "",
          observedGeneration: 1,
          lastTransitionTime: "2026-03-01T12:00:01Z",
        },
      ],
    });
    cluster.stop();
  });

  it("takes shares of what the deployment wants", async () => {
    const cluster = await started({ maxUnavailable: "30%" });
    const { expectedPods, desiredHealthy, disruptionsAllowed } = statusOf(cluster)!;
    assert.deepEqual([expectedPods, desiredHealthy, disruptionsAllowed], [4, 2, 2]);
    cluster.stop();
  });

  it("lets one pod go after another, each when the one before is replaced", async () => {
    const cluster = await started({ minAvailable: 3 });
    assert.deepEqual([evict(cluster), evict(cluster)], ["evicted", "429"]);
    await cluster.advance(5);
    assert.equal(statusOf(cluster)?.disruptedPods, undefined);
    assert.equal(evict(cluster), "evicted");
    cluster.stop();
  });
});
