import type { Field } from "../field.ts";
import type { NoteLog } from "./note.ts";

/** `disruption` and `expireAfter` of a NodePool. */
export interface Endings {
  readonly disruption: Readonly<Record<string, unknown>>;
  readonly expireAfter: string;
}

/** Provisioners knew no drift unless a setting said otherwise, so nodes stay until their owner wants it. */
const noDrift = { nodes: "0", reasons: ["Drifted"] };

/** When nodes of a Provisioner went away. Nothing did unless it was asked for. */
export function convertEndings(spec: Field, notes: NoteLog): Endings {
  const consolidation = spec.at("consolidation").at("enabled");
  notes.dropOthers(spec.at("consolidation"), ["enabled"], "consolidation");
  // The very first version had one time for all.
  const afterEmpty = spec.at(spec.at("ttlSeconds").isAbsent ? "ttlSecondsAfterEmpty" : "ttlSeconds");
  const isConsolidating = consolidation.flag();
  if (isConsolidating && !afterEmpty.isAbsent) {
    afterEmpty.note("must not go with consolidation.enabled, which removes empty nodes too: remove one of them");
  }
  notes.changed(
    spec,
    'let nodes be when their pool or image changed, which a budget of 0 for "Drifted" keeps so: remove it to have such nodes replaced',
  );
  return {
    disruption: isConsolidating ? consolidating(consolidation, notes) : emptying(afterEmpty, notes),
    expireAfter: convertExpiry(spec.at("ttlSecondsUntilExpired"), notes),
  };
}

function consolidating(place: Field, notes: NoteLog): Endings["disruption"] {
  notes.changed(place, "is consolidationPolicy WhenEmptyOrUnderutilized now, of at most a tenth of the nodes at once");
  return {
    consolidationPolicy: "WhenEmptyOrUnderutilized",
    consolidateAfter: "0s",
    budgets: [{ nodes: "10%" }, noDrift],
  };
}

function emptying(place: Field, notes: NoteLog): Endings["disruption"] {
  const seconds = place.integer(0, Number.MAX_SAFE_INTEGER);
  if (seconds === undefined) {
    notes.changed(place, "was not set, so that nodes stayed when empty; consolidateAfter: Never keeps it so");
  } else {
    notes.changed(place, `is consolidationPolicy WhenEmpty with consolidateAfter: ${seconds}s now`);
  }
  return {
    consolidationPolicy: "WhenEmpty",
    consolidateAfter: seconds === undefined ? "Never" : `${seconds}s`,
    budgets: [{ nodes: "100%" }, noDrift],
  };
}

function convertExpiry(place: Field, notes: NoteLog): string {
  const seconds = place.integer(0, Number.MAX_SAFE_INTEGER);
  if (seconds === undefined) {
    notes.changed(place, "was not set, so that nodes did not expire; expireAfter: Never keeps it so");
    return "Never";
  }
  notes.changed(place, `is expireAfter: ${seconds}s now, ${expiryIsForceful}`);
  return `${seconds}s`;
}

export const expiryIsForceful =
  "which waits neither for budgets nor for a replacement; the annotation karpenter.sh/soft-expire-after on the pool does";
