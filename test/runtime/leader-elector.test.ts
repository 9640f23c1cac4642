import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { LeaderElector } from "../../src/runtime/leader-elector.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";

const lease = { namespace: "kube-system", name: "karpenter-leader-election" };

function stage() {
  const clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
  const cluster = new EmbeddedCluster({ clock, seed: 1, without: ["workloads", "scheduler", "kubelet"] });
  const history: string[] = [];
  const candidate = (identity: string, itsClock: Clock = clock): LeaderElector =>
    new LeaderElector({
      transport: cluster.transport,
      clock: itsClock,
      random: cluster.random,
      log: new RecordingTelemetry().log,
      lease,
      identity,
      onElected: () => history.push(`${identity} leads`),
      onLost: () => history.push(`${identity} stepped down`),
    });
  return { clock, cluster, history, candidate };
}

describe("LeaderElector", () => {
  it("lets one lead, and the next take over at once when the lease is given back", async () => {
    const { clock, cluster, history, candidate } = stage();
    const [first, second] = [candidate("a"), candidate("b")];
    first.start();
    await clock.advance(1_000);
    second.start();
    await clock.advance(60_000);
    assert.deepEqual(history, ["a leads"]);
    await first.stop();
    await clock.advance(5_000);
    assert.deepEqual(history, ["a leads", "a stepped down", "b leads"]);
    await second.stop();
    cluster.stop();
  });

  it("takes over from one that went without a word only when its lease has run out", async () => {
    const { clock, cluster, history, candidate } = stage();
    cluster.faults.takeLease({ ...lease, holder: "dead", forMs: 1_000 });
    await clock.advance(1_000);
    const heir = candidate("heir");
    heir.start();
    await clock.advance(14_000);
    assert.deepEqual(history, []);
    await clock.advance(5_000);
    assert.deepEqual(history, ["heir leads"]);
    await heir.stop();
    cluster.stop();
  });

  it("steps down when it cannot renew, before anybody else may lead, and comes back", async () => {
    const { clock, cluster, history, candidate } = stage();
    const elector = candidate("a");
    elector.start();
    await clock.advance(3_000);
    const mend = cluster.faults.inject({ effect: "drop", at: "request", probability: 1, on: { path: /leases/ } });
    await clock.advance(8_000);
    assert.deepEqual(history, ["a leads"]);
    await clock.advance(4_000);
    assert.deepEqual(history, ["a leads", "a stepped down"]);
    mend();
    await clock.advance(20_000);
    assert.deepEqual(history, ["a leads", "a stepped down", "a leads"]);
    await elector.stop();
    cluster.stop();
  });

  it("steps down in time with a clock whose timers come early", async () => {
    const { clock, cluster, history, candidate } = stage();
    const hasty: Clock = {
      now: () => clock.now(),
      after: (milliseconds, callback) => clock.after(Math.max(0, milliseconds - 1), callback),
    };
    const elector = candidate("a", hasty);
    elector.start();
    await clock.advance(3_000);
    cluster.faults.inject({ effect: "drop", at: "request", probability: 1, on: { path: /leases/ } });
    await clock.advance(12_000);
    assert.deepEqual(history, ["a leads", "a stepped down"]);
    await elector.stop();
    cluster.stop();
  });

  it("steps down when a renewal hangs", async () => {
    const { clock, cluster, history, candidate } = stage();
    const elector = candidate("a");
    elector.start();
    await clock.advance(3_000);
    cluster.faults.inject({ effect: "slow", byMs: 40_000, probability: 1, times: 1, on: { path: /leases/ } });
    await clock.advance(13_000);
    assert.deepEqual(history, ["a leads", "a stepped down"]);
    await clock.advance(60_000);
    assert.deepEqual(history, ["a leads", "a stepped down", "a leads"]);
    await elector.stop();
    cluster.stop();
  });

  it("steps down for a thief, and leads again when the thief has gone", async () => {
    const { clock, cluster, history, candidate } = stage();
    const elector = candidate("a");
    elector.start();
    await clock.advance(3_000);
    cluster.faults.takeLease({ ...lease, holder: "thief", forMs: 30_000 });
    await clock.advance(29_000);
    assert.deepEqual(history, ["a leads", "a stepped down"]);
    await clock.advance(40_000);
    assert.deepEqual(history, ["a leads", "a stepped down", "a leads"]);
    await elector.stop();
    cluster.stop();
  });
});
