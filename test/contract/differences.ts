/** Where the embedded API is known to answer otherwise than the real one, and why that is acceptable. */
export interface KnownDifference {
  /** Name of the case. */
  readonly contractCase: string;
  /** As in `3.body.message`, where `*` stands for any part. */
  readonly path: string;
  readonly reason: string;
}

const ownersAreKeptLate =
  "who wrote which field is kept from the first apply on; what was there before belongs to one owner, as it does in a real cluster after an upgrade";

/** An entry that no longer differs fails the suite. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    contractCase: "watch-one",
    path: "0.*",
    reason: "paths under /watch are deprecated since Kubernetes 1.11, and no client here uses them",
  },
  { contractCase: "apply-onto-created", path: "1.body.*", reason: ownersAreKeptLate },
  { contractCase: "apply-status", path: "*.managedFields.*", reason: ownersAreKeptLate },
  { contractCase: "apply-managers", path: "*.body.metadata.managedFields*", reason: ownersAreKeptLate },
  { contractCase: "apply-managers", path: "4.body.metadata.resourceVersion", reason: ownersAreKeptLate },
];
