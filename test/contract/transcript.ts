/** What a case saw, in the order in which it asked. */
export type Transcript = readonly Step[];

export interface Step {
  /** Method and path. */
  readonly call: string;
  readonly status: number;
  /** Only those that clients look at. */
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** Of a watch. */
  readonly events?: readonly unknown[];
  /** A watch that the server ended. */
  readonly hasEnded?: boolean;
}
