import assert from "node:assert/strict";
import { test } from "node:test";
import { rememberByText } from "./remember-by-text.ts";

test("equal values are looked at once, until many others have come", () => {
  let count = 0;
  const double = rememberByText(({ value }: { value: number }) => {
    count++;
    return 2 * value;
  });
  assert.deepEqual([double({ value: 1 }), double({ value: 1 }), double({ value: 2 }), count], [2, 2, 4, 2]);
  for (let value = 3; value < 70; value++) double({ value });
  assert.deepEqual([double({ value: 69 }), count], [138, 69]);
  assert.deepEqual([double({ value: 1 }), count], [2, 70]);
});
