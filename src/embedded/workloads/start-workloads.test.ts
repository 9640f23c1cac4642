import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TestCluster } from "./test-cluster.ts";

const watched = [
  ["", "pods"],
  ["", "nodes"],
  ["", "events"],
  ["apps", "replicasets"],
  ["apps", "deployments"],
  ["batch", "jobs"],
  ["coordination.k8s.io", "leases"],
] as const;

/** Everything that is written while a deployment comes up, a job runs and a node fails. */
async function history(seed: number): Promise<string[]> {
  const cluster = new TestCluster({ seed });
  const lines: string[] = [];
  for (const [group, plural] of watched) {
    cluster.of(group, plural).subscribe(({ type, object }) => lines.push(`${type} ${JSON.stringify(object)}`));
  }
  for (const name of ["a", "b", "c"]) cluster.node(name);
  const template = (restartPolicy: string) => ({
    metadata: { labels: { app: "web" } },
    spec: { restartPolicy, containers: [{ name: "c", image: "web" }] },
  });
  cluster.create("apps", "deployments", {
    metadata: { name: "web", namespace: "default" },
    spec: { replicas: 6, selector: { matchLabels: { app: "web" } }, template: template("Always") },
  });
  cluster.create("batch", "jobs", {
    metadata: { name: "task", namespace: "default" },
    spec: { completions: 3, template: template("Never") },
  });
  await cluster.advance(30);
  cluster.kubelets.stopNode("b");
  await cluster.advance(600);
  cluster.stop();
  return lines;
}

describe("startWorkloads", () => {
  it("gives the same history for the same seed, and another for another", async () => {
    const first = await history(7);
    assert.deepEqual(await history(7), first);
    assert.notDeepEqual(await history(8), first);
  });
});
