import { describe, it } from "node:test";
import type { WholeControllerOptions } from "../support/whole-controller.ts";
import { live, setTheStage } from "./random-story.ts";
import { type Story, tell } from "./story.ts";

/** Other stories, and more: `RANDOM_SEED=7 RANDOM_RUNS=100 npx node --test test/scenarios/random-stories.test.ts`. */
const firstSeed = Number(process.env.RANDOM_SEED ?? 1);
const runs = Number(process.env.RANDOM_RUNS ?? 3);
const seeds = Array.from({ length: runs }, (_, i) => firstSeed + i);
const deeds = 15;
/** Of eleven minutes each, which is longer than any rest after a move. */
const mostRounds = 8;

const policies = ["Suggest", "Bind"] as const;

function optionsFor(seed: number): WholeControllerOptions {
  return { seed, settings: { placementPolicy: policies[seed % 2] ?? "Suggest" } };
}

/** What is quiet asks for the lease, and looks at the node classes now and then. */
const requestsPerQuietMinute = 100;

describe("random stories", () => {
  for (const seed of seeds) {
    it(`end well when nothing is wrong with the API: ${seed}`, () =>
      tell(optionsFor(seed), async (story) => {
        setTheStage(story);
        await live(story, deeds, { isTroubled: false });
        await settle(story);
        story.expect(unexpected(story), []);
        await checkQuiet(story);
        await story.tearDown();
        story.expect(unexpected(story), []);
      }));

    it(`end well whatever goes wrong: ${seed}`, () =>
      tell(optionsFor(seed), async (story) => {
        setTheStage(story);
        await live(story, deeds, { isTroubled: true });
        await settle(story);
        await checkQuiet(story);
        await story.tearDown();
      }));
  }
});

/** All that can be bought is there after a while, and nodes neither come nor go; who still waits has been told why. */
async function settle(story: Story): Promise<void> {
  await story.pass(300_000);
  let before = -1;
  for (let rounds = 0; story.chosen() + story.bought !== before; rounds++) {
    if (rounds > mostRounds) story.expect({ chosen: story.chosen(), bought: story.bought }, "at rest");
    before = story.chosen() + story.bought;
    await story.pass(660_000);
  }
  story.expect([story.unexplained, story.marked], [[], []]);
}

async function checkQuiet(story: Story): Promise<void> {
  const before = story.whole.sent.length;
  await story.pass(120_000);
  const counts: Record<string, number> = {};
  for (const { request } of story.whole.sent.slice(before)) {
    const what = request.path.endsWith("/eviction") ? "evictions" : `${request.method} ${request.path}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  // A budget that allows nothing is asked every ten seconds for each pod.
  const { evictions = 0, ...others } = counts;
  const total = Object.values(others).reduce((sum, count) => sum + count, 0);
  if (total > 2 * requestsPerQuietMinute || evictions > 14 * story.pods.length) story.expect(counts, "quiet");
}

/** What is reported and is no mistake of ours: pods that nothing can be bought for, a cloud that has sold out, and enough moves for now. */
const expected = ["could not schedule pod", "no more nodes go by choice for a while", "failed launching nodeclaim"];

function unexpected(story: Story): readonly object[] {
  return story.errors.filter((line) => !expected.includes((line as { message: string }).message));
}
