import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { WholeController } from "../support/whole-controller.ts";
import { deployment, nodeClass, nodePool } from "./manifests.ts";

/** Two processes on one cluster that is slow, so that there are always writes under way; they begin with a burst of pods. */
async function withTwo(act: (first: WholeController, second: WholeController) => Promise<void>): Promise<void> {
  const first = new WholeController();
  const second = new WholeController({ beside: first, seed: 2 });
  const requirements = [{ key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: ["4"] }];
  first.load(nodeClass(), nodePool("general", { limits: { cpu: "32" }, spec: { requirements } }));
  first.load(deployment("web", 16, { cpu: "1600m" }));
  const on = { methods: ["POST", "PATCH"], path: /nodeclaims|nodes|pods/ };
  first.cluster.faults.inject({ effect: "slow", byMs: 700, probability: 0.7, on });
  first.start();
  await first.clock.advance(1_000);
  second.start();
  try {
    await act(first, second);
    const pods = first.list("v1", "Pod") as readonly { spec?: { nodeName?: string } }[];
    assert.equal(pods.filter(({ spec }) => spec?.nodeName === undefined).length, 0, "no pod waits");
    assert.deepEqual([first.list("karpenter.sh/v1", "NodeClaim").length, first.list("v1", "Node").length], [8, 8]);
  } finally {
    await second.stop();
    await first.stop();
  }
}

describe("a process that stands by", () => {
  for (const after of [1_500, 3_300, 6_000]) {
    it(`goes on where another died ${after / 1000} s into a burst`, () =>
      withTwo(async (first, second) => {
        await first.clock.advance(after);
        assert.deepEqual([first.controller.isLeader, second.controller.isLeader], [true, false]);
        first.crash();
        await first.clock.advance(90_000);
        assert.equal(second.controller.isLeader, true);
      }));
  }

  it("never leads while the other does, although the lease cannot be renewed for a while", () =>
    withTwo(async (first, second) => {
      await first.clock.advance(2_000);
      const end = first.cluster.faults.inject({
        effect: "refuse",
        status: 500,
        probability: 0.85,
        on: { path: /leases/ },
      });
      const terms = new Set<string>();
      for (let i = 0; i < 600; i++) {
        await first.clock.advance(500);
        const leaders = [first.controller.isLeader, second.controller.isLeader];
        assert.notDeepEqual(leaders, [true, true]);
        terms.add(String(leaders));
      }
      assert.ok(terms.size > 1, "the lease was lost at least once");
      end();
      await first.clock.advance(60_000);
    }));
});
