import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { fit, oneLine, truncate, widthOf } from "./text-width.ts";

describe("the width of text", () => {
  it("is what a terminal shows, wide signs and joined ones too", () => {
    assert.deepEqual(["node", "ノード", "👩‍💻", "é", ""].map(widthOf), [4, 6, 2, 1, 0]);
  });

  it("is never more than asked for, and says where something is missing", () => {
    assert.deepEqual(
      [truncate("general-x7k2p", 20), truncate("general-x7k2p", 8), truncate("ノード", 4), truncate("x", 0)],
      ["general-x7k2p", "general…", "ノ…", ""],
    );
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 0, max: 30 }), (text, width) => {
        assert.ok(widthOf(truncate(oneLine(text), width)) <= width);
        assert.equal(widthOf(fit(oneLine(text), width)), width);
      }),
    );
  });

  it("is filled up on the side that the text is not on", () => {
    assert.deepEqual([fit("ab", 4), fit("ab", 4, "right"), fit("ノード", 5)], ["ab  ", "  ab", "ノー…"]);
  });
});

describe("a line of text", () => {
  it("moves no cursor and changes no colour, whatever somebody named their things", () => {
    assert.equal(oneLine("a\u001b[2Jb\r\nc\td\u009b1m"), "a[2Jb c d1m");
  });
});
