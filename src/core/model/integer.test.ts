import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { integerOf, largestInteger, smallestInteger } from "./integer.ts";

test("an integer of 64 bits is read exactly", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: smallestInteger, max: largestInteger }), (integer) => {
      const read = integerOf(String(integer));
      assert.ok(read !== undefined && BigInt(read) === integer);
    }),
  );
});

test("signs and leading zeros are read as Go reads them", () => {
  assert.deepEqual(["+5", "-5", "007", "00000000000000000009"].map(integerOf), [5, -5, 7, 9n]);
});

test("anything else is not an integer", () => {
  const others = ["", "+", "-", "1.0", "1e3", "0x10", "a", "1a", " 1", "9223372036854775808", "-9223372036854775809"];
  assert.deepEqual(
    others.filter((text) => integerOf(text) !== undefined),
    [],
  );
});
