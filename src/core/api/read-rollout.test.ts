import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Read } from "./problem.ts";
import { readDeploymentRollout, readReplicaSetOwner, readStatefulSetRollout } from "./read-rollout.ts";

function readValue<T>(read: Read<T>): T {
  if (read.problems !== undefined) assert.fail(JSON.stringify(read.problems));
  return read.value;
}

const metadata = { name: "web", namespace: "shop", uid: "u", resourceVersion: "7", generation: 3 };

function template(extra: object = {}) {
  return { metadata: { labels: { app: "web", ...extra } }, spec: { containers: [{ name: "main", image: "main" }] } };
}

describe("reading a rollout", () => {
  test("of a Deployment says how far it is", () => {
    const wire = {
      metadata,
      spec: {
        progressDeadlineSeconds: 90,
        template: { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z" } } },
      },
      status: {
        observedGeneration: 3,
        conditions: [{ type: "Progressing", status: "False", lastUpdateTime: "2026-01-01T00:01:00Z" }],
      },
    };
    const { revision, ...rollout } = readValue(readDeploymentRollout(wire));
    assert.notEqual(revision, "");
    assert.deepEqual(rollout, {
      kind: "Deployment",
      namespace: "shop",
      name: "web",
      uid: "u",
      resourceVersion: "7",
      restartedAt: Date.parse("2026-01-01T00:00:00Z"),
      obstacle: undefined,
      progressedAt: Date.parse("2026-01-01T00:01:00Z"),
      hasStalled: true,
      patience: 90_000,
    });
  });

  test("takes no word for it that was said of an earlier state", () => {
    const status = { observedGeneration: 2, conditions: [{ type: "Progressing", status: "False" }] };
    assert.equal(readValue(readDeploymentRollout({ metadata, spec: {}, status })).hasStalled, false);
    const set = { metadata, spec: {}, status: { observedGeneration: 2, updateRevision: "web-1" } };
    assert.equal(readValue(readStatefulSetRollout(set)).revision, undefined);
  });

  test("waits ten minutes where no deadline is set", () => {
    const patience = (spec: object) => readValue(readDeploymentRollout({ metadata, spec })).patience;
    assert.equal(patience({}), 600_000);
    assert.equal(patience({ progressDeadlineSeconds: 2 ** 31 - 1 }), 600_000);
  });

  test("knows the ReplicaSet of the present template, whatever the order of its fields", () => {
    const { revision } = readValue(readDeploymentRollout({ metadata, spec: { template: template() } }));
    const set = (extra: object) =>
      readValue(readReplicaSetOwner({ metadata, spec: { template: { ...template(extra) } } })).revision;
    const { spec, metadata: labels } = template({ "pod-template-hash": "abc" });
    const turned = readValue(
      readReplicaSetOwner({ metadata, spec: { template: { spec, metadata: labels } } }),
    ).revision;
    assert.equal(set({ "pod-template-hash": "abc" }), revision);
    assert.equal(turned, revision);
    assert.notEqual(set({ version: "2" }), revision);
  });

  test("names the Deployment of a ReplicaSet, where it has one", () => {
    const owned = (owner: object) =>
      readValue(
        readReplicaSetOwner({ metadata: { ...metadata, ownerReferences: [{ controller: true, ...owner }] }, spec: {} }),
      ).deployment;
    assert.equal(owned({ apiVersion: "apps/v1", kind: "Deployment", name: "web" }), "web");
    assert.equal(owned({ apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", name: "web" }), undefined);
  });

  test("says what is in the way of replacing pods first", () => {
    const deployment = (spec: object) => readValue(readDeploymentRollout({ metadata, spec })).obstacle;
    const set = (updateStrategy: object) =>
      readValue(readStatefulSetRollout({ metadata, spec: { updateStrategy } })).obstacle;
    assert.equal(deployment({ paused: true }), "its rollout is paused");
    assert.equal(deployment({ strategy: { type: "Recreate" } }), "its strategy is Recreate, which ends all pods first");
    assert.equal(
      deployment({ strategy: { rollingUpdate: { maxSurge: "0%" } } }),
      "its maxSurge is 0, which ends pods first",
    );
    assert.equal(deployment({ strategy: { rollingUpdate: { maxSurge: "25%" } } }), undefined);
    assert.equal(set({ type: "OnDelete" }), "its update strategy is OnDelete, which replaces nothing by itself");
    assert.equal(set({ rollingUpdate: { partition: 2 } }), "its update stops at partition 2");
    assert.equal(set({ type: "RollingUpdate", rollingUpdate: { partition: 0 } }), undefined);
  });
});
