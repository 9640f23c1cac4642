import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Decision } from "../../core/disruption/decision.ts";
import { Journal } from "./journal.ts";

function look(time: number, ...nodes: readonly string[]): Decision {
  const candidates = nodes.map((node) => ({ node, claim: node, pool: "general", isTaken: false, because: "full" }));
  return { time: `2026-01-01T00:00:0${time}Z`, reason: "Underutilized", kind: "looked", moves: [], candidates };
}

describe("the journal", () => {
  it("tells the newest first", () => {
    const journal = new Journal();
    const [first, second] = [look(1, "a"), look(2, "a", "b")];
    journal.write(first);
    journal.write(second);
    assert.deepEqual(journal.decisions, [second, first]);
  });

  it("does not repeat a look that found the same, and repeats what was done", () => {
    const journal = new Journal();
    journal.write(look(1, "a"));
    journal.write(look(2, "a"));
    journal.write({ ...look(3), kind: "done" });
    journal.write({ ...look(4), kind: "done" });
    assert.deepEqual(
      journal.decisions.map(({ time }) => time.at(-2)),
      ["4", "3", "1"],
    );
  });

  it("keeps to its bounds", () => {
    const few = new Journal({ mostDecisions: 2 });
    for (const time of [1, 2, 3]) few.write(look(time, `n${time}`));
    assert.equal(few.decisions.length, 2);
    const small = new Journal({ mostBytes: 400 });
    for (const time of [1, 2, 3, 4, 5]) small.write(look(time, `n${time}`));
    assert.ok(small.decisions.length < 3 && small.decisions.length > 0);
    assert.equal(small.decisions[0]?.candidates[0]?.node, "n5");
    const usual = new Journal();
    for (let count = 0; count < 10; count++) usual.write({ ...look(count, "n".repeat(2 ** 19)), kind: "done" });
    assert.ok(JSON.stringify(usual.decisions).length < 4.5 * 2 ** 20);
  });
});
