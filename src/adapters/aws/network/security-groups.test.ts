import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelEc2NodeClass } from "../../../../test/support/model-ec2-node-class.ts";
import { SecurityGroups } from "./security-groups.ts";

describe("security groups", () => {
  it("come once each, by id, and are asked for once a minute", async () => {
    const clock = { time: 0, now: () => clock.time, after: () => assert.fail("nothing waits here") };
    const asked: unknown[] = [];
    const describeSecurityGroups = async (input: unknown) => {
      asked.push(input);
      return [{ GroupId: "sg-2", GroupName: "b" }, { GroupId: "sg-1" }];
    };
    const groups = new SecurityGroups({ api: { ec2: { describeSecurityGroups } }, clock });
    const terms = [
      { tags: new Map([["team", "a"]]), id: undefined, name: undefined },
      { tags: new Map(), id: undefined, name: "b" },
    ];
    const nodeClass = modelEc2NodeClass({ spec: { securityGroupSelectorTerms: terms } });
    assert.deepEqual(await groups.find(nodeClass), [
      { id: "sg-1", name: undefined },
      { id: "sg-2", name: "b" },
    ]);
    await groups.find(nodeClass);
    assert.deepEqual(asked, [
      { Filters: [{ Name: "tag:team", Values: ["a"] }] },
      { Filters: [{ Name: "group-name", Values: ["b"] }] },
    ]);
    clock.time = 60_000;
    await groups.find(nodeClass);
    assert.equal(asked.length, 4);
  });
});
