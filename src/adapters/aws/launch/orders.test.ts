import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ObjectView } from "../../../ports/cluster-view.ts";
import type { Machine } from "../instances/machine.ts";
import { Orders } from "./orders.ts";

type ClaimListener = Parameters<ObjectView<NodeClaim>["onChange"]>[0];

/** Claims that are there when the process begins, and an AWS that lists its machine from some time on. */
function stage(claims: readonly NodeClaim[], visibleAt = Number.POSITIVE_INFINITY) {
  let now = 0;
  let looks = 0;
  const clock: Clock = {
    now: () => now,
    after: (milliseconds, callback) => {
      queueMicrotask(() => {
        now += milliseconds;
        callback();
      });
      return { cancel: () => {} };
    },
  };
  const byName = new Map(claims.map((claim) => [claim.name, claim]));
  let tell: ClaimListener = () => {};
  const view = {
    size: claims.length,
    get: (name: string) => byName.get(name),
    values: () => byName.values(),
    entries: () => byName.entries(),
    onChange: (listener: ClaimListener) => {
      tell = listener;
      return () => {};
    },
  };
  const ending = new AbortController();
  const list = async () => {
    looks++;
    return now >= visibleAt ? [machine] : [];
  };
  const orders = new Orders({ claims: view, clock, list, ended: ending.signal });
  /** Claims that come while the process runs. */
  const add = (...added: readonly NodeClaim[]): void => {
    for (const claim of added) {
      byName.set(claim.name, claim);
      tell({ key: claim.name, before: undefined, after: claim });
    }
  };
  return { orders, ending, byName, add, now: () => now, looks: () => looks };
}

const machine = {
  id: "i-1",
  providerId: "aws:///a/i-1",
  tags: new Map([["karpenter.k8s.aws/nodeclaims-0", "a b"]]),
  createdAt: 0,
  state: "running",
} as unknown as Machine;

/** Older than the process by default. */
function claimOf(name: string, createdAt = -1_000): NodeClaim {
  return { name, providerId: "", createdAt, deletedAt: undefined } as unknown as NodeClaim;
}

describe("orders", () => {
  it("let buy at once for a claim that nobody can have bought for", async () => {
    const claim = claimOf("a", 0);
    const { orders, add, now, looks } = stage([]);
    add(claim);
    assert.equal(await orders.seek(claim), undefined);
    assert.deepEqual([now(), looks()], [0, 0]);
  });

  it("wait where whoever led before may have bought, although we hear of the claim only now", async () => {
    const claim = claimOf("a", -5_000);
    const { orders, add, now } = stage([]);
    add(claim);
    assert.equal(await orders.seek(claim), undefined);
    assert.equal(now(), 30_000);
  });

  it("find what a former process has bought although AWS lists it 25 seconds later", async () => {
    const claim = claimOf("a");
    const { orders, now } = stage([claim], 25_000);
    assert.equal(await orders.seek(claim), machine);
    assert.ok(now() < 29_000);
  });

  it("let buy after half a minute of looking for what a former process may have bought", async () => {
    const claim = claimOf("a");
    const { orders, now, looks } = stage([claim]);
    assert.equal(await orders.seek(claim), undefined);
    assert.deepEqual([now(), looks()], [30_000, 11]);
  });

  it("make a purchase without an answer again, at once, and share what it brings", async () => {
    const claims = [claimOf("a", 0), claimOf("b", 0)] as const;
    const { orders, add, now, looks } = stage([]);
    add(...claims);
    const claimNames = ["a", "b"];
    orders.doubt(claimNames, { claimNames, send: async () => orders.share(claimNames, [machine]) });
    assert.equal(await orders.seek(claims[0]), machine);
    assert.equal(await orders.seek(claims[1]), undefined);
    assert.deepEqual([now(), looks()], [0, 0]);
  });

  it("let nobody buy while a purchase has no answer", async () => {
    const claim = claimOf("a");
    const { orders } = stage([claim]);
    const send = () => Promise.reject(new Error("silence"));
    orders.doubt(["a"], { claimNames: ["a"], send });
    await assert.rejects(orders.seek(claim), /silence/);
    await assert.rejects(orders.seek(claim), /silence/);
  });

  it("do not make a purchase again for claims that have gone", async () => {
    const claims = [claimOf("a"), claimOf("b")] as const;
    const { orders, byName, now } = stage(claims);
    orders.doubt(["a", "b"], { claimNames: ["a", "b"], send: () => assert.fail("it is sent again") });
    byName.set("b", { ...claims[1], deletedAt: 1 });
    assert.equal(await orders.seek(claims[0]), undefined);
    assert.equal(now(), 30_000);
  });

  it("keep nobody waiting who does not lead any more", async () => {
    const claim = claimOf("a");
    const { orders, ending } = stage([claim]);
    ending.abort(new Error("somebody else leads"));
    await assert.rejects(orders.seek(claim), /somebody else leads/);
  });
});
