// Holds that messages in a queue of SQS and the status of instances reach the claims that they are about.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { RunInstancesCommand } from "@aws-sdk/client-ec2";
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { judgeQueue } from "../../../src/adapters/aws/node-class-controller/judge-queue.ts";
import { systemClock as clock } from "../../../src/embedded/time/system-clock.ts";
import { InterruptionStage } from "../../controllers/aws-interruption-stage.ts";
import type { Seeded } from "../seed.ts";
import { control, endpoint, openApi, openEc2, region, seed, sendMessage, until } from "../stage.ts";

let api: AwsApi;
let client: SQSClient;
let seeded: Seeded;
let stage: InterruptionStage;
before(async () => {
  api = await openApi();
  client = new SQSClient({ endpoint, region, maxAttempts: 1 });
});
after(() => {
  api.close();
  client.destroy();
});
beforeEach(async () => {
  seeded = await seed();
  stage = new InterruptionStage();
});
afterEach(() => stage.bench.stop());

function envelope(detailType: string, detail: object, source = "aws.ec2") {
  const time = new Date().toISOString();
  return { version: "0", id: "1", "detail-type": detailType, source, time, region, resources: [], detail };
}

const spotDetail = (name: string) => ({ "instance-id": `i-${name}`, "instance-action": "terminate" });
const spotType = "EC2 Spot Instance Interruption Warning";

async function watch(...names: readonly string[]) {
  for (const name of names) stage.addNode(name);
  await stage.bench.observe();
  return stage.watchQueue({ sqs: api.sqs, queueName: seeded.queueName, region, clock });
}

/** Those in sight, and those that somebody works on. */
async function messagesIn(QueueUrl: string): Promise<readonly [number, number]> {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
  const { Attributes = {} } = await client.send(command);
  return [Number(Attributes.ApproximateNumberOfMessages), Number(Attributes.ApproximateNumberOfMessagesNotVisible)];
}

const isEmpty = async () => (await messagesIn(seeded.queueUrl)).every((count) => count === 0);

/** A call of EventBridge, which the provider never makes. */
async function callEvents(action: string, body: object): Promise<void> {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": `AWSEvents.${action}`,
      authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/events/aws4_request, SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 200, `${action}: ${await response.clone().text()}`);
}

describe("a queue of interruptions", () => {
  it("is emptied of every kind, and claims go that messages are about", async () => {
    await watch("a", "b", "c", "d", "e", "f");
    const state = "EC2 Instance State-change Notification";
    const affectedEntities = [{ entityValue: "i-c" }, { entityValue: "i-d" }];
    const change = { service: "EC2", eventTypeCategory: "scheduledChange", affectedEntities };
    for (const body of [
      envelope(spotType, spotDetail("a")),
      envelope(state, { "instance-id": "i-b", state: "stopping" }),
      envelope("AWS Health Event", change, "aws.health"),
      envelope("EC2 Capacity Reservation Instance Interruption Warning", spotDetail("e")),
      envelope("EC2 Instance Rebalance Recommendation", { "instance-id": "i-f" }),
      envelope(state, { "instance-id": "i-f", state: "running" }),
      envelope(spotType, spotDetail("stranger")),
      "{ not JSON \u001b[31m",
    ]) {
      await sendMessage(seeded.queueUrl, body);
    }
    await until(isEmpty);
    assert.deepEqual(
      ["a", "b", "c", "d", "e", "f"].filter((name) => stage.isGoing(name)),
      ["a", "b", "c", "d", "e"],
    );
    assert.deepEqual(stage.marks.toSorted(), ["cr-1", "spot:m5.large:us-west-2a"]);
    // The queue is empty before the controller has heard so.
    await until(() => stage.number("interruption_deleted_messages_total{}") === 8);
    assert.equal(stage.number('interruption_received_messages_total{message_type="malformed"}'), 1);
  });

  it("hears what rules of EventBridge put there", async () => {
    await watch("a", "b");
    const queueArn = `arn:aws:sqs:${region}:123456789012:${seeded.queueName}`;
    for (const [Name, source, detailType] of [
      ["spot", "aws.ec2", spotType],
      ["health", "aws.health", "AWS Health Event"],
    ] as const) {
      const pattern = { source: [source], "detail-type": [detailType] };
      await callEvents("PutRule", { Name, EventPattern: JSON.stringify(pattern) });
      await callEvents("PutTargets", { Rule: Name, Targets: [{ Id: "queue", Arn: queueArn }] });
    }
    const health = {
      service: "EC2",
      eventTypeCategory: "scheduledChange",
      affectedEntities: [{ entityValue: "i-b" }],
    };
    await callEvents("PutEvents", {
      Entries: [
        { Source: "aws.ec2", DetailType: spotType, Detail: JSON.stringify(spotDetail("a")) },
        { Source: "aws.health", DetailType: "AWS Health Event", Detail: JSON.stringify(health) },
      ],
    });
    await until(() => stage.isGoing("a") && stage.isGoing("b"));
    assert.deepEqual([stage.disrupted("spot_interrupted"), stage.disrupted("scheduled_change")], [1, 1]);
    const latencies = stage.bench.telemetry.observations.get("interruption_message_queue_duration_seconds{}") ?? [];
    assert.equal(latencies.length, 2);
    assert.ok(latencies.every((seconds) => seconds < 30));
    await until(isEmpty);
  });

  it("keeps a message until it could be acted on", async () => {
    stage.refuse = () => ({ status: 500, body: { reason: "InternalError", message: "no" } });
    await watch("a");
    await sendMessage(seeded.queueUrl, envelope(spotType, spotDetail("a")));
    await until(() => stage.errors.length > 0);
    assert.deepEqual(await messagesIn(seeded.queueUrl), [0, 1]);
    stage.refuse = () => undefined;
    await control.passQueueTime(20);
    await until(() => stage.isGoing("a"));
    await until(isEmpty);
    assert.equal(stage.disrupted("spot_interrupted"), 1);
  });

  it("is waited for when it is not there", async () => {
    stage.addNode("a");
    await stage.bench.observe();
    const { health } = stage.watchQueue({ sqs: api.sqs, queueName: "later", region, clock });
    await until(() => stage.errors.length > 1);
    assert.equal(judgeQueue(health.state)?.reason, "QueueNotFound");
    assert.match(stage.errors.join(), /there is no interruption queue "later" in/);
    const { QueueUrl = "" } = await client.send(new CreateQueueCommand({ QueueName: "later" }));
    await sendMessage(QueueUrl, envelope(spotType, spotDetail("a")));
    await until(() => stage.isGoing("a"));
    assert.equal(judgeQueue(health.state)?.status, "True");
  });

  it("is left at once when the watch stops", async () => {
    const watching = await watch("a");
    await until(async () => (await control.calls("ReceiveMessage")).length > 0);
    await sleep(200);
    const began = performance.now();
    await watching.stop();
    assert.ok(performance.now() - began < 1_000);
    assert.deepEqual(stage.errors, []);
  });

  it("is worked off without a pause when many machines go at once", async (context) => {
    // No more, because the endpoint is slow; see the stories of the controller for a flood.
    const names = Array.from({ length: 150 }, (_, i) => `n${i}`);
    for (let first = 0; first < names.length; first += 10) {
      const Entries = names.slice(first, first + 10).map((name) => ({
        Id: name,
        MessageBody: JSON.stringify(envelope(spotType, spotDetail(name))),
      }));
      await client.send(new SendMessageBatchCommand({ QueueUrl: seeded.queueUrl, Entries }));
    }
    const began = performance.now();
    await watch(...names);
    await until(() => stage.number("interruption_deleted_messages_total{}") >= names.length);
    context.diagnostic(`${names.length} messages took ${((performance.now() - began) / 1000).toFixed(1)} s`);
    assert.equal(stage.disrupted("spot_interrupted"), names.length);
  });
});

