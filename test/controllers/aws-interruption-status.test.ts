import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { awsError, InterruptionStage } from "./aws-interruption-stage.ts";

describe("the status of instances", () => {
  let stage: InterruptionStage;

  beforeEach(() => {
    stage = new InterruptionStage();
  });

  afterEach(() => stage.bench.stop());

  function failing(name: string) {
    const ImpairedSince = new Date(stage.clock.now());
    const summary = { Details: [{ Name: "reachability" as const, Status: "failed" as const, ImpairedSince }] };
    return { InstanceId: `i-${name}`, InstanceStatus: summary };
  }

  function counted(category: string): number {
    return stage.number(`interruption_instance_status_unhealthy_total{category="${category}"}`);
  }

  async function startWith(...names: readonly string[]): Promise<void> {
    for (const name of names) stage.addNode(name);
    await stage.start();
    stage.watchStatuses();
    await stage.clock.advance(1_000);
  }

  test("a machine that fails its checks for two minutes goes, and its pods are given no time", async () => {
    stage.addNode("b");
    await startWith("a");
    stage.addPod("held", "a");
    stage.statuses = [failing("a"), failing("stranger")];
    await stage.clock.advance(119_000);
    assert.deepEqual([stage.isGoing("a"), counted("InstanceStatus")], [false, 0]);
    await stage.clock.advance(61_000);
    assert.ok(stage.isGoing("a"));
    assert.equal(stage.disrupted("instance_status"), 1);
    assert.ok(await stage.clock.advanceUntil(() => !stage.claims.includes("a"), 90_000));
    assert.deepEqual(stage.claims, ["b"]);
    assert.deepEqual(stage.events.slice(0, 2), ["NodeClaim/a InstanceUnhealthy", "Node/a InstanceUnhealthy"]);
    assert.equal(counted("InstanceStatus"), 1);
  });

  test("the deadline is written before the claim is deleted", async () => {
    await startWith("a");
    stage.statuses = [failing("a")];
    await stage.clock.advance(181_000);
    const writes = stage.requests.map((request) => request.split(" ")[0]);
    assert.deepEqual(writes, ["PATCH", "DELETE"]);
  });

  test("scheduled work drains a node as any other end does", async () => {
    await startWith("a", "b");
    stage.addPod("held", "a");
    stage.statuses = ["a", "b"].map((name) => ({
      InstanceId: `i-${name}`,
      Events: [{ Code: "instance-stop" as const }],
    }));
    await stage.clock.advance(120_000);
    assert.deepEqual([stage.claims, stage.isGoing("a")], [["a"], true]);
    assert.deepEqual([stage.disrupted("event_status"), counted("EventStatus")], [2, 2]);
    assert.equal(stage.bench.cluster.claims.get("a")?.annotations.size, 0);
  });

  test("an episode is counted once, and the next one again", async () => {
    await startWith("a");
    stage.refuse = () => ({ status: 500, body: { reason: "InternalError", message: "no" } });
    const Events = [{ Code: "system-reboot" as const }];
    stage.statuses = [{ InstanceId: "i-a", Events }];
    await stage.clock.advance(300_000);
    assert.equal(counted("EventStatus"), 1);
    stage.statuses = [];
    await stage.clock.advance(120_000);
    stage.statuses = [{ InstanceId: "i-a", Events }];
    await stage.clock.advance(120_000);
    assert.equal(counted("EventStatus"), 2);
    stage.refuse = () => undefined;
    await stage.clock.advance(120_000);
    assert.deepEqual(stage.claims, []);
  });

  test("somebody who changes the claim meanwhile does not save it", async () => {
    await startWith("a");
    stage.statuses = [failing("a")];
    let conflicts = 2;
    stage.refuse = ({ method }) =>
      method === "PATCH" && conflicts-- > 0
        ? { status: 409, body: { reason: "Conflict", message: "newer" } }
        : undefined;
    await stage.clock.advance(185_000);
    assert.ok(stage.isGoing("a"));
  });

  test("when AWS refuses to tell, that is said and asked again only after ten minutes", async () => {
    stage.statusError = awsError("UnauthorizedOperation");
    await startWith("a");
    await stage.clock.advance(590_000);
    assert.equal(stage.statusQuestions, 3);
    assert.equal(stage.errors.length, 1);
    assert.match(stage.errors.join(), /AWS refuses ec2:DescribeInstanceStatus/);
    stage.statusError = undefined;
    stage.statuses = [{ InstanceId: "i-a", Events: [{ Code: "instance-retirement" }] }];
    await stage.clock.advance(20_000);
    assert.ok(stage.isGoing("a"));
  });

  test("when AWS fails, it is asked again", async () => {
    stage.statusError = awsError("InternalError");
    await startWith("a");
    await stage.clock.advance(10_000);
    stage.statusError = undefined;
    stage.statuses = [{ InstanceId: "i-a", Events: [{ Code: "instance-retirement" }] }];
    await stage.clock.advance(61_000);
    assert.ok(stage.isGoing("a"));
  });
});
