import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelTaint } from "../../../test/support/model-machine.ts";
import { ObservedTaints } from "./observed-taints.ts";

const minute = 60_000;
const taint = modelTaint("example.com/a", "NoSchedule", "b");
const other = modelTaint("example.com/c", "NoExecute");

function observed(): ObservedTaints {
  const taints = new ObservedTaints();
  taints.add("general", [taint], 0);
  return taints;
}

describe("a taint that starting nodes of a NodePool have", () => {
  it("counts as one of the NodePool for five minutes", () => {
    const taints = observed();
    assert.deepEqual(taints.of("general", 5 * minute - 1), [{ ...taint, isForeign: true }]);
    assert.deepEqual(taints.of("general", 5 * minute), []);
    assert.deepEqual(taints.of("other", 0), []);
  });

  it("is news once", () => {
    const taints = observed();
    assert.deepEqual(taints.add("general", [taint, other], minute), [other]);
    assert.deepEqual(taints.add("general", [taint, other], 6 * minute), []);
  });

  it("is tried again after 5, 10, 20 and 30 minutes", () => {
    const taints = observed();
    const trials: number[] = [];
    for (let now = 0; now < 100; now++) {
      if (!taints.needsTrial("general", now * minute)) continue;
      trials.push(now);
      taints.beginTrial("general", now * minute);
      assert.equal(taints.needsTrial("general", now * minute), false);
      assert.equal(taints.of("general", now * minute).length, 1);
    }
    assert.deepEqual(trials, [5, 15, 35, 65, 95]);
  });

  it("is forgotten when a node starts without it, loses it, or the NodePool changes", () => {
    const [started, lost, changed] = [observed(), observed(), observed()];
    assert.equal(started.keepOnly("general", [taint]), false);
    assert.equal(started.keepOnly("general", [other]), true);
    assert.equal(lost.remove("general", [other]), false);
    assert.equal(lost.remove("general", [taint]), true);
    changed.forget("general");
    for (const taints of [started, lost, changed]) {
      assert.deepEqual(taints.of("general", 0), []);
      assert.equal(taints.needsTrial("general", 60 * minute), false);
    }
  });
});

it("a taint that is only suspected asks for a trial at once", () => {
  const taints = new ObservedTaints();
  taints.suspect("general", [taint], 0);
  assert.deepEqual(taints.of("general", 0), []);
  assert.equal(taints.needsTrial("general", 0), true);
  taints.beginTrial("general", 0);
  assert.equal(taints.of("general", 5 * minute - 1).length, 1);
});
