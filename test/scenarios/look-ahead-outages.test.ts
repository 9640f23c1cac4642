import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeRequest } from "../../src/ports/kube-transport.ts";
import { minute, play, running, type SceneOptions, web } from "./look-ahead-stage.ts";

const pods = 24;
const machines = 8;
const stream = web(pods);

function isPurchase({ method, path }: KubeRequest): boolean {
  return method === "POST" && path.endsWith("/nodeclaims");
}

/** Kills the process when it has written so often, and starts another; false when it never wrote as much. */
async function crashAfter(writes: number, options: SceneOptions = {}): Promise<boolean> {
  let starts = 0;
  await play({ seed: writes, ...options }, async ({ story, purchases }) => {
    story.whole.load(stream);
    story.whole.start();
    story.whole.crashAfterWrites(writes);
    story.note(`the process dies after ${writes} writes`);
    story.isMended = true;
    await story.pass(2 * minute);
    story.expect([purchases.count, running(story), story.nodes.length], [machines, pods, machines]);
    starts = story.whole.starts;
  });
  return starts > 1;
}

/** Every write: `RANDOM_RUNS=1 npx node --test test/scenarios/look-ahead-outages.test.ts`. */
const stride = process.env.RANDOM_RUNS === undefined ? 13 : 1;
const offset = Number(process.env.RANDOM_SEED ?? 1);

describe("a process that is killed after one of its writes, while a stream of pods comes,", () => {
  it("leaves no NodeClaim twice, and the next one buys only what is missing", async () => {
    let writes = 1 + (offset % stride);
    while (await crashAfter(writes)) writes += stride;
    assert.ok(writes > 40, `no process died after ${writes} writes`);
  });

  for (const made of [1, 3, 7]) {
    it(`can have created ${made} of ${machines} NodeClaims: the next one creates the others`, () =>
      play({}, async ({ story, purchases }) => {
        let sent = 0;
        story.whole.tamper = (request) => {
          if (!isPurchase(request) || story.whole.starts > 1 || ++sent <= made) return request;
          story.whole.crash();
          return { status: 503, body: {} };
        };
        story.isMended = true;
        story.whole.load(stream);
        story.whole.start();
        await story.pass(1_000);
        story.expect(purchases.count, made);
        await story.pass(2 * minute);
        story.expect([purchases.count, running(story), story.nodes.length], [machines, pods, machines]);
      }));
  }
});

describe("answers to the creation of NodeClaims that are lost", () => {
  for (const late of [0, 8_000]) {
    it(`make no second claim of one plan${late > 0 ? ", also when watches are late" : ""}`, () =>
      play({}, async ({ story, purchases }) => {
        const { faults } = story.whole.cluster;
        const lost = { methods: ["POST"], path: /\/nodeclaims$/ };
        const ends = [
          faults.inject({ effect: "drop", at: "answer", probability: 1, times: 12, on: lost }),
          ...(late > 0 ? [faults.inject({ effect: "delay-watch", byMs: late, probability: 1 })] : []),
        ];
        const over = story.trouble("answers are lost", () => {
          for (const end of ends) end();
        });
        story.whole.load(stream);
        story.whole.start();
        await story.pass(minute);
        over();
        await story.pass(minute);
        story.expect([purchases.count, running(story), story.nodes.length], [machines, pods, machines]);
        const unanswered = story.whole.sent.filter(
          ({ request, status }) => isPurchase(request) && status === undefined,
        );
        story.expect(unanswered.length, machines);
      }));
  }

  it("make no second claim either when the next leader plans before it sees the claims of the first", () =>
    // All at once, so that both leaders plan the same pods; the simulated cloud needs true reads to boot machines.
    play({ podsPerSecond: 1_000, bootSeconds: 0 }, async ({ story, purchases }) => {
      const { whole } = story;
      whole.tamper = (request) => {
        if (isPurchase(request) && whole.starts === 1) whole.crashAfterWrites(1);
        return request;
      };
      whole.load(stream);
      whole.start();
      story.expect(await whole.clock.advanceUntil(() => !whole.isRunning, 10_000), true);
      const on = { path: /\/nodeclaims\?/ };
      const ends = [
        whole.cluster.faults.inject({ effect: "stale-read", versions: 10_000, probability: 1, on }),
        whole.cluster.faults.inject({ effect: "delay-watch", byMs: 30_000, probability: 1, on }),
      ];
      const over = story.trouble("NodeClaims are seen late", () => {
        for (const end of ends) end();
      });
      story.restart();
      await story.pass(minute);
      over();
      await story.pass(minute);
      const again = whole.sent.filter(({ request, status }) => isPurchase(request) && status === 409);
      assert.ok(again.length > 0, "the second leader makes the plan of the first");
      story.expect([purchases.count, running(story), story.nodes.length], [machines, pods, machines]);
    }));

  it("because the server had an error before it acted are sent again under the same name", () =>
    play({}, async ({ story, purchases }) => {
      const on = { methods: ["POST"], path: /\/nodeclaims$/ };
      story.whole.cluster.faults.inject({ effect: "drop", at: "request", probability: 1, times: 5, on });
      story.whole.load(stream);
      story.whole.start();
      await story.pass(minute);
      story.expect([purchases.count, running(story), story.nodes.length], [machines, pods, machines]);
    }));
});

describe("with the policy Bind, kube-scheduler", () => {
  it("can place the same pod at the same moment: that is no error, and every pod runs", () =>
    play({ settings: { placementPolicy: "Bind" } }, async ({ story, purchases }) => {
      const { cluster } = story.whole;
      story.whole.tamper = (request) => {
        if (request.path.endsWith("/binding")) void cluster.transport.send(request);
        return request;
      };
      story.whole.load(stream);
      story.whole.start();
      await story.pass(minute);
      const bindings = story.whole.sent.filter(({ request }) => request.path.endsWith("/binding"));
      assert.ok(bindings.length > 0, "the placer binds pods");
      story.expect([...new Set(bindings.map(({ status }) => status))], [409]);
      story.expect([purchases.count, running(story), story.errors], [machines, pods, []]);
    }));
});
