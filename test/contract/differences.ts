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
  { contractCase: "apply-onto-created", path: "1.body.*", reason: ownersAreKeptLate },
  { contractCase: "apply-status", path: "*.managedFields.*", reason: ownersAreKeptLate },
  { contractCase: "apply-managers", path: "*.body.metadata.managedFields*", reason: ownersAreKeptLate },
  {
    contractCase: "binding",
    path: "8.*",
    reason: "bindings as a resource of their own are deprecated; schedulers post to the subresource of the pod",
  },
  {
    contractCase: "bad-yaml",
    path: "4.headers",
    reason:
      "clients that send objects as YAML are not warned of repeated keys; of two the last counts, as it does there",
  },
  { contractCase: "apply-managers", path: "4.body.metadata.resourceVersion", reason: ownersAreKeptLate },
  {
    contractCase: "lease",
    path: "8.body.metadata.resourceVersion",
    reason:
      "a write of nothing but a field that the server drops changes only who is noted as its owner, which nobody keeps here before the first apply; so it makes no new version",
  },
  {
    contractCase: "immutable-fields",
    path: "9.body.*message",
    reason:
      "the real message ends in a text diff of Go structures; here the same place says which fields change, from what to what",
  },
  {
    contractCase: "runtime-class-merges",
    path: "8.*",
    reason: "an empty overhead is read as none, which the real server does too with what it has stored",
  },
  {
    contractCase: "table-of-each-kind",
    path: "4.body.rows.0.object.metadata.annotations",
    reason:
      "rows of daemon sets show the annotation that counts their templates, as the objects themselves do; the real server adds it only when it shows the whole object",
  },
];
