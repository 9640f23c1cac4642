import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { readMessage } from "./read-message.ts";

const at = Date.parse("2026-01-01T00:00:00Z");

function envelope(detailType: string, detail: unknown, more: object = {}): string {
  return JSON.stringify({
    version: "0",
    id: "7a1c",
    "detail-type": detailType,
    source: "aws.ec2",
    account: "123456789012",
    time: "2026-01-01T00:00:00Z",
    region: "us-west-2",
    resources: [],
    detail,
    ...more,
  });
}

function stateChange(state: unknown): string {
  return envelope("EC2 Instance State-change Notification", { "instance-id": "i-1", state });
}

function health(detail: object): string {
  const base = { service: "EC2", eventTypeCategory: "scheduledChange" };
  return envelope("AWS Health Event", { ...base, ...detail }, { source: "aws.health" });
}

const spot = "EC2 Spot Instance Interruption Warning";

describe("reading a message", () => {
  for (const [detailType, kind] of [
    [spot, "spot_interrupted"],
    ["EC2 Instance Rebalance Recommendation", "rebalance_recommendation"],
    ["EC2 Capacity Reservation Instance Interruption Warning", "capacity_reservation_interrupted"],
  ] as const) {
    test(`${kind} tells of one instance`, () => {
      const body = envelope(detailType, { "instance-id": "i-1", "instance-action": "terminate" });
      assert.deepEqual(readMessage(body), { kind, instanceIds: ["i-1"], at });
    });
  }

  for (const [state, kind] of [
    ["stopping", "instance_stopped"],
    ["stopped", "instance_stopped"],
    ["shutting-down", "instance_terminated"],
    ["terminated", "instance_terminated"],
    ["STOPPED", "instance_stopped"],
  ] as const) {
    test(`the state ${state} is ${kind}`, () => {
      assert.deepEqual(readMessage(stateChange(state)), { kind, instanceIds: ["i-1"], at });
    });
  }

  test("a machine that starts is nothing to act on", () => {
    assert.equal(readMessage(stateChange("pending")), "no-op");
    assert.equal(readMessage(stateChange("running")), "no-op");
    assert.equal(readMessage(stateChange("__proto__")), "no-op");
  });

  test("a scheduled change tells of all its instances, each once", () => {
    const affectedEntities = ["i-1", "i-2", "i-1"].map((entityValue) => ({ entityValue }));
    const expected = { kind: "scheduled_change", instanceIds: ["i-1", "i-2"], at };
    assert.deepEqual(readMessage(health({ affectedEntities })), expected);
  });

  test("an entity that cannot be read says nothing against the others", () => {
    const affectedEntities = [null, 7, [], {}, { entityValue: ["i-1"] }, { entityValue: "i-2" }];
    assert.deepEqual(readMessage(health({ affectedEntities })), {
      kind: "scheduled_change",
      instanceIds: ["i-2"],
      at,
    });
    assert.deepEqual(readMessage(health({})), { kind: "scheduled_change", instanceIds: [], at });
  });

  test("what AWS tells of other services or of the past is nothing to act on", () => {
    const affectedEntities = [{ entityValue: "i-1" }];
    assert.equal(readMessage(health({ affectedEntities, service: "RDS" })), "no-op");
    assert.equal(readMessage(health({ affectedEntities, eventTypeCategory: "issue" })), "no-op");
  });

  test("an unknown version, source or type of detail is nothing to act on, nor is an empty body", () => {
    const detail = { "instance-id": "i-1" };
    assert.equal(readMessage(""), "no-op");
    assert.equal(readMessage("{}"), "no-op");
    assert.equal(readMessage(envelope(spot, detail, { version: "1" })), "no-op");
    assert.equal(readMessage(envelope(spot, detail, { version: 0 })), "no-op");
    assert.equal(readMessage(envelope(spot, detail, { source: "aws.health" })), "no-op");
    assert.equal(readMessage(envelope("EC2 Fleet State Change", detail)), "no-op");
    assert.equal(readMessage(JSON.stringify({ Type: "Notification", Message: envelope(spot, detail) })), "no-op");
  });

  test("a time that cannot be read does not keep a warning from being heard", () => {
    for (const time of [undefined, null, 7, "yesterday", {}]) {
      const reading = readMessage(envelope(spot, { "instance-id": "i-1" }, { time }));
      assert.deepEqual(reading, { kind: "spot_interrupted", instanceIds: ["i-1"], at: undefined });
    }
  });

  for (const [what, body, problem] of [
    ["not JSON", "{", "it is not an object in JSON"],
    ["a list", "[]", "it is not an object in JSON"],
    ["null", "null", "it is not an object in JSON"],
    ["a number", "1e999", "it is not an object in JSON"],
    ["deeply nested", "[".repeat(500_000), "it is not an object in JSON"],
    ["huge", " ".repeat(1024 * 1024 + 1), "it is longer than 1048576 characters"],
    ["without detail", envelope(spot, undefined), "its detail is not an object"],
    ["with a list as detail", envelope(spot, ["i-1"]), "its detail is not an object"],
    ["without an instance", envelope(spot, {}), "its detail has no instance-id"],
    ["with a list of instances", envelope(spot, { "instance-id": ["i-1"] }), "its detail has no instance-id"],
    ["with an empty id", envelope(spot, { "instance-id": "" }), "its detail has no instance-id"],
    ["without a state", stateChange(undefined), "its detail has no state"],
    ["with a state that is no text", stateChange({ toLowerCase: 1 }), "its detail has no state"],
    ["with entities that are no list", health({ affectedEntities: "i-1" }), "its affectedEntities are not a list"],
    [
      "with entities that are none",
      health({ affectedEntities: [{ entityValue: 1 }] }),
      "none of its affectedEntities has an entityValue",
    ],
  ] as const) {
    test(`a message that is ${what} is a problem`, () => {
      assert.deepEqual(readMessage(body), { problem });
    });
  }

  test("keys of prototypes stay inert", () => {
    const detail = '{"__proto__":{"instance-id":"i-1"},"constructor":{"prototype":{"polluted":true}}}';
    const body = `{"version":"0","source":"aws.ec2","detail-type":"${spot}","detail":${detail}}`;
    assert.deepEqual(readMessage(body), { problem: "its detail has no instance-id" });
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });

  test("a message deep in lists is read to its end", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const body = `{"version":"0","source":"aws.ec2","detail-type":"${spot}","detail":{"instance-id":"i-1","x":${deep}}}`;
    assert.deepEqual(readMessage(body), { kind: "spot_interrupted", instanceIds: ["i-1"], at: undefined });
  });

  test("no text makes it throw, and no problem repeats what the text says", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((detail) => envelope(spot, detail)),
        ),
        (body) => {
          const reading = readMessage(body);
          assert.ok(typeof reading === "string" || !("problem" in reading) || /^its? /.test(reading.problem));
        },
      ),
    );
  });
});
