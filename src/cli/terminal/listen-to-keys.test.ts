import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { keysIn } from "./listen-to-keys.ts";

describe("keys", () => {
  it("are signs as typed, several at once where they come together", () => {
    assert.deepEqual(keysIn("qä+"), ["q", "ä", "+"]);
  });

  it("have names where they type nothing", () => {
    const chunks = ["\u0003", "\u001b", "\r", "\u007f", "\u001b[A", "\u001bOB", "\u001b[5~"];
    assert.deepEqual(chunks.flatMap(keysIn), ["interrupt", "escape", "enter", "backspace", "up", "down", "page-up"]);
  });

  it("are nothing where nobody knows them", () => {
    assert.deepEqual(["\u001b[1;5q", "\u0000", ""].flatMap(keysIn), []);
  });
});
