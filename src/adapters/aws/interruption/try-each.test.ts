import assert from "node:assert/strict";
import { test } from "node:test";
import { tryEach } from "./try-each.ts";

test("each has its turn, ten at a time, although some fail", async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  const items = Array.from({ length: 35 }, (_, i) => i);
  const errors = await tryEach(items, async (item) => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
    if (item % 10 === 3) throw new Error(`${item}`);
    done.push(item);
  });
  assert.equal(most, 10);
  assert.equal(done.length, 31);
  assert.deepEqual(errors.map(String), ["Error: 3", "Error: 13", "Error: 23", "Error: 33"]);
});

test("nothing to do is done at once", async () => {
  assert.deepEqual(await tryEach([], () => Promise.reject(new Error("never"))), []);
});
