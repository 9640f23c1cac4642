/** Where the embedded API is known to answer otherwise than the real one, and why that is acceptable. */
export interface KnownDifference {
  /** Name of the case. */
  readonly contractCase: string;
  /** As in `3.body.message`, where `*` stands for any part. */
  readonly path: string;
  readonly reason: string;
}

/** An entry that no longer differs fails the suite. */
export const knownDifferences: readonly KnownDifference[] = [];
