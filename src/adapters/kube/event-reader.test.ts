import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeWatchEvent } from "../../ports/kube-transport.ts";
import { EventReader } from "./event-reader.ts";

const event = (name: string): KubeWatchEvent => ({ type: "ADDED", object: { metadata: { name } } });
const lineOf = (given: unknown): string => `${JSON.stringify(given)}\n`;

function readAll(chunks: readonly Buffer[]): KubeWatchEvent[] {
  const reader = new EventReader();
  const events: KubeWatchEvent[] = [];
  for (const chunk of chunks) reader.read(chunk, (read) => events.push(read) > 0);
  return events;
}

describe("a reader of events", () => {
  it("finds them wherever the stream is cut, in the middle of a character too", () => {
    const events = [event("zwölf"), event("日本"), event("x".repeat(100)), event("🐫")];
    const bytes = Buffer.from(events.map(lineOf).join(""));
    for (let size = 1; size <= bytes.length; size++) {
      const chunks = [];
      for (let start = 0; start < bytes.length; start += size) chunks.push(bytes.subarray(start, start + size));
      assert.deepEqual(readAll(chunks), events, `in pieces of ${size} bytes`);
    }
  });

  it("does not take half an event for one", () => {
    assert.deepEqual(readAll([Buffer.from(JSON.stringify(event("half")))]), []);
  });

  it("stops when told to", () => {
    const reader = new EventReader();
    let count = 0;
    reader.read(Buffer.from(lineOf(event("one")) + lineOf(event("two"))), () => ++count < 1);
    assert.equal(count, 1);
  });

  it("refuses what is no stream of events, and does not repeat it", () => {
    const read = (text: string) => () => readAll([Buffer.from(text)]);
    assert.throws(read("<html>secret\n"), { message: "a line is not JSON" });
    assert.throws(read(lineOf({ kind: "Status" })), { message: "a line is not an event" });
    assert.throws(read(lineOf({ type: "OTHER", object: {} })), { message: "a line is not an event" });
    assert.throws(read("null\n"), { message: "a line is not an event" });
  });

  it("refuses a line without end", () => {
    const chunk = Buffer.alloc(2 ** 20, "x");
    assert.throws(() => readAll(Array(65).fill(chunk)), /longer than/);
  });
});
