import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeRequest, KubeWatchEvent } from "../../ports/kube-transport.ts";
import { EmbeddedCluster } from "../cluster.ts";
import { VirtualClock } from "../time/virtual-clock.ts";
import type { Fault } from "./fault.ts";

const without = ["scheduler", "workloads", "kubelet"] as const;
const path = "/api/v1/namespaces/default/configmaps";
const get: KubeRequest = { method: "GET", path: `${path}/one` };

function start(seed = 1) {
  const clock = new VirtualClock(0);
  const cluster = new EmbeddedCluster({ clock, seed, without });
  const write = (name: string, value: string) =>
    cluster.transport.send({
      method: "POST",
      path,
      contentType: "application/json",
      body: { metadata: { name }, data: { value } },
    });
  const change = (value: string) =>
    cluster.transport.send({
      method: "PATCH",
      path: `${path}/one`,
      contentType: "application/merge-patch+json",
      body: { data: { value } },
    });
  return { clock, cluster, write, change };
}

type Body = { reason?: string; data?: { value: string }; items?: unknown[]; metadata: { resourceVersion: string } };

describe("faults", () => {
  for (const [status, reason] of [
    [409, "Conflict"],
    [429, "TooManyRequests"],
    [500, "InternalError"],
    [503, "ServiceUnavailable"],
  ] as const) {
    it(`refuse a write with ${status}, which then has not happened`, async () => {
      const { cluster, write } = start();
      cluster.faults.inject({ effect: "refuse", status, probability: 1, times: 1 });
      const refused = await write("one", "a");
      const missing = await cluster.transport.send(get);
      assert.deepEqual([refused.status, (refused.body as Body).reason, missing.status], [status, reason, 404]);
    });
  }

  for (const isDone of [true, false]) {
    it(`let a request time out that was ${isDone ? "" : "not "}carried out`, async () => {
      const { clock, cluster, write } = start();
      cluster.faults.inject({ effect: "time-out", afterMs: 5000, isDone, probability: 1, times: 1 });
      const writing = write("one", "a");
      await clock.advance(5000);
      const { status } = await writing;
      assert.deepEqual([status, (await cluster.transport.send(get)).status], [504, isDone ? 200 : 404]);
    });
  }

  it("make an answer slow", async () => {
    const { clock, cluster, write } = start();
    await write("one", "a");
    cluster.faults.inject({ effect: "slow", byMs: 2000, probability: 1 });
    let answered = -1;
    void cluster.transport.send(get).then(() => {
      answered = clock.now();
    });
    await clock.advance(10_000);
    assert.equal(answered, 2000);
  });

  for (const [at, status] of [
    ["request", 404],
    ["answer", 200],
    ["half-answer", 200],
  ] as const) {
    it(`break the connection at the ${at}`, async () => {
      const { cluster, write } = start();
      cluster.faults.inject({ effect: "drop", at, probability: 1, times: 1 });
      await assert.rejects(write("one", "a"), /The connection broke during POST/);
      assert.equal((await cluster.transport.send(get)).status, status);
    });
  }

  it("show the past to a read", async () => {
    const { cluster, write, change } = start();
    await write("one", "old");
    await change("new");
    cluster.faults.inject({ effect: "stale-read", versions: 1, probability: 1 });
    const stale = (await cluster.transport.send(get)).body as Body;
    const list = (await cluster.transport.send({ method: "GET", path })).body as { items: Body[] };
    assert.deepEqual([stale.data?.value, list.items.map(({ data }) => data?.value)], ["old", ["old"]]);
  });

  it("show the past of one namespace, though nothing of the kind has changed since", async () => {
    const { cluster, write } = start();
    await write("one", "old");
    const secrets = "/api/v1/namespaces/default/secrets";
    for (const name of ["a", "b", "c"])
      await cluster.transport.send({ method: "POST", path: secrets, body: { metadata: { name } } });
    cluster.faults.inject({ effect: "stale-read", versions: 2, probability: 1 });
    const { items } = (await cluster.transport.send({ method: "GET", path })).body as { items: unknown[] };
    assert.equal(items.length, 1);
  });

  it("strike nothing that makes no sense", () => {
    const { cluster } = start();
    assert.throws(() => cluster.faults.inject({ effect: "refuse", status: 418 as 409, probability: 1 }), /not 418/);
    assert.throws(() => cluster.faults.inject({ effect: "slow", byMs: 1, probability: Number.NaN }), /not NaN/);
  });

  async function watch(fault: Fault | undefined, from: string) {
    const { clock, cluster, write, change } = start();
    await write("one", "0");
    if (fault !== undefined) cluster.faults.inject(fault);
    const seen: string[] = [];
    await cluster.transport.watch(
      { method: "GET", path: `${path}?watch=true${from}` },
      {
        onEvent: ({ type, object }: KubeWatchEvent) =>
          seen.push(`${clock.now()} ${type} ${(object as Body).data?.value ?? (object as Body).reason}`),
        onEnd: () => seen.push(`${clock.now()} end`),
        onRefusal: () => assert.fail("refused"),
      },
    );
    for (let i = 1; i <= 3; i++) {
      await clock.advance(1000);
      await change(String(i));
    }
    await clock.advance(1000);
    return seen;
  }

  it("leave a watch alone that they are not about", async () => {
    const seen = await watch({ effect: "refuse", status: 500, probability: 1, on: { path: /secrets/ } }, "");
    assert.deepEqual(seen, ["0 ADDED 0", "1000 MODIFIED 1", "2000 MODIFIED 2", "3000 MODIFIED 3"]);
  });

  it("cut a watch", async () => {
    const seen = await watch({ effect: "cut-watch", afterMs: 1500, probability: 1 }, "");
    assert.deepEqual(seen, ["0 ADDED 0", "1000 MODIFIED 1", "1500 end"]);
  });

  it("delay the events of a watch, in order", async () => {
    const seen = await watch({ effect: "delay-watch", byMs: 700, probability: 1 }, "");
    assert.deepEqual(seen, ["700 ADDED 0", "1700 MODIFIED 1", "2700 MODIFIED 2", "3700 MODIFIED 3"]);
  });

  it("break a stream after its first event", async () => {
    const seen = await watch({ effect: "drop", at: "half-answer", probability: 1, times: 1 }, "");
    assert.deepEqual(seen, ["0 ADDED 0", "0 end"]);
  });

  it("tell a watch that its version is gone", async () => {
    const seen = await watch({ effect: "expire-watch", probability: 1 }, "&resourceVersion=1");
    assert.deepEqual(seen, ["0 ERROR Expired", "0 end"]);
  });

  it("strike by the seed: the same requests suffer the same faults", async () => {
    const statuses = async (seed: number) => {
      const { cluster } = start(seed);
      cluster.faults.inject({ effect: "refuse", status: 503, probability: 0.5 });
      const all: number[] = [];
      for (let i = 0; i < 40; i++) all.push((await cluster.transport.send({ method: "GET", path })).status);
      return all.join();
    };
    assert.equal(await statuses(1), await statuses(1));
    assert.notEqual(await statuses(1), await statuses(2));
  });

  it("compact the past away, so that a watch from there is told to begin anew", async () => {
    const { clock, cluster, write, change } = start();
    const { resourceVersion } = ((await write("one", "0")).body as Body).metadata;
    await change("1");
    cluster.faults.compact();
    const seen: string[] = [];
    await cluster.transport.watch(
      { method: "GET", path: `${path}?watch=true&resourceVersion=${resourceVersion}` },
      {
        onEvent: ({ type, object }) => seen.push(`${type} ${(object as Body).reason}`),
        onEnd: () => seen.push("end"),
        onRefusal: () => assert.fail("refused"),
      },
    );
    await clock.advance(10);
    assert.deepEqual(seen, ["ERROR Expired", "end"]);
  });

  it("take a lease from its holder, and let it run out", async () => {
    const { clock, cluster } = start();
    const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
    const spec = {
      holderIdentity: "me",
      leaseTransitions: 3,
      leaseDurationSeconds: 15,
      renewTime: "1970-01-01T00:00:00.000000Z",
    };
    await cluster.transport.send({ method: "POST", path: leases, body: { metadata: { name: "leader" }, spec } });
    cluster.faults.takeLease({ namespace: "kube-system", name: "leader", holder: "thief", forMs: 5_000 });
    await clock.advance(60_000);
    const { body } = await cluster.transport.send({ method: "GET", path: `${leases}/leader` });
    assert.deepEqual((body as { spec: unknown }).spec, {
      holderIdentity: "thief",
      leaseTransitions: 4,
      leaseDurationSeconds: 15,
      acquireTime: "1970-01-01T00:00:00.000000Z",
      renewTime: "1970-01-01T00:00:04.000000Z",
    });
  });

  it("end when they are told to", async () => {
    const { cluster } = start();
    const end = cluster.faults.inject({ effect: "refuse", status: 503, probability: 1 });
    const during = await cluster.transport.send({ method: "GET", path });
    end();
    assert.deepEqual([during.status, (await cluster.transport.send({ method: "GET", path })).status], [503, 200]);
  });
});
