/** Something that is tried with real programs. Suites are listed in `main.ts`. */
export interface Suite {
  readonly name: string;
  /** What is wrong, one text each; nothing when all is well. */
  run(context: SuiteContext): Promise<readonly string[]>;
}

export interface SuiteContext {
  /** Tells whoever waits what is going on. */
  progress(line: string): void;
  /** Renew what is kept in the repository about the real programs. */
  readonly isRecording: boolean;
}
