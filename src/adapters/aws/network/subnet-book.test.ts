import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { Subnet } from "@aws-sdk/client-ec2";
import { modelEc2NodeClass } from "../../../../test/support/model-ec2-node-class.ts";
import { SubnetBook } from "./subnet-book.ts";

const subnet = (id: string, zone: string, free: number): Subnet => ({
  SubnetId: id,
  AvailabilityZone: zone,
  AvailabilityZoneId: `${zone}-id`,
  AvailableIpAddressCount: free,
});

describe("the book of subnets", () => {
  const clock = { time: 0, now: () => clock.time, after: () => assert.fail("nothing waits here") };
  let asked: number;
  let answer: Subnet[];
  let book: SubnetBook;
  beforeEach(() => {
    clock.time = 0;
    asked = 0;
    answer = [subnet("subnet-a1", "a", 50), subnet("subnet-b1", "b", 100), subnet("subnet-a2", "a", 60)];
    const describeSubnets = async (): Promise<Subnet[]> => {
      asked++;
      return answer;
    };
    book = new SubnetBook({
      api: { ec2: { describeSubnets } },
      clock,
      settings: { subnetRefreshMilliseconds: 60_000 },
    });
  });

  const found = async () => modelEc2NodeClass({ status: { subnets: await book.find(modelEc2NodeClass()) } });
  const take = async (zone: string, addresses: number) => book.take(await found(), new Map([[zone, addresses]]));
  const idIn = async (zone: string) => (await take(zone, 0)).get(zone);

  it("lists each subnet once, the roomiest first", async () => {
    const tags = (value: string) => ({ tags: new Map([["team", value]]), id: undefined });
    const nodeClass = modelEc2NodeClass({ spec: { subnetSelectorTerms: [tags("a"), tags("b")] } });
    answer.push(subnet("subnet-c0", "c", 60));
    assert.deepEqual(await book.find(nodeClass), [
      { id: "subnet-b1", zone: "b", zoneID: "b-id" },
      { id: "subnet-a2", zone: "a", zoneID: "a-id" },
      { id: "subnet-c0", zone: "c", zoneID: "c-id" },
      { id: "subnet-a1", zone: "a", zoneID: "a-id" },
    ]);
    assert.equal(asked, 2);
  });

  it("asks again after the refresh interval, and at once when the spec changes", async () => {
    await book.find(modelEc2NodeClass());
    clock.time = 59_999;
    await book.find(modelEc2NodeClass());
    assert.equal(asked, 1);
    await book.find(modelEc2NodeClass({ generation: 2 }));
    assert.equal(asked, 2);
    clock.time = 60_000;
    await book.find(modelEc2NodeClass());
    assert.equal(asked, 3);
  });

  it("takes from the subnet of a zone that has the most left", async () => {
    const taken = await take("a", 20);
    assert.deepEqual(taken, new Map([["a", "subnet-a2"]]));
    assert.equal(await idIn("a"), "subnet-a1");
    await take("a", 20);
    assert.equal(await idIn("a"), "subnet-a2");
  });

  it("knows of no subnet in a zone where there is none", async () => {
    assert.deepEqual(await take("z", 1), new Map());
  });

  it("gives back what was not used, once", async () => {
    const taken = await take("a", 20);
    book.giveBack(taken, new Set());
    book.giveBack(taken, new Set());
    assert.equal(await idIn("a"), "subnet-a2");
    await take("a", 11);
    assert.equal(await idIn("a"), "subnet-a1");
  });

  it("does not give back what was used", async () => {
    const taken = await take("a", 20);
    book.giveBack(taken, new Set(["subnet-a2"]));
    assert.equal(await idIn("a"), "subnet-a1");
  });

  it("does not give back to a count that was read later", async () => {
    const taken = await take("a", 20);
    clock.time = 60_000;
    answer = [subnet("subnet-a1", "a", 50), subnet("subnet-a2", "a", 40)];
    await found();
    book.giveBack(taken, new Set());
    assert.equal(await idIn("a"), "subnet-a1");
  });

  it("passes over a subnet that is full until it is read again", async () => {
    await found();
    book.markFull("subnet-a2");
    assert.equal(await idIn("a"), "subnet-a1");
    clock.time = 60_000;
    assert.equal(await idIn("a"), "subnet-a2");
  });

  it("still names a subnet when nobody knows how much is left", async () => {
    const nodeClass = modelEc2NodeClass({ status: { subnets: [{ id: "subnet-x", zone: "a", zoneID: undefined }] } });
    assert.deepEqual(book.take(nodeClass, new Map([["a", 5]])), new Map([["a", "subnet-x"]]));
  });
});
