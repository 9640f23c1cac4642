import type { ControllerName } from "../../scripts/lab/karpenter.ts";
import type { RaceOptions } from "./race/race-options.ts";

/** Something that is tried with real programs. Suites are listed in `main.ts`. */
export interface Suite {
  readonly name: string;
  /** Measures rather than tries, and wants a machine to itself: only when it is asked for by name, or everything is. */
  readonly isMeasurement?: boolean;
  /** What is wrong, one text each; nothing when all is well. */
  run(context: SuiteContext): Promise<readonly string[]>;
}

export interface SuiteContext {
  /** Tells whoever waits what is going on. */
  progress(line: string): void;
  /** Notes how long a part took, for the table at the end. */
  took(name: string, seconds: number): void;
  /** Names what only `--all` tries, so that nothing is left out silently. */
  leaveToAll(name: string): void;
  /** Renew what is kept in the repository about the real programs. */
  readonly isRecording: boolean;
  /** Long ones, too. */
  readonly isAll: boolean;
  /** Who is tried, where the Go controller could be in our place. */
  readonly controller: ControllerName;
  /** Only what is called so. */
  readonly focus: Focus | undefined;
  /** Of the suite `race`; its defaults when undefined. */
  readonly race: RaceOptions | undefined;
}

/** Notes how long the act took, however it ended. */
export async function timed<Result>(
  took: SuiteContext["took"],
  name: string,
  act: () => Promise<Result>,
): Promise<Result> {
  const started = performance.now();
  try {
    return await act();
  } finally {
    took(name, (performance.now() - started) / 1000);
  }
}

/** Which parts of a suite are wanted. It knows whether there were any: to try nothing is not to succeed. */
export class Focus {
  readonly #pattern: RegExp;
  #hasMatched = false;

  constructor(pattern: RegExp) {
    this.#pattern = pattern;
  }

  get hasMatched(): boolean {
    return this.#hasMatched;
  }

  test(text: string): boolean {
    const isWanted = this.#pattern.test(text);
    this.#hasMatched ||= isWanted;
    return isWanted;
  }

  toString(): string {
    return this.#pattern.source;
  }
}
