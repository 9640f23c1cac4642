import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelEc2NodeClass } from "../../../../test/support/model-ec2-node-class.ts";
import { modelCondition } from "../../../../test/support/model-machine.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { judgeReadiness } from "./judge-readiness.ts";

const ready = modelEc2NodeClass({ conditions: [modelCondition("Ready", "True")] });
const judge = (nodeClass: Ec2NodeClass) => judgeReadiness(nodeClass, "none")?.kind;

describe("whether something can be launched for a node class", () => {
  it("holds for one that is ready in the generation that it has", () => {
    assert.equal(judge(ready), undefined);
    assert.equal(judge({ ...ready, generation: 2 }), "node-class-not-ready");
    assert.equal(judge({ ...ready, deletedAt: 1 }), "insufficient-capacity");
    assert.equal(judge({ ...ready, conditions: [modelCondition("Ready", "False")] }), "node-class-not-ready");
  });

  it("is asked again for one that nobody has looked at yet", () => {
    assert.equal(judge({ ...ready, conditions: [] }), "failed");
    assert.equal(judge({ ...ready, conditions: [modelCondition("Ready", "Unknown")] }), "failed");
  });

  it("is asked again while its placement group is not known, although it was ready in the process before", () => {
    assert.deepEqual(judgeReadiness(ready, "unknown"), {
      kind: "failed",
      reason: "PlacementGroupUnknown",
      message: 'the placement group of EC2NodeClass "default" is not known yet',
    });
    const group = { id: "pg-1", name: "racks", strategy: "cluster", partitions: 0 } as const;
    assert.equal(judgeReadiness(ready, group), undefined);
  });
});
