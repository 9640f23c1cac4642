import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelPod } from "../../../test/support/model-pod.ts";
import { IntendedPods } from "./intended-pods.ts";

/** What is meant for these claims. */
function podsOf(intended: IntendedPods, ...claimNames: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(claimNames.map((name) => [name, [...intended.podsOf(name)]]));
}

describe("intended pods", () => {
  it("knows which claim each pod is meant for, and since when", () => {
    const intended = new IntendedPods();
    intended.intend("1", "a", 10);
    intended.intend("2", "a", 20);
    intended.intend("3", "b", 30);
    assert.deepEqual(podsOf(intended, "a", "b", "c"), { a: ["1", "2"], b: ["3"], c: [] });
    assert.deepEqual([intended.claimOf("2"), intended.intendedAt("2"), intended.size], ["a", 20, 3]);
    assert.deepEqual([intended.claimOf("4"), intended.intendedAt("4")], [undefined, 0]);
  });

  it("means each pod for one claim: the last one", () => {
    const intended = new IntendedPods();
    intended.intend("1", "a", 10);
    intended.intend("1", "b", 20);
    assert.deepEqual(podsOf(intended, "a", "b"), { a: [], b: ["1"] });
    assert.deepEqual([intended.claimOf("1"), intended.intendedAt("1"), intended.size], ["b", 10, 1]);
  });

  it("forgets a pod, all pods of a claim, or everything", () => {
    const intended = new IntendedPods();
    for (const [pod, claim] of ["1a", "2a", "3b", "4b", "5c"].map((text) => [text[0] ?? "", text[1] ?? ""] as const))
      intended.intend(pod, claim, 10);
    intended.drop("1");
    intended.drop("unknown");
    intended.dropClaim("b");
    intended.dropClaim("unknown");
    assert.deepEqual(podsOf(intended, "a", "b", "c"), { a: ["2"], b: [], c: ["5"] });
    assert.deepEqual([intended.claimOf("1"), intended.claimOf("3"), intended.size], [undefined, undefined, 2]);
    intended.clear();
    assert.deepEqual(
      [podsOf(intended, "a", "c"), intended.claimOf("2"), intended.size],
      [{ a: [], c: [] }, undefined, 0],
    );
  });

  it("tells its listeners of every claim that gets a pod, until they stop listening", () => {
    const intended = new IntendedPods();
    const heard: string[] = [];
    const stop = intended.onIntended((claimName) =>
      heard.push(`${claimName} ${[...intended.podsOf(claimName)].join()}`),
    );
    intended.intend("1", "a", 10);
    intended.intend("1", "b", 20);
    intended.drop("1");
    stop();
    intended.intend("2", "a", 30);
    assert.deepEqual(heard, ["a 1", "b 1"]);
  });

  it("keeps pods that do not exist yet", () => {
    const intended = new IntendedPods();
    const expected = modelPod("expected", { expectation: "firm" });
    intended.intend(expected.uid, "a", 10, expected);
    intended.intend("1", "a", 10);
    assert.deepEqual([...intended.expectedPods()], [expected]);
    assert.deepEqual([intended.expectedPod(expected.uid), intended.expectedPod("1")], [expected, undefined]);
    intended.drop(expected.uid);
    assert.deepEqual([...intended.expectedPods()], []);
  });

  it("gives the place of an expected pod to the pod that has been created", () => {
    const intended = new IntendedPods();
    const expected = modelPod("expected", { expectation: "firm" });
    const heard: string[] = [];
    intended.intend(expected.uid, "a", 10, expected);
    intended.onIntended((claimName) => heard.push(claimName));
    intended.fulfil(expected.uid, "1", 15);
    assert.deepEqual(podsOf(intended, "a"), { a: ["1"] });
    assert.deepEqual([...intended.expectedPods()], []);
    assert.deepEqual([intended.intendedAt("1"), intended.claimOf(expected.uid), heard], [15, undefined, ["a"]]);
    intended.fulfil("unknown", "2", 15);
    assert.equal(intended.claimOf("2"), undefined);
  });

  it("knows since when a pod has had a place, which does not begin before the pod does", () => {
    const intended = new IntendedPods();
    intended.intend("1", "a", 10);
    intended.intend("1", "a", 20);
    intended.intend("1", "b", 30);
    assert.equal(intended.intendedAt("1"), 10);
    intended.drop("1");
    intended.intend("1", "b", 35);
    assert.equal(intended.intendedAt("1"), 35);
    intended.intend("set/1", "a", 40, modelPod("expected", { uid: "set/1", expectation: "firm" }));
    intended.fulfil("set/1", "2", 15);
    assert.equal(intended.intendedAt("2"), 40);
  });

  it("keeps the place of an expected pod that gets another uid", () => {
    const intended = new IntendedPods();
    const [before, after] = ["a/1", "b/1"].map((uid) => modelPod("expected", { uid, expectation: "firm" }));
    intended.intend("a/1", "claim", 10, before!);
    intended.rename("a/1", after!);
    assert.deepEqual([intended.intendedAt("b/1"), intended.claimOf("a/1")], [10, undefined]);
    assert.deepEqual([...intended.expectedPods()], [after]);
  });
});
