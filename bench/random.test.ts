import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Random } from "./random.ts";

function draw<T>(count: number, one: () => T): T[] {
  return Array.from({ length: count }, one);
}

describe("Random", () => {
  it("gives the same numbers for the same seed and others for another", () => {
    const numbers = (seed: string) => {
      const random = new Random(seed);
      return draw(5, () => random.next());
    };

    assert.deepEqual(numbers("fleet-1"), numbers("fleet-1"));
    assert.notDeepEqual(numbers("fleet-1"), numbers("fleet-2"));
  });

  it("spreads its numbers evenly between 0 and 1", () => {
    const random = new Random("evenly");
    const tenths = new Array<number>(10).fill(0);
    for (const number of draw(20_000, () => random.next())) tenths[Math.floor(number * 10)]! += 1;

    assert.ok(Math.min(...tenths) > 1_850 && Math.max(...tenths) < 2_150, tenths.join());
  });

  it("chooses each value about equally often", () => {
    const random = new Random("values");
    const chosen = Map.groupBy(
      draw(3_000, () => random.choose(["a", "b", "c"])),
      (value) => value,
    );

    assert.deepEqual([...chosen.keys()].sort(), ["a", "b", "c"]);
    for (const { length } of chosen.values()) assert.ok(Math.abs(length - 1_000) < 100, String(length));
  });

  it("draws from a Pareto distribution", () => {
    const random = new Random("pareto");
    const numbers = draw(20_000, () => random.pareto(0.9));

    assert.ok(Math.min(...numbers) >= 1);
    const shareAbove10 = numbers.filter((number) => number > 10).length / numbers.length;
    assert.ok(Math.abs(shareAbove10 - 10 ** -0.9) < 0.01, String(shareAbove10));
  });
});
