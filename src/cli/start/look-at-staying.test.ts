import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DecidedCandidate, Decision } from "../../core/disruption/decision.ts";
import { lookAtStaying } from "./look-at-staying.ts";

function candidate(node: string, because: string, isTaken = false): DecidedCandidate {
  return { node, claim: node, pool: "default", isTaken, because };
}

function looked(...candidates: readonly DecidedCandidate[]): Decision {
  return { time: "2026-01-01T00:00:00Z", reason: "Underutilized", kind: "looked", moves: [], candidates };
}

describe("what is said of nodes that stay", () => {
  it("is of the last look, those of one reason together", () => {
    const decisions = [
      looked(
        candidate("a", "its pods would cost $0.20 an hour elsewhere, they cost $0.10 now"),
        candidate("b", "pod default/web-1 has nowhere else to go: no room"),
        candidate("c", "pod default/web-2 has nowhere else to go: no room"),
        candidate("d", "its pods fit elsewhere", true),
      ),
      looked(candidate("a", "it is new")),
    ];
    assert.deepEqual(lookAtStaying(decisions), [
      { nodes: 2, reason: "pod default/web-1 has nowhere else to go: no room" },
      { nodes: 1, reason: "its pods would cost $0.20 an hour elsewhere, they cost $0.10 now" },
    ]);
  });

  it("is nothing before the first look", () => {
    assert.deepEqual(lookAtStaying([]), []);
  });
});
