import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { scanJson } from "./scan-json.ts";

describe("scanJson", () => {
  it("complains of exactly what a parser refuses", () => {
    const almost = fc.tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom("", "{", "]", '"', ",", "-", "0", "\\", "e", "\u0001"),
    );
    fc.assert(
      fc.property(almost, ([text, at, junk]) => {
        const place = at % (text.length + 1);
        const spoilt = `${text.slice(0, place)}${junk}${text.slice(place + 1)}`;
        let isJson = true;
        try {
          JSON.parse(spoilt);
        } catch {
          isJson = false;
        }
        assert.equal(scanJson(spoilt).complaint === undefined, isJson, spoilt);
      }),
      { numRuns: 300 },
    );
  });

  it("finds keys that are given more than once", () => {
    const text = '{"a":{"b":1,"b":2},"l":[{"x":1},{"x":1,"\\u0078":2}],"a":3}';
    assert.deepEqual([...scanJson(text).repeated], ["a.b", "l[1].x", "a"]);
  });

  it("speaks like a Go decoder", () => {
    const texts = [
      "",
      "{",
      "tru",
      "- 1",
      "1.x",
      "1e",
      '"a',
      '"\\q"',
      '"\\u12g"',
      "{'a'}",
      '{"a" 1}',
      "[1 2]",
      "{\0}",
      "1 2",
      "nul1",
    ];
    assert.deepEqual(
      texts.map((text) => scanJson(text).complaint),
      [
        "unexpected end of JSON input",
        "unexpected end of JSON input",
        "invalid character ' ' in literal true (expecting 'e')",
        "invalid character ' ' in numeric literal",
        "invalid character 'x' after decimal point in numeric literal",
        "invalid character ' ' in exponent of numeric literal",
        "unexpected end of JSON input",
        "invalid character 'q' in string escape code",
        "invalid character 'g' in \\u hexadecimal character escape",
        "invalid character '\\'' looking for beginning of object key string",
        "invalid character '1' after object key",
        "invalid character '2' after array element",
        "invalid character '\\x00' looking for beginning of object key string",
        "invalid character '2' after top-level value",
        "invalid character '1' in literal null (expecting 'l')",
      ],
    );
  });

  it("does not follow what is nested without end", () => {
    assert.equal(scanJson("[".repeat(1_000_000)).complaint, "invalid character '[' exceeded max depth");
  });
});
