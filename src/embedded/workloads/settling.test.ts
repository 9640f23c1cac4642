import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DaemonSet, Deployment, StatefulSet } from "kubernetes-types/apps/v1.js";
import type { Job } from "kubernetes-types/batch/v1.js";
import type { Node, Pod } from "kubernetes-types/core/v1.js";
import { type Random, seededRandom } from "../../core/model/seeded-random.ts";
import { TestCluster } from "./test-cluster.ts";

function template(app: string, version: number): object {
  const resources = { requests: { cpu: "100m" } };
  return { metadata: { labels: { app } }, spec: { containers: [{ name: "c", image: `x:${version}`, resources }] } };
}

function createWorkloads(cluster: TestCluster): void {
  const create = (plural: string, name: string, more: object) =>
    cluster.create("apps", plural, {
      metadata: { name, namespace: "default" },
      spec: { selector: { matchLabels: { app: name } }, template: template(name, 1), ...more },
    });
  create("deployments", "rolling", { replicas: 4 });
  create("deployments", "recreated", { replicas: 4, strategy: { type: "Recreate" } });
  create("statefulsets", "ordered", { replicas: 3, serviceName: "ordered" });
  create("daemonsets", "daemon", {});
}

/** Something that users, clouds or machines do. */
function disturb(cluster: TestCluster, random: Random, step: number): void {
  const below = (count: number) => Math.floor(random() * count);
  const nodes = cluster.of<Node>("", "nodes");
  const names = [...nodes.list()].map(({ metadata }) => metadata.name);
  const node = names[below(names.length)] ?? "";
  const plural = ["deployments", "statefulsets", "daemonsets"][below(3)] ?? "";
  const workloads = cluster.of<Deployment>("apps", plural);
  const all = [...workloads.list()];
  const workload = all[below(all.length)]!;
  const change = (more: object) =>
    workloads.change(workload, (current) => ({ ...current, spec: { ...current.spec, ...more } }));
  const acts: (() => void)[] = [
    () => plural !== "daemonsets" && change({ replicas: below(7) }),
    () => change({ template: template(workload.metadata.name, below(4)) }),
    () => cluster.of<Pod>("", "pods").delete(cluster.pods[below(cluster.pods.length)]!),
    () => cluster.kubelets.stopNode(node),
    () => cluster.kubelets.resumeNode(node),
    () => cluster.kubelets.flap(node, 45),
    () => cluster.node(`new-${step}`),
    () => names.length > 4 && nodes.delete(nodes.find(node)!),
    () => cordon(cluster, node, random() < 0.5),
    () =>
      cluster.create("batch", "jobs", {
        metadata: { name: `job-${step}`, namespace: "default" },
        spec: {
          completions: 3,
          parallelism: 2,
          template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "x" }] } },
        },
      }),
  ];
  acts[below(acts.length)]?.();
}

function cordon(cluster: TestCluster, name: string, unschedulable: boolean): void {
  const nodes = cluster.of<Node>("", "nodes");
  nodes.change(nodes.find(name)!, (current) => ({ ...current, spec: { ...current.spec, unschedulable } }));
}

/** What is not as it should be once all is quiet. */
function complaints(cluster: TestCluster): string[] {
  const nodes = [...cluster.of<Node>("", "nodes").list()];
  const deployments = [...cluster.of<Deployment>("apps", "deployments").list()].filter(
    ({ metadata, spec, status }) =>
      [status?.replicas, status?.updatedReplicas, status?.availableReplicas].some(
        (count = 0) => count !== spec?.replicas,
      ) || status?.observedGeneration !== metadata.generation,
  );
  const statefulSets = [...cluster.of<StatefulSet>("apps", "statefulsets").list()].filter(({ spec, status }) =>
    [status?.replicas, status?.updatedReplicas, status?.readyReplicas].some((count = 0) => count !== spec?.replicas),
  );
  const daemonSets = [...cluster.of<DaemonSet>("apps", "daemonsets").list()].filter(
    ({ status }) => status?.numberReady !== nodes.length || status?.updatedNumberScheduled !== nodes.length,
  );
  const jobs = [...cluster.of<Job>("batch", "jobs").list()].filter(
    ({ status }) => !status?.conditions?.some(({ type }) => type === "Complete"),
  );
  const pods = cluster.pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const tainted = nodes.filter(({ spec }) => (spec?.taints ?? []).length > 0);
  return [...deployments, ...statefulSets, ...daemonSets, ...jobs, ...pods, ...tainted].map((object) =>
    JSON.stringify(object),
  );
}

describe("A cluster left alone", () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    it(`comes to what is wanted, whatever happened before (seed ${seed})`, async () => {
      const random = seededRandom(seed);
      const cluster = new TestCluster({ seed });
      for (let i = 0; i < 6; i++) cluster.node(`node-${i}`);
      createWorkloads(cluster);
      for (let step = 0; step < 50; step++) {
        disturb(cluster, random, step);
        await cluster.advance(random() * 60);
      }
      for (const { metadata } of [...cluster.of<Node>("", "nodes").list()]) {
        cluster.kubelets.resumeNode(metadata.name);
        cordon(cluster, metadata.name, false);
      }
      await cluster.advance(2400);
      assert.deepEqual(complaints(cluster), []);
      cluster.stop();
    });
  }
});
