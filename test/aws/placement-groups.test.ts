import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlacementGroup } from "@aws-sdk/client-ec2";
import type { Ec2NodeClass } from "../../src/adapters/aws/node-class/ec2-node-class.ts";
import { PlacementGroupBook } from "../../src/adapters/aws/placement-groups/placement-group-book.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";

const minute = 60_000;
const racks: PlacementGroup = { GroupId: "pg-1", GroupName: "racks", Strategy: "partition", PartitionCount: 3 };
const found = { id: "pg-1", name: "racks", strategy: "partition", partitions: 3 };
const nodeClass = {
  spec: { placementGroupSelector: { id: undefined, name: "racks" } },
} as unknown as Ec2NodeClass;

describe("placement groups", () => {
  it("are not asked for by node classes that have none", async () => {
    const stage = new Stage();
    const plain = { spec: { placementGroupSelector: undefined } } as unknown as Ec2NodeClass;
    assert.equal(await stage.book.find(plain), undefined);
    assert.equal(stage.book.known(plain), "none");
    assert.equal(stage.calls, 0);
  });

  it("are asked for once a minute", async () => {
    const stage = new Stage();
    assert.equal(stage.book.known(nodeClass), "unknown");
    assert.deepEqual(await Promise.all([stage.book.find(nodeClass), stage.book.find(nodeClass)]), [found, found]);
    assert.deepEqual(stage.book.known(nodeClass), found);
    await stage.clock.advance(minute - 1);
    await stage.book.find(nodeClass);
    assert.equal(stage.calls, 1);
    await stage.clock.advance(1);
    await stage.book.find(nodeClass);
    assert.equal(stage.calls, 2);
    assert.equal(stage.book.version, 1);
  });

  it("are asked for once a minute when there are none, too", async () => {
    const stage = new Stage();
    for (const answer of [[], "InvalidPlacementGroup.Unknown"] as const) {
      stage.answer = answer;
      stage.calls = 0;
      assert.equal(await stage.book.find(nodeClass), undefined);
      assert.equal(await stage.book.find(nodeClass), undefined);
      assert.equal(stage.calls, 1);
      await stage.clock.advance(minute);
    }
  });

  it("are known for a day while EC2 does not answer", async () => {
    const stage = new Stage();
    await stage.book.find(nodeClass);
    stage.answer = "InternalError";
    await stage.clock.advance(minute);
    await assert.rejects(stage.book.find(nodeClass), { message: "InternalError" });
    assert.deepEqual(stage.book.known(nodeClass), found);
    await stage.clock.advance(24 * 60 * minute);
    assert.equal(stage.book.known(nodeClass), "unknown");
  });

  it("are forgotten once EC2 says that they are gone", async () => {
    const stage = new Stage();
    await stage.book.find(nodeClass);
    stage.answer = [];
    await stage.clock.advance(minute);
    assert.equal(await stage.book.find(nodeClass), undefined);
    assert.equal(stage.book.known(nodeClass), "unknown");
    assert.equal(await stage.book.find(nodeClass), undefined);
    assert.equal(stage.book.version, 2);
  });

  it("name the action that a role lacks", async () => {
    const stage = new Stage();
    stage.answer = "UnauthorizedOperation";
    await assert.rejects(stage.book.find(nodeClass), /AWS refuses ec2:DescribePlacementGroups/);
  });
});

class Stage {
  readonly clock = new VirtualClock(0);
  calls = 0;
  /** What EC2 answers, or the code that it fails with. */
  answer: readonly PlacementGroup[] | string = [racks];

  readonly book = new PlacementGroupBook({
    api: {
      ec2: {
        describePlacementGroups: async () => {
          this.calls++;
          const { answer } = this;
          if (typeof answer !== "string") return answer;
          throw Object.assign(new Error(answer), { Code: answer, $metadata: { httpStatusCode: 400 } });
        },
      },
    },
    clock: this.clock,
  });
}
