import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readOptions } from "./options.ts";

function read(...args: string[]) {
  const { karpenter: _, ...options } = readOptions(args) as Record<string, unknown>;
  return options;
}

describe("readOptions", () => {
  it("measures everything unless told otherwise", () => {
    assert.deepEqual(read(), {
      kinds: ["uniform", "diverse", "fleet", "lopsided", "preference"],
      sizes: [1000, 5000, 10000],
      seeds: [1],
      efforts: ["fast", "full"],
      hasPeer: true,
      timeoutSeconds: 120,
      rounds: 2,
      results: undefined,
    });
  });

  it("does what it is told", () => {
    const args = ["--quick", "--kinds", "fleet,diverse", "--seeds", "2,3", "--effort", "fast", "--no-peer"];

    assert.deepEqual(read(...args, "--timeout", "60"), {
      kinds: ["fleet", "diverse"],
      sizes: [1000],
      seeds: [2, 3],
      efforts: ["fast"],
      hasPeer: false,
      timeoutSeconds: 60,
      rounds: 1,
      results: undefined,
    });
  });

  it("reports all mistakes together", () => {
    assert.deepEqual(readOptions(["--kinds", "fleet,flat", "--sizes", "0,x", "--effort", "slow"]), {
      problems: [
        '--kinds: "flat" is none of uniform, diverse, fleet, lopsided, preference',
        '--effort: "slow" is neither fast nor full',
        '--sizes: "0" is not a whole number above 0',
        '--sizes: "x" is not a whole number above 0',
      ],
    });
  });

  it("names an option that there is not", () => {
    const options = readOptions(["--fast"]);

    assert.match("problems" in options ? (options.problems[0] ?? "") : "", /Unknown option '--fast'/);
  });
});
