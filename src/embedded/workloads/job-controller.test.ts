import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CronJob, Job } from "kubernetes-types/batch/v1.js";
import { TestCluster } from "./test-cluster.ts";

function job(spec: object = {}, annotations: object = {}): object {
  const template = {
    metadata: { annotations },
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "task" }] },
  };
  return { metadata: { name: "task", namespace: "default" }, spec: { template, ...spec } };
}

async function after(seconds: number, body: object): Promise<TestCluster> {
  const cluster = new TestCluster();
  cluster.node("a");
  cluster.create("batch", "jobs", body);
  await cluster.advance(seconds);
  return cluster;
}

const task = (cluster: TestCluster) => cluster.of<Job>("batch", "jobs").find("default/task");
const verdicts = (cluster: TestCluster) =>
  task(cluster)?.status?.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`);

describe("JobController", () => {
  it("runs pods until enough have succeeded", async () => {
    const cluster = await after(10, job({ completions: 3, parallelism: 2 }));
    const time = "2026-03-01T12:00:04Z";
    const condition = {
      status: "True",
      reason: "CompletionsReached",
      message: "Reached expected number of succeeded pods",
      lastProbeTime: time,
      lastTransitionTime: time,
    };
    assert.deepEqual(task(cluster)?.status, {
      ready: 0,
      succeeded: 3,
      terminating: 0,
      uncountedTerminatedPods: {},
      startTime: "2026-03-01T12:00:00Z",
      completionTime: time,
      conditions: [
        { type: "SuccessCriteriaMet", ...condition },
        { type: "Complete", ...condition },
      ],
    });
    assert.equal(cluster.pods.length, 3);
    assert.ok(cluster.pods.every(({ metadata, status }) => status?.phase === "Succeeded" && !metadata.finalizers));
    assert.equal(cluster.eventsAbout("task").at(-1), "Completed: Job completed");
    cluster.stop();
  });

  it("gives every index its pod", async () => {
    const cluster = await after(20, job({ completions: 3, completionMode: "Indexed" }));
    assert.equal(task(cluster)?.status?.completedIndexes, "0-2");
    assert.deepEqual(cluster.pods.map(({ spec }) => spec?.hostname).sort(), ["task-0", "task-1", "task-2"]);
    cluster.stop();
  });

  it("fails when too many pods have failed, each later than the last", async () => {
    const cluster = await after(600, job({ backoffLimit: 2 }, { "embedded.karpenter.sh/exit-code": "1" }));
    assert.deepEqual(verdicts(cluster), [
      "FailureTarget True BackoffLimitExceeded",
      "Failed True BackoffLimitExceeded",
    ]);
    assert.equal(task(cluster)?.status?.failed, 3);
    cluster.stop();
  });

  it("fails when it takes too long, and its pods end", async () => {
    const cluster = await after(
      60,
      job({ activeDeadlineSeconds: 30 }, { "embedded.karpenter.sh/run-seconds": "1000" }),
    );
    assert.deepEqual(verdicts(cluster), ["FailureTarget True DeadlineExceeded", "Failed True DeadlineExceeded"]);
    assert.deepEqual(cluster.pods, []);
    cluster.stop();
  });

  it("goes with its pods some time after it is over", async () => {
    const cluster = await after(60, job({ ttlSecondsAfterFinished: 20 }));
    assert.equal(task(cluster), undefined);
    assert.deepEqual(cluster.pods, []);
    cluster.stop();
  });

  it("waits while it is suspended", async () => {
    const cluster = await after(10, job({ suspend: true }));
    assert.deepEqual([cluster.pods, verdicts(cluster)], [[], ["Suspended True JobSuspended"]]);
    cluster
      .of<Job>("batch", "jobs")
      .change(task(cluster)!, (current) => ({ ...current, spec: { ...current.spec, suspend: false } }));
    await cluster.advance(10);
    assert.deepEqual(verdicts(cluster), [
      "Suspended False JobResumed",
      "SuccessCriteriaMet True CompletionsReached",
      "Complete True CompletionsReached",
    ]);
    cluster.stop();
  });

  it("leaves no pod behind when it is deleted while it runs", async () => {
    const cluster = await after(10, job({}, { "embedded.karpenter.sh/run-seconds": "1000" }));
    cluster.of<Job>("batch", "jobs").delete(task(cluster)!, { propagationPolicy: "Background" });
    await cluster.advance(10);
    assert.deepEqual(cluster.pods, []);
    cluster.stop();
  });
});

describe("CronJobController", () => {
  it("starts a job when the minute comes and keeps the last three", async () => {
    const cluster = new TestCluster();
    cluster.node("a");
    const { spec } = job() as { spec: object };
    cluster.create("batch", "cronjobs", {
      metadata: { name: "tick", namespace: "default" },
      spec: { schedule: "*/5 * * * *", jobTemplate: { spec } },
    });
    await cluster.advance(1510);
    const minutes = Date.UTC(2026, 2, 1, 12) / 60_000;
    assert.deepEqual(
      [...cluster.of("batch", "jobs").list()].map(({ metadata }) => metadata.name),
      [15, 20, 25].map((minute) => `tick-${minutes + minute}`),
    );
    const { status } = cluster.of<CronJob>("batch", "cronjobs").find("default/tick")!;
    assert.deepEqual(status, { lastScheduleTime: "2026-03-01T12:25:00Z", lastSuccessfulTime: "2026-03-01T12:25:02Z" });
    cluster.stop();
  });
});
