import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SharedQuestion } from "./shared-question.ts";

const otherTurns = () => new Promise((done) => setImmediate(done));

function stage() {
  const asked: PromiseWithResolvers<number>[] = [];
  const question = new SharedQuestion(() => {
    const answer = Promise.withResolvers<number>();
    asked.push(answer);
    return answer.promise;
  });
  return { asked, question };
}

describe("SharedQuestion", () => {
  it("is put once for all who ask at a time, and once more for all who ask later", async () => {
    const { asked, question } = stage();
    const early = [question.ask(), question.ask()];
    await otherTurns();
    const late = [question.ask(), question.ask(), question.ask()];
    await otherTurns();
    assert.equal(asked.length, 1);
    asked[0]?.resolve(1);
    assert.deepEqual(await Promise.all(early), [1, 1]);
    await otherTurns();
    asked[1]?.resolve(2);
    assert.deepEqual(await Promise.all(late), [2, 2, 2]);
    assert.equal(asked.length, 2);
  });

  it("is put again after it failed", async () => {
    const { asked, question } = stage();
    const failing = assert.rejects(question.ask(), /busy/);
    await otherTurns();
    const next = question.ask();
    asked[0]?.reject(new Error("busy"));
    await failing;
    await otherTurns();
    asked[1]?.resolve(2);
    assert.equal(await next, 2);
  });
});