describe("the status of instances", () => {
  async function launch(): Promise<string> {
    const ec2 = openEc2();
    try {
      const input = { ImageId: seeded.imageIds.amd64, InstanceType: "m5.large", MinCount: 1, MaxCount: 1 } as const;
      const { Instances = [] } = await ec2.send(new RunInstancesCommand(input));
      return Instances[0]?.InstanceId ?? "";
    } finally {
      ec2.destroy();
    }
  }

  async function watchStatuses(...ids: readonly string[]): Promise<void> {
    for (const [i, id] of ids.entries()) stage.addNode(`node-${i}`, id);
    await stage.bench.observe();
    stage.watchStatuses({ ec2: api.ec2, clock });
  }

  it("ends those that are broken or about to be worked on, and no others", async () => {
    const ids = [await launch(), await launch(), await launch(), await launch()];
    const [broken = "", scheduled = "", brokenNow = ""] = ids;
    const failedAt = (ImpairedSince: string) => ({
      Status: "impaired",
      Details: [{ Name: "reachability", Status: "failed", ImpairedSince }],
    });
    await control.setStatuses({
      [broken]: { SystemStatus: failedAt("2026-01-01T00:00:00Z") },
      [scheduled]: { Events: [{ Code: "instance-retirement", Description: "it is old" }] },
      [brokenNow]: { InstanceStatus: failedAt(new Date().toISOString()) },
    });
    await watchStatuses(...ids);
    await until(() => stage.isGoing("node-0") && stage.isGoing("node-1"));
    await sleep(300);
    assert.deepEqual([stage.isGoing("node-2"), stage.isGoing("node-3")], [false, false]);
    assert.deepEqual([stage.disrupted("system_status"), stage.disrupted("event_status")], [1, 1]);
    const deadline = "karpenter.sh/nodeclaim-termination-timestamp";
    const hasDeadline = (name: string) => stage.bench.cluster.claims.get(name)?.annotations.has(deadline);
    assert.deepEqual([hasDeadline("node-0"), hasDeadline("node-1")], [true, false]);
    assert.equal((await control.calls("DescribeInstanceStatus")).length, 3);
  });

  it("is asked for no more once AWS refuses to tell it", async () => {
    await control.deny("DescribeInstanceStatus");
    await watchStatuses(await launch());
    await until(() => stage.errors.length > 0);
    await sleep(500);
    assert.equal(stage.errors.length, 1);
    assert.match(stage.errors.join(), /AWS refuses ec2:DescribeInstanceStatus/);
  });
});
