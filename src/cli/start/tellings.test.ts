import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "kubernetes-types/core/v1.js";
import { readEvent } from "./read-event.ts";
import type { Telling } from "./telling.ts";
import { Tellings } from "./tellings.ts";

const minute = 60_000;

function evicted(name: string, at = 0): Telling {
  const group = { key: "evicted", describe: (pods: number) => `evicted ${pods} pods` };
  return { at, tone: "warning", text: `evicted pod ${name}`, group };
}

describe("tellings", () => {
  it("put those of a kind together that come together, and tell the listener of each", () => {
    const heard: string[] = [];
    const tellings = new Tellings(({ text }) => heard.push(text));
    tellings.add(evicted("a"));
    tellings.add({ at: 0, tone: "plain", text: "something else" });
    tellings.add(evicted("b", 9_000));
    tellings.add(evicted("c", 30_000));
    assert.deepEqual(
      tellings.lines.map(({ text }) => text),
      ["evicted 2 pods", "something else", "evicted pod c"],
    );
    assert.deepEqual(heard, ["evicted pod a", "something else", "evicted pod b", "evicted pod c"]);
  });

  it("say the same again only after a while", () => {
    const tellings = new Tellings();
    for (const at of [0, 4 * minute, 5 * minute]) {
      tellings.add({ at, tone: "bad", text: `no node, ${at} ms`, sameAs: "no node" });
    }
    assert.deepEqual(
      tellings.lines.map(({ at }) => at),
      [0, 5 * minute],
    );
  });

  it("are forgotten in time", () => {
    const tellings = new Tellings();
    for (let i = 0; i < 10_000; i++) tellings.add({ at: i * minute, tone: "plain", text: String(i) });
    assert.ok(tellings.lines.length < 400);
    assert.equal(tellings.lines.at(-1)?.text, "9999");
  });
});

describe("an event", () => {
  const event = (fields: Partial<Event>): Event => ({
    metadata: {},
    source: { component: "karpenter" },
    involvedObject: { kind: "Node", name: "node-1" },
    type: "Warning",
    reason: "FailedDraining",
    message: "Cannot drain the node yet",
    ...fields,
  });

  it("is told when the controller has written it and the log does not say it too", () => {
    const pod = { kind: "Pod", namespace: "shop", name: "cart-6d5cfccc88-nsmz7" };
    const told = [
      event({}),
      event({ reason: "Evicted", involvedObject: pod }),
      event({ reason: "Nominated", involvedObject: pod }),
      event({ reason: "Ready", message: "Status condition transitioned, Type: Ready, Status: Unknown -> True" }),
      event({ source: { component: "default-scheduler" } }),
    ].map((one) => readEvent(one, 0)?.text);
    assert.deepEqual(told, [
      "Node node-1: Cannot drain the node yet",
      "evicted pod shop/cart-6d5cfccc88-nsmz7",
      undefined,
      undefined,
      undefined,
    ]);
  });
});
