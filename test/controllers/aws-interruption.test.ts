import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { awsError, InterruptionStage } from "./aws-interruption-stage.ts";

function envelope(detailType: string, detail: object, source = "aws.ec2"): string {
  return JSON.stringify({
    version: "0",
    id: "7a1c",
    "detail-type": detailType,
    source,
    account: "123456789012",
    time: "2026-01-01T00:00:00Z",
    region: "us-west-2",
    resources: [],
    detail,
  });
}

function spotWarning(name: string): string {
  const detail = { "instance-id": `i-${name}`, "instance-action": "terminate" };
  return envelope("EC2 Spot Instance Interruption Warning", detail);
}

describe("interruptions from a queue", () => {
  let stage: InterruptionStage;

  beforeEach(() => {
    stage = new InterruptionStage();
  });

  afterEach(() => stage.bench.stop());

  async function startWith(...names: readonly string[]) {
    for (const name of names) stage.addNode(name);
    await stage.start();
    return stage.watchQueue();
  }

  test("a spot interruption drains the node and keeps others from the same offering", async () => {
    await startWith("a", "b");
    await stage.clock.advance(9_000);
    stage.queue.send(spotWarning("a"));
    await stage.clock.advance(1);
    assert.ok(stage.isGoing("a"));
    assert.deepEqual(stage.marks, ["spot:m5.large:us-west-2a"]);
    assert.equal(stage.queue.size, 0);
    assert.equal(stage.disrupted("spot_interrupted"), 1);
    assert.equal(stage.number('interruption_received_messages_total{message_type="spot_interrupted"}'), 1);
    assert.equal(stage.number("interruption_deleted_messages_total{}"), 1);
    const [seconds = 0] = stage.bench.telemetry.observations.get("interruption_message_queue_duration_seconds{}") ?? [];
    assert.ok(seconds >= 10 && seconds < 11, `${seconds}`);
    await stage.clock.advance(30_000);
    assert.deepEqual(stage.claims, ["b"]);
    assert.deepEqual(stage.events, [
      "NodeClaim/a SpotInterrupted",
      "Node/a SpotInterrupted",
      "NodeClaim/a TerminatingOnInterruption",
      "Node/a TerminatingOnInterruption",
    ]);
  });

  test("all kinds are acted on, also those that name several machines", async () => {
    await startWith("a", "b", "c", "d", "e", "f");
    const state = "EC2 Instance State-change Notification";
    const affectedEntities = [{ entityValue: "i-c" }, { entityValue: "i-d" }, { entityValue: "vol-1" }];
    const change = { service: "EC2", eventTypeCategory: "scheduledChange", affectedEntities };
    stage.queue.send(envelope(state, { "instance-id": "i-a", state: "stopping" }));
    stage.queue.send(envelope(state, { "instance-id": "i-b", state: "shutting-down" }));
    stage.queue.send(envelope("AWS Health Event", change, "aws.health"));
    const reservation = "EC2 Capacity Reservation Instance Interruption Warning";
    stage.queue.send(envelope(reservation, { "instance-id": "i-e", "instance-action": "terminate" }));
    stage.queue.send(envelope("EC2 Instance Rebalance Recommendation", { "instance-id": "i-f" }));
    await stage.clock.advance(30_000);
    assert.deepEqual(stage.claims, ["f"]);
    assert.deepEqual(stage.marks, ["cr-1"]);
    assert.equal(stage.queue.size, 0);
    const kinds = ["instance_stopped", "instance_terminated", "scheduled_change", "capacity_reservation_interrupted"];
    assert.deepEqual(
      kinds.map((kind) => stage.disrupted(kind)),
      [1, 1, 2, 1],
    );
    assert.ok(stage.events.includes("Node/f SpotRebalanceRecommendation"));
    assert.ok(!stage.events.includes("Node/f TerminatingOnInterruption"));
  });

  test("whoever dies after acting and before it says so leaves a message that does no harm", async () => {
    const first = await startWith("a");
    stage.park.endMilliseconds = 60_000;
    stage.queue.refuse = (method) => (method === "deleteMessage" ? awsError("ServiceUnavailable") : undefined);
    stage.queue.send(spotWarning("a"));
    await stage.clock.advance(1_000);
    await first.stop();
    assert.deepEqual([stage.isGoing("a"), stage.queue.size], [true, 1]);
    stage.queue.refuse = () => undefined;
    stage.watchQueue();
    await stage.clock.advance(25_000);
    assert.equal(stage.queue.size, 0);
    assert.deepEqual([stage.deletions, stage.disrupted("spot_interrupted")], [1, 1]);
  });

  test("what is said many times at once is done once", async () => {
    await startWith("a");
    for (let i = 0; i < 10; i++) stage.queue.send(spotWarning("a"));
    await stage.clock.advance(1_000);
    assert.equal(stage.queue.size, 0);
    assert.deepEqual([stage.deletions, stage.disrupted("spot_interrupted")], [1, 1]);
  });

  test("a message that could not be acted on comes again, and holds up no other", async () => {
    await startWith("a", "b");
    const refusal = { status: 500, body: { reason: "InternalError", message: "a webhook is down" } };
    stage.refuse = ({ path }) => (path.endsWith("/a") ? refusal : undefined);
    stage.queue.send(spotWarning("a"));
    stage.queue.send(spotWarning("b"));
    await stage.clock.advance(10_000);
    assert.deepEqual([stage.isGoing("a"), stage.isGoing("b"), stage.queue.size], [false, true, 1]);
    assert.match(stage.errors.join(), /failed to act .* Cannot delete claim "a" .*a webhook is down/);
    stage.refuse = () => undefined;
    await stage.clock.advance(15_000);
    assert.deepEqual([stage.isGoing("a"), stage.queue.size], [true, 0]);
  });

  test("what cannot be read or concerns others is dropped, and lines show little of it", async () => {
    await startWith("a");
    const secret = "s3cr3t";
    stage.queue.send(`\u001b[31m{"a\nb": ${"x".repeat(500)}${secret}`);
    stage.queue.send(spotWarning("stranger"));
    stage.queue.send("");
    await stage.clock.advance(1_000);
    assert.equal(stage.queue.size, 0);
    assert.deepEqual(
      ["malformed", "spot_interrupted", "no_op"].map((type) =>
        stage.number(`interruption_received_messages_total{message_type="${type}"}`),
      ),
      [1, 1, 1],
    );
    const text = JSON.stringify(stage.bench.telemetry.lines);
    assert.ok(!text.includes(secret));
    const line = stage.bench.telemetry.lines.find(({ message }) => message.startsWith("dropped a message"));
    assert.match(String(line?.fields.piece), /^\?\[31m\{"a\?b": x+$/);
    assert.deepEqual(stage.claims, ["a"]);
  });

  test("a queue that is not there is named, and followed once it is", async () => {
    stage.queue.isThere = false;
    await startWith("a");
    await stage.clock.advance(60_000);
    assert.match(stage.errors.join(), /there is no interruption queue "interruptions" in us-west-2: create it/);
    assert.ok(stage.errors.length < 12, `${stage.errors.length} lines`);
    stage.queue.isThere = true;
    stage.queue.send(spotWarning("a"));
    await stage.clock.advance(25_000);
    assert.ok(stage.isGoing("a"));
  });

  test("a queue that goes and comes again is followed anew", async () => {
    await startWith("a");
    stage.queue.isThere = false;
    await stage.clock.advance(60_000);
    assert.match(stage.errors.join(), /there is no interruption queue/);
    stage.queue.isThere = true;
    stage.queue.send(spotWarning("a"));
    await stage.clock.advance(25_000);
    assert.ok(stage.isGoing("a"));
  });

  test("what AWS refuses is named with the action that the role lacks", async () => {
    stage.queue.refuse = (method) => (method === "receiveMessages" ? awsError("AccessDenied") : undefined);
    await startWith("a");
    await stage.clock.advance(5_000);
    assert.match(stage.errors.join(), /AWS refuses sqs:ReceiveMessage on the interruption queue "interruptions"/);
  });

  test("stopping does not wait for the poll", async () => {
    const watch = await startWith("a");
    await stage.clock.advance(5_000);
    const before = stage.clock.now();
    await watch.stop();
    assert.equal(stage.clock.now(), before);
    stage.queue.send(spotWarning("a"));
    await stage.clock.advance(60_000);
    assert.deepEqual([stage.claims, stage.queue.size], [["a"], 1]);
  });

  test("whoever leads no more leaves messages to the next", async () => {
    await startWith("a");
    stage.isLeading = false;
    stage.queue.send(spotWarning("a"));
    await stage.clock.advance(60_000);
    assert.deepEqual([stage.isGoing("a"), stage.queue.size, stage.errors], [false, 1, []]);
  });

  test("a flood is worked off without a pause", async () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `n${i}`);
    await startWith(...names);
    for (const name of names) stage.queue.send(spotWarning(name));
    const began = stage.clock.now();
    assert.ok(await stage.clock.advanceUntil(() => stage.queue.size === 0, 10_000));
    assert.equal(stage.disrupted("spot_interrupted"), 1_000);
    assert.equal(stage.queue.receipts, 1_000);
    assert.ok(stage.clock.now() - began < 1_000, `${stage.clock.now() - began} ms`);
  });
});
