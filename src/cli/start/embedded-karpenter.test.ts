import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Pod } from "kubernetes-types/core/v1.js";
import { plainStyle } from "../../../test/support/plain-style.ts";
import { InProcessPlanner } from "../../adapters/planner/in-process-planner.ts";
import { seededRandom } from "../../core/model/seeded-random.ts";
import { VirtualClock } from "../../embedded/time/virtual-clock.ts";
import { drawFrame } from "./draw-frame.ts";
import { EmbeddedKarpenter } from "./embedded-karpenter.ts";
import { sampleNodeClass, samplePools } from "./samples/pools.ts";
import { Traffic } from "./samples/traffic.ts";
import { sampleObjects } from "./samples/workloads.ts";

const minute = 60_000;

/** The sample under virtual time, as `npm start` runs it. */
class Show {
  readonly clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
  readonly told: string[] = [];
  readonly karpenter: EmbeddedKarpenter;
  readonly traffic: Traffic;

  constructor(seed: number) {
    const { clock } = this;
    this.karpenter = new EmbeddedKarpenter({
      clock,
      seed,
      planner: new InProcessPlanner(),
      instanceTypes: "generic",
      identity: "test",
      onTelling: ({ at, text }) => this.told.push(`${at} ${text}`),
    });
    this.karpenter.load([sampleNodeClass, ...samplePools, ...sampleObjects]);
    this.traffic = new Traffic({
      transport: this.karpenter.cluster.transport,
      clock,
      random: seededRandom(seed),
      tell: (telling) => this.karpenter.tell(telling),
    });
    this.karpenter.start();
  }

  frame(): readonly string[] {
    const view = { ...this.karpenter.look(), speed: 1, kubeconfig: "kubeconfig", help: "" };
    return drawFrame(view, { columns: 160, rows: 60 }, plainStyle);
  }

  tells(pattern: RegExp): boolean {
    return this.told.some((line) => pattern.test(line));
  }

  async stop(): Promise<void> {
    this.traffic.stop();
    let isStopped = false;
    const stopping = this.karpenter.stop().then(() => {
      isStopped = true;
    });
    await this.clock.advanceUntil(() => isStopped, minute);
    await stopping;
  }
}

describe("the sample", () => {
  let show: Show;
  before(() => {
    show = new Show(1);
  });
  after(() => show.stop());

  it("shows machines on their way, and why pods wait", async () => {
    await show.clock.advance(6_000);
    const frame = show.frame().join("\n");
    assert.match(frame, /general-\w+ +general +\S+ +test-zone-\w +spot +\d\.\d{3} +\d+s +booting/);
    assert.match(frame, /shop\/training {2}Pool "arm" has nothing large enough/);
    assert.match(frame, /shop\/database ×3 {2}meant for 3 nodes, which are booting/);
    assert.match(frame, /created reliable-\w+ for 1 pod: \S+, on-demand, test-zone-a, \$0\.\d+\/h, the cheapest of/);
  });

  it("runs every pod but the one that nothing is large enough for", async () => {
    const isQuiet = (): boolean => {
      const { pending, starting } = show.karpenter.look().totals;
      return pending === 1 && starting === 0;
    };
    // What kube-scheduler leaves over waits until a second machine has booted.
    await show.clock.advanceUntil(isQuiet, 40_000);
    const { totals, nodes, pools, waiting } = show.karpenter.look();
    assert.deepEqual(
      [totals.pending, totals.starting, waiting.map(({ workload }) => workload)],
      [1, 0, ["shop/training"]],
      show.frame().join("\n"),
    );
    assert.ok(nodes.every(({ state }) => state === "ready"));
    assert.deepEqual(
      pools.map(({ name, nodes: count }) => [name, count > 0]),
      [
        ["arm", true],
        ["general", true],
        ["reliable", true],
        ["standby", true],
      ],
    );
    assert.equal(pools.find(({ name }) => name === "standby")?.nodes, 2);
  });

  it("goes up and down, and does without what is not needed, with no pool above its limits", async () => {
    show.traffic.start();
    for (let i = 0; i < 6; i++) {
      await show.clock.advance(minute);
      for (const { name, resources, limits } of show.karpenter.look().pools) {
        for (const [resource, limit] of limits) {
          assert.ok((resources.get(resource) ?? 0) <= limit, `${name} has too much ${resource}`);
        }
      }
    }
    assert.ok(show.tells(/storefront grows from \d+ to \d+ pods/));
    assert.ok(show.tells(/storefront shrinks from \d+ to \d+ pods/));
    assert.ok(show.tells(/the job report-2 starts/));
    assert.ok(show.tells(/underutilized: .*can go.*, which saves \$\d\.\d+\/h and moves \d+ pods?/));
    assert.ok(show.tells(/evicted pod shop\//));
    assert.ok(show.tells(/deleted node kwok-general-/));
    assert.ok(!show.tells(/error/i), show.told.filter((line) => /error/i.test(line)).join("\n"));
  });

  it("has the log of the controller where kubectl looks for it", () => {
    const { api, logs } = show.karpenter.cluster;
    const pods = [...api.collection(api.registry.builtIn("", "pods")).list()] as unknown as Pod[];
    const own = pods.find(({ metadata }) => metadata?.name?.startsWith("karpenter-"));
    assert.equal(own?.status?.phase, "Running");
    const texts: string[] = [];
    const options = { container: "controller", isFollowed: false, isPrevious: false, hasTimestamps: false };
    logs.read(own, options).start({ deliver: (text) => void texts.push(text), end: () => {} });
    assert.match(
      texts.join(""),
      /^\{"level":"INFO","time":"2026-01-01T00:00:00.\d+Z","logger":"controller","message":"successfully acquired lease"/,
    );
  });
});

describe("the same seed", () => {
  it("tells the same story", async () => {
    const stories: string[][] = [];
    for (let i = 0; i < 2; i++) {
      const show = new Show(7);
      show.traffic.start();
      await show.clock.advance(minute);
      stories.push([...show.told, ...show.frame()]);
      await show.stop();
    }
    assert.deepEqual(stories[1], stories[0]);
  });
});
