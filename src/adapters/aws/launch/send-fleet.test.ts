import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type * as ec2 from "@aws-sdk/client-ec2";
import { hurriedClock } from "../../../../test/support/hurried-clock.ts";
import type { Clock } from "../../../ports/clock.ts";
import { NotLeadingError } from "../../../runtime/kube-client.ts";
import { type FleetReply, sendFleet } from "./send-fleet.ts";

const answer: ec2.CreateFleetCommandOutput = { Instances: [], $metadata: {} };
const silence = new Error("socket hang up");
const busy = refusal("RequestLimitExceeded", 503);
const wrong = refusal("InvalidParameterValue", 400);
const mismatch = refusal("IdempotentParameterMismatch", 400);

/** AWS, that gives these answers one after the other, and a lead that lasts for so many calls. */
async function send(answers: readonly (Error | typeof answer)[], { leadsFor = 100, wasSent = false } = {}) {
  const tokens: (string | undefined)[] = [];
  const sender = {
    ec2: {
      createFleet: async ({ ClientToken }: ec2.CreateFleetCommandInput) => {
        const next = answers[tokens.length] ?? answers.at(-1) ?? answer;
        tokens.push(ClientToken);
        if (next instanceof Error) throw next;
        return next;
      },
    },
    clock: hurriedClock,
    random: () => 0.5,
    isLeading: () => tokens.length < leadsFor,
    ended: new AbortController().signal,
  };
  const input = { ClientToken: "token" } as ec2.CreateFleetCommandInput;
  const reply: FleetReply | unknown = await sendFleet(sender, input, wasSent).catch((error: unknown) => error);
  return { reply, tokens };
}

describe("a request for machines", () => {
  it("is sent again with the same token until it is answered", async () => {
    const { reply, tokens } = await send([silence, busy, refusal("InternalError", 500), answer]);
    assert.deepEqual(reply, { kind: "answered", output: answer });
    assert.deepEqual(tokens, ["token", "token", "token", "token"]);
  });

  it("is not sent by somebody who does not lead", async () => {
    const { reply, tokens } = await send([answer], { leadsFor: 0 });
    assert.ok(reply instanceof NotLeadingError);
    assert.deepEqual(tokens, []);
  });

  it("is not sent again by somebody who leads no more", async () => {
    const { reply, tokens } = await send([busy], { leadsFor: 2 });
    assert.ok(reply instanceof NotLeadingError);
    assert.equal(tokens.length, 2);
  });

  it("is not sent after the end that somebody waits for", async () => {
    const ending = new AbortController();
    const ec2 = { createFleet: () => Promise.reject(busy) };
    const idle: Clock = { now: () => 0, after: () => ({ cancel: () => {} }) };
    const sender = { ec2, clock: idle, random: () => 0.5, isLeading: () => true, ended: ending.signal };
    const sending = sendFleet(sender, {} as ec2.CreateFleetCommandInput, false);
    setImmediate(() => ending.abort(new NotLeadingError("it")));
    await assert.rejects(sending, NotLeadingError);
  });

  it("has bought nothing when AWS refuses it, or is busy to the end", async () => {
    assert.deepEqual((await send([wrong])).reply, { kind: "refused", error: wrong });
    const { reply, tokens } = await send([busy]);
    assert.deepEqual(reply, { kind: "refused", error: busy });
    assert.equal(tokens.length, 5);
  });

  it("leaves open what has become of it when there was no answer before, and is worth sending again", async () => {
    assert.deepEqual((await send([silence])).reply, { kind: "unknown", error: silence, canRepeat: true });
    assert.deepEqual((await send([busy], { wasSent: true })).reply, { kind: "unknown", error: busy, canRepeat: true });
  });

  it("leaves open what has become of it when it is refused later, and sending it again tells nothing", async () => {
    assert.deepEqual((await send([silence, wrong])).reply, { kind: "unknown", error: wrong, canRepeat: false });
  });

  it("was carried out when AWS knows its token with other words", async () => {
    const { reply, tokens } = await send([mismatch]);
    assert.deepEqual(reply, { kind: "unknown", error: mismatch, canRepeat: false });
    assert.equal(tokens.length, 1);
  });
});

function refusal(name: string, httpStatusCode: number): Error {
  return Object.assign(new Error(name), { name, Code: name, $metadata: { httpStatusCode, attempts: 1 } });
}
