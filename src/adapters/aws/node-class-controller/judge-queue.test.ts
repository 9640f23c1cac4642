import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeQueue } from "./judge-queue.ts";

function failure(message: string, cause: object): Error {
  return new Error(message, { cause: Object.assign(new Error("said AWS"), cause) });
}

describe("judgeQueue", () => {
  it("says nothing before the first answer", () => {
    assert.equal(judgeQueue("unknown"), undefined);
  });

  it("is true while the queue is followed", () => {
    assert.deepEqual(judgeQueue("followed"), { type: "InterruptionQueueReady", status: "True" });
  });

  it("names a queue that is not there", () => {
    const cause = { name: "QueueDoesNotExist", $metadata: { httpStatusCode: 400 } };
    assert.deepEqual(judgeQueue(failure('there is no queue "a"', cause)), {
      type: "InterruptionQueueReady",
      status: "False",
      reason: "QueueNotFound",
      message: 'there is no queue "a"',
    });
  });

  it("names a right that is missing", () => {
    const cause = { name: "AccessDenied", $metadata: { httpStatusCode: 403 } };
    const change = judgeQueue(failure("AWS refuses sqs:ReceiveMessage", cause));
    assert.equal(change?.status, "False");
    assert.equal(change?.reason, "Unauthorized");
    assert.equal(change?.message, "AWS refuses sqs:ReceiveMessage");
  });

  it("leaves what was said when AWS does not answer", () => {
    assert.equal(judgeQueue(failure("sqs:ReceiveMessage failed", { name: "TimeoutError" })), undefined);
  });
});
