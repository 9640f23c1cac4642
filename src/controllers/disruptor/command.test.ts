import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim } from "../../../test/support/model-machine.ts";
import { modelPod } from "../../../test/support/model-pod.ts";
import { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Candidate } from "../../core/disruption/candidate.ts";
import type { NodeToLaunch } from "../../ports/planner.ts";
import { type Command, type Order, replacementAnnotations, unfinishedCommands } from "./command.ts";

/** As many nodes with these pods each, and as many new ones for these pods. */
function notesOf(leaving: readonly (readonly string[])[], coming: readonly (readonly string[])[]) {
  const candidates = leaving.map((pods, index) => ({
    claim: modelClaim({ name: `old-${index}` }),
    pods: pods.map((name) => ({ ...modelPod(name), uid: name })),
  }));
  const order = {
    candidates: candidates as unknown as Candidate[],
    launches: coming.map(launchFor),
  } as unknown as Order;
  const command = {
    claimNames: candidates.map(({ claim }) => claim.name),
    replacementNames: coming.map((_, index) => `new-${index}`),
  } as unknown as Command;
  return replacementAnnotations(command, order);
}

function launchFor(podUids: readonly string[]): NodeToLaunch {
  return { podUids } as NodeToLaunch;
}

const namesIn = (notes: ReturnType<typeof notesOf>) => notes.map((note) => note.get("karpenter.sh/replaces"));

describe("what is written on a replacement", () => {
  it("names those whose pods are meant for it", () => {
    const notes = notesOf([["a", "b"], ["c"], ["d"]], [["a", "c"], ["b"]]);
    assert.deepEqual(namesIn(notes), ["old-0,old-1,old-2", "old-0"]);
    assert.deepEqual(
      notes.map((note) => note.get("karpenter.sh/replacements")),
      ["new-0/2", "new-0/2"],
    );
  });

  it("names somebody for each, pods or not", () => {
    assert.deepEqual(namesIn(notesOf([[]], [[], []])), ["old-0", "old-0"]);
    assert.deepEqual(namesIn(notesOf([["a"], [], []], [["a"], []])), ["old-0,old-2", "old-1"]);
  });

  it("does not grow with how many go together", () => {
    const pods = Array.from({ length: 4_000 }, (_, index) => `pod-${index}`);
    const notes = notesOf(
      pods.map((pod) => [pod]),
      Array.from({ length: 400 }, (_, index) => pods.slice(10 * index, 10 * index + 10)),
    );
    const longest = Math.max(...notes.map((note) => [...note.values()].join().length));
    assert.ok(longest < 200, `${longest} characters`);
  });

  it("is enough to go on with all of it", () => {
    const cluster = new ClusterState();
    const conditions = [
      { type: "DisruptionReason", status: "True", reason: "Drifted", message: "", lastTransitionTime: 0 } as const,
    ];
    const leaving = [["a", "b"], ["c"], ["d"]];
    for (const index of leaving.keys()) {
      const name = `old-${index}`;
      cluster.claims.put(name, modelClaim({ name, uid: name, conditions: conditions as never }));
    }
    for (const [index, annotations] of notesOf(leaving, [["a", "c"], ["b"]]).entries()) {
      const name = `new-${index}`;
      cluster.claims.put(name, modelClaim({ name, uid: name, annotations }));
    }
    const resume = () =>
      unfinishedCommands(cluster, [...cluster.claims.values()]).map(({ claimNames, replacementNames }) => [
        claimNames,
        replacementNames,
      ]);
    assert.deepEqual(resume(), [
      [
        ["old-0", "old-1", "old-2"],
        ["new-0", "new-1"],
      ],
    ]);
    cluster.claims.remove("new-1");
    assert.deepEqual(resume(), []);
  });
});
