import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { renderValue } from "./render-value.ts";

describe("A value in a message", () => {
  // As Go writes them.
  const cases: readonly (readonly [value: unknown, text: string])[] = [
    ["plain", '"plain"'],
    ['quo"te\\', '"quo\\"te\\\\"'],
    ["tab\tline\n\u0001\u0007", '"tab\\tline\\n\\x01\\a"'],
    ["é日本😀", '"é日本😀"'],
    ["\u00a0\u200b\u{e0001}", '"\\u00a0\\u200b\\U000e0001"'],
    ["\ud800", '"\ufffd"'],
    [5, "5"],
    [-0, "0"],
    [1.5, "1.5"],
    [123456.5, "123456.5"],
    [1234567.5, "1.2345675e+06"],
    [0.00001, "1e-05"],
    [1e100, "1e+100"],
    [9007199254740992, "9007199254740992"],
    [true, "true"],
    [null, "null"],
    [{ b: [1, "<&>"], a: null }, '{"a":null,"b":[1,"\\u003c\\u0026\\u003e"]}'],
    [[], "[]"],
    [{}, "{}"],
  ];
  for (const [value, text] of cases) {
    it(`is written as ${text}`, () => {
      assert.equal(renderValue(value), text);
    });
  }

  it("may be nested deeper than the stack", () => {
    let nested: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) nested = [nested];
    assert.equal(renderValue(nested).length, 200_001);
  });
});
