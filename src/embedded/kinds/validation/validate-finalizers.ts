import type { FieldError } from "../../../core/api/field-error.ts";
import { invalid } from "../refusals.ts";
import { qualifiedNameProblems } from "../value-rules.ts";

const ownFinalizers = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

/** What waits for its finalizers needs names that say whose they are. */
export function finalizerErrors(field: string, finalizers: readonly string[]): FieldError[] {
  const both = "finalizer orphan and foregroundDeletion cannot be both set";
  return [
    ...finalizers.flatMap((name, i) => [
      ...qualifiedNameProblems(name).map((problem) => invalid(field, name, problem)),
      ...(name.includes("/") || ownFinalizers.has(name)
        ? []
        : [invalid(`${field}[${i}]`, name, "name is neither a standard finalizer name nor is it fully qualified")]),
    ]),
    ...(finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")
      ? [invalid(field, finalizers, both)]
      : []),
  ];
}
