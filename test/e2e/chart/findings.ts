import { isDeepStrictEqual } from "node:util";

/** What is wrong, as it comes to light. */
export class Findings {
  readonly problems: string[] = [];

  check(holds: boolean, words: string): void {
    if (!holds) this.problems.push(words);
  }

  same(actual: unknown, expected: unknown, words: string): void {
    this.check(
      isDeepStrictEqual(actual, expected),
      `${words}: it is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`,
    );
  }
}
