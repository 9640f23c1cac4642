export type Tone = "good" | "plain" | "warning" | "bad";

/** Something that happened, in a line for people. */
export interface Telling {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly tone: Tone;
  readonly text: string;
  /** What is the same is not told again soon; the text by default. */
  readonly sameAs?: string;
  /** Where many of a kind come together, one line tells of them all. */
  readonly group?: TellingGroup;
}

export interface TellingGroup {
  readonly key: string;
  readonly describe: (count: number) => string;
}
