import assert from "node:assert/strict";
import { test } from "node:test";
import { someAtATime } from "./some-at-a-time.ts";

test("items are begun in their order, and never more at a time than is allowed", async () => {
  const story: string[] = [];
  const ends = new Map(["a", "b", "c"].map((item) => [item, Promise.withResolvers<void>()]));
  const done = someAtATime(2, ["a", "b", "c"], async (item, worker) => {
    story.push(`${worker} begins ${item}`);
    await ends.get(item)?.promise;
    story.push(`${worker} ends ${item}`);
  });
  for (const item of ["b", "c", "a"]) {
    ends.get(item)?.resolve();
    await new Promise(setImmediate);
  }
  await done;
  assert.deepEqual(story, ["0 begins a", "1 begins b", "1 ends b", "1 begins c", "1 ends c", "0 ends a"]);
});

test("what an act throws is thrown", async () => {
  await assert.rejects(
    someAtATime(2, [1], () => Promise.reject(new Error("no"))),
    /no/,
  );
});
