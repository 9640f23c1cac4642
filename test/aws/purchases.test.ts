import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Collection } from "../../src/core/cluster/collection.ts";
import type { NodeClaim } from "../../src/core/model/node-claim.ts";
import { seededRandom } from "../../src/core/model/seeded-random.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { findDoubles } from "./find-doubles.ts";
import { PurchaseMarket } from "./purchase-market.ts";
import { PurchaseProcess } from "./purchase-process.ts";

/** More of them: `RANDOM_RUNS=200 npx node --test test/aws/purchases.test.ts`. */
const runs = Number(process.env.RANDOM_RUNS ?? 60);
const second = 1000;
const usual = { mostLag: 20 * second, slowest: 8 * second };

describe("machines that come and go while processes die and answers get lost", () => {
  for (const [about, plot] of [
    ["are one for each claim, none leaked and none doubled", usual],
    ["are one for each claim when the next process begins while the one before is still there", { ...usual, split: 1 }],
    ["go with their claims, none leaked and none doubled", { ...usual, deletions: 0.5 }],
    ["go with their claims whoever leads", { ...usual, deletions: 0.5, split: 0.5 }],
  ] as const) {
    it(`${about}, ${runs} times`, async () => {
      for (let seed = 1; seed <= runs; seed++) {
        const story = new Story(seed, plot);
        await story.tell();
        assert.deepEqual(story.doubles, [], `seed ${seed}: no claim had two`);
        story.checkEnd(`seed ${seed}`);
      }
    });
  }

  it(`are one for each claim in the end although AWS lists them later than anybody waits, ${runs} times`, async () => {
    let doubles = 0;
    for (let seed = 1; seed <= runs; seed++) {
      const story = new Story(seed, { ...usual, mostLag: 90 * second, deletions: 0.3 });
      await story.tell();
      doubles += story.doubles.length;
      story.checkEnd(`seed ${seed}`);
    }
    assert.ok(doubles > 0, "what must be collected has come up");
  });
});

describe("a machine that is doubled", () => {
  it("is seen by the tags of all machines", () => {
    const list = "karpenter.k8s.aws/nodeclaims-0";
    const machine = (id: string, key: string, value: string) => ({ id, tags: new Map([[key, value]]) });
    const one = machine("i-1", list, "a b");
    const two = machine("i-2", list, "a b");
    assert.deepEqual(findDoubles([one, two, machine("i-3", list, "b c")]), []);
    assert.deepEqual(
      findDoubles([one, two, machine("i-4", "karpenter.sh/nodeclaim", "a")]).map(({ id }) => id),
      ["i-4"],
    );
  });
});

interface Plot {
  readonly mostLag: number;
  readonly slowest: number;
  /** How likely a process only loses the lead, and lives on. */
  readonly split?: number;
  /** How likely a claim is deleted at some time. */
  readonly deletions?: number;
}

/** Some claims, a few processes one after the other, and an AWS that does not always answer. */
class Story {
  readonly #clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
  readonly #claims = new Collection<NodeClaim>();
  readonly #random: () => number;
  readonly #plot: Plot;
  readonly #market: PurchaseMarket;
  #process: PurchaseProcess;

  constructor(seed: number, plot: Plot) {
    this.#random = seededRandom(seed);
    this.#plot = plot;
    this.#market = new PurchaseMarket({ clock: this.#clock, random: this.#random, ...plot });
    this.#process = this.#begin();
  }

  async tell(): Promise<void> {
    const random = this.#random;
    const { split = 0, deletions = 0 } = this.#plot;
    const count = 1 + Math.floor(random() * 12);
    for (let i = 0; i < count; i++) {
      this.#claims.put(`claim-${i}`, claimNamed(`claim-${i}`));
      if (random() < 0.3) await this.#clock.advance(random() * 200);
      if (random() < deletions) this.#clock.after(random() * 30 * second, () => this.#delete(`claim-${i}`));
    }
    const former: PurchaseProcess[] = [];
    for (let crashes = Math.floor(random() * 4); crashes > 0; crashes--) {
      await this.#clock.advance(random() * (random() < 0.5 ? 4 : 40) * second);
      if (random() < split) this.#process.loseLead();
      else this.#process.die();
      former.push(this.#process);
      if (random() < 0.5) await this.#clock.advance(random() * second);
      this.#process = this.#begin();
    }
    await this.#clock.advance(30 * second);
    this.#market.isReliable = true;
    await this.#clock.advance(300 * second);
    for (const process of [...former, this.#process]) process.die();
  }

  get doubles(): readonly string[] {
    const machines = this.#market.machines.map(({ id, tags }) => ({
      id,
      tags: new Map(tags.map(({ Key = "", Value = "" }) => [Key, Value])),
    }));
    return findDoubles(machines).map(({ id }) => id);
  }

  /** What runs is what the claims say, and no claim is stuck. */
  checkEnd(told: string): void {
    const claims = [...this.#claims.values()];
    assert.deepEqual(
      claims.filter(({ deletedAt }) => deletedAt !== undefined),
      [],
      `${told}: claims that were deleted are gone`,
    );
    assert.deepEqual(
      this.#market.running.map(({ id }) => `aws:///a/${id}`).sort(),
      claims.map(({ providerId }) => providerId).sort(),
      `${told}: there is one machine for each claim, and no other`,
    );
  }

  #begin(): PurchaseProcess {
    return new PurchaseProcess({
      clock: this.#clock,
      random: this.#random,
      claims: this.#claims,
      market: this.#market,
    });
  }

  #delete(name: string): void {
    const claim = this.#claims.get(name);
    if (claim !== undefined) this.#claims.put(name, { ...claim, deletedAt: this.#clock.now() });
  }
}

function claimNamed(name: string): NodeClaim {
  return { name, providerId: "", finalizers: [] as string[], deletedAt: undefined } as unknown as NodeClaim;
}
