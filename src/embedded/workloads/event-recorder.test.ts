import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "kubernetes-types/core/v1.js";
import { TestCluster } from "./test-cluster.ts";

const about = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", uid: "u", resourceVersion: "7" },
};

function say(cluster: TestCluster, message: string): void {
  cluster.context.recordEvent({ about, type: "Warning", reason: "Unhappy", message, source: "tester" });
}

const events = (cluster: TestCluster) =>
  [...cluster.of<Event>("", "events").list("default")].filter(({ source }) => source?.component === "tester");

describe("EventRecorder", () => {
  it("counts what is said again", async () => {
    const cluster = new TestCluster();
    say(cluster, "no room");
    await cluster.advance(3);
    say(cluster, "no room");
    const [event, ...others] = events(cluster);
    const { metadata, ...rest } = event!;
    assert.deepEqual(others, []);
    assert.match(metadata.name, /^web\.[0-9a-f]{16}$/);
    assert.deepEqual(rest, {
      apiVersion: "v1",
      kind: "Event",
      involvedObject: {
        apiVersion: "v1",
        kind: "Pod",
        namespace: "default",
        name: "web",
        uid: "u",
        resourceVersion: "7",
      },
      reason: "Unhappy",
      message: "no room",
      source: { component: "tester" },
      firstTimestamp: "2026-03-01T12:00:00Z",
      lastTimestamp: "2026-03-01T12:00:03Z",
      count: 2,
      type: "Warning",
      reportingComponent: "tester",
      reportingInstance: "",
      eventTime: null,
    });
    cluster.stop();
  });

  it("combines many messages of one sort, and stops after too many", () => {
    const cluster = new TestCluster();
    for (let i = 0; i < 40; i++) say(cluster, `no room ${i}`);
    const found = events(cluster);
    assert.equal(found.length, 11);
    assert.equal(found.filter(({ message }) => message?.startsWith("(combined from similar events): ")).length, 1);
    assert.equal(
      found.reduce((sum, { count = 0 }) => sum + count, 0),
      25,
    );
    cluster.stop();
  });

  it("removes events an hour after the last time", async () => {
    const cluster = new TestCluster();
    say(cluster, "no room");
    await cluster.advance(3000);
    say(cluster, "no room");
    await cluster.advance(3000);
    assert.equal(events(cluster).length, 1);
    await cluster.advance(1000);
    assert.equal(events(cluster).length, 0);
    cluster.stop();
  });
});
