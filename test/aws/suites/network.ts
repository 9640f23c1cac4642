// Finds subnets and security groups as EC2 itself matches them.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { CreateTagsCommand } from "@aws-sdk/client-ec2";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { SecurityGroups } from "../../../src/adapters/aws/network/security-groups.ts";
import { SubnetBook } from "../../../src/adapters/aws/network/subnet-book.ts";
import type { SecurityGroupTerm, SubnetTerm } from "../../../src/adapters/aws/node-class/ec2-node-class.ts";
import { modelEc2NodeClass } from "../../support/model-ec2-node-class.ts";
import type { Seeded } from "../seed.ts";
import { control, openApi, openEc2, region, seed } from "../stage.ts";

const clock = { now: () => Date.now(), after: () => assert.fail("nothing waits here") };
const tagged = (tags: Record<string, string>) => ({ tags: new Map(Object.entries(tags)), id: undefined });

let api: AwsApi;
let seeded: Seeded;
before(async () => {
  api = await openApi();
  seeded = await seed();
});
after(() => api.close());

function bookOf() {
  return new SubnetBook({ api, clock, settings: { subnetRefreshMilliseconds: 60_000 } });
}

describe("subnets", () => {
  const find = async (...subnetSelectorTerms: SubnetTerm[]) => {
    const found = await bookOf().find(modelEc2NodeClass({ spec: { subnetSelectorTerms } }));
    return found.map(({ id }) => id).sort();
  };
  const ours = () => Object.values(seeded.subnetIds).sort();

  it("are found by tag, with any value, with part of it, and by id", async () => {
    const discovery = "karpenter.sh/discovery";
    assert.deepEqual(await find(tagged({ [discovery]: seeded.clusterName })), ours());
    assert.deepEqual(await find(tagged({ [discovery]: "*" })), [...ours(), seeded.otherSubnetId].sort());
    assert.deepEqual(await find(tagged({ [discovery]: "another-*" })), [seeded.otherSubnetId]);
    assert.deepEqual(await find({ tags: new Map(), id: seeded.otherSubnetId }), [seeded.otherSubnetId]);
    assert.deepEqual(await find(tagged({ [discovery]: "nobody" })), []);
    assert.deepEqual(await find({ tags: new Map(), id: "subnet-0" }), []);
  });

  it("come once although several terms match, and with their zones", async () => {
    const terms = [tagged({ "karpenter.sh/discovery": seeded.clusterName }), { tags: new Map(), id: ours()[0] ?? "" }];
    assert.deepEqual(await find(...terms), ours());
    const [subnet] = await bookOf().find(
      modelEc2NodeClass({ spec: { subnetSelectorTerms: [tagged({ "karpenter.sh/discovery": "another-cluster" })] } }),
    );
    assert.equal(subnet?.zone, `${region}a`);
    assert.match(subnet?.zoneID ?? "", /-az\d$/);
  });

  it("with hostile tags are matched to the letter", async () => {
    const tag = { Key: `a b&Filter.9.Name='"<x>`, Value: "ü,;\\n$(x)" };
    const ec2 = openEc2();
    await ec2.send(new CreateTagsCommand({ Resources: [seeded.otherSubnetId], Tags: [tag] }));
    ec2.destroy();
    assert.deepEqual(await find(tagged({ [tag.Key]: tag.Value })), [seeded.otherSubnetId]);
  });

  it("are asked for once a minute", async () => {
    await control.clearCalls();
    const book = bookOf();
    const nodeClass = modelEc2NodeClass();
    await book.find(nodeClass);
    await book.find(nodeClass);
    assert.equal((await control.calls("DescribeSubnets")).length, 1);
  });

  it("give the roomiest of a zone to a launch", async () => {
    const book = bookOf();
    const spec = { subnetSelectorTerms: [tagged({ "karpenter.sh/discovery": "*" })] };
    const subnets = await book.find(modelEc2NodeClass({ spec }));
    const nodeClass = modelEc2NodeClass({ spec, status: { subnets } });
    const zone = `${region}a`;
    const first = book.take(nodeClass, new Map([[zone, 100]])).get(zone);
    const second = book.take(nodeClass, new Map([[zone, 50]])).get(zone);
    assert.deepEqual([first, second].sort(), [seeded.subnetIds[zone], seeded.otherSubnetId].sort());
  });
});

describe("security groups", () => {
  const find = async (...securityGroupSelectorTerms: SecurityGroupTerm[]) =>
    new SecurityGroups({ api, clock }).find(modelEc2NodeClass({ spec: { securityGroupSelectorTerms } }));
  const none = { tags: new Map(), id: undefined, name: undefined };

  it("are found by tag, by id and by the name of the group", async () => {
    const all = await find({ ...none, tags: new Map([["karpenter.sh/discovery", seeded.clusterName]]) });
    assert.deepEqual(
      all.map(({ id }) => id),
      [...seeded.securityGroupIds].sort(),
    );
    const [nodes = ""] = seeded.securityGroupIds;
    assert.deepEqual(await find({ ...none, name: "nodes" }), [{ id: nodes, name: "nodes" }]);
    assert.deepEqual(await find({ ...none, id: nodes }), [{ id: nodes, name: "nodes" }]);
    assert.deepEqual(await find({ ...none, name: "nobody" }), []);
  });
});
