import type { Field } from "../field.ts";
import { checkRequirement, readRequirement } from "../read-requirement.ts";
import { renameLabel } from "./legacy-labels.ts";
import type { NoteLog } from "./note.ts";

/** An entry of `requirements`, as NodePool v1 has it. */
export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
  readonly minValues?: number;
}

/** The requirements of a pool or claim, with labels by the names that they have now. */
export function convertRequirements(field: Field, notes: NoteLog): Requirement[] {
  return field.items(100).flatMap((item) => {
    const entry = readRequirement(item);
    if (entry === undefined) return [];
    const written = item.at("key").text() ?? "";
    const key = convertLabelKey(written, item.at("key"), notes);
    if (key === undefined) return [];
    checkRequirement(item, { ...entry, key });
    const { operator, values, minValues } = entry;
    return [
      {
        key,
        operator,
        ...(values.length === 0 ? {} : { values }),
        ...(minValues === undefined ? {} : { minValues }),
      },
    ];
  });
}

/** The labels that nodes of a pool carry, as a map of the names that they have now. */
export function convertNodeLabels(
  field: Field,
  notes: NoteLog,
  isForNodes: (key: string) => boolean = () => true,
): Map<string, string> {
  const labels = new Map<string, string>();
  for (const [written, value] of field.labels()) {
    if (!isForNodes(written)) continue;
    const key = convertLabelKey(written, field.at(written), notes);
    if (key !== undefined) labels.set(key, value);
  }
  return labels;
}

/** Undefined, with a note, for a label that no node has any more. */
function convertLabelKey(written: string, place: Field, notes: NoteLog): string | undefined {
  const key = renameLabel(written);
  if (key === undefined) notes.dropped(place, `is left out: nodes have no label ${written} any more`);
  // The path of an entry of a map ends with its key.
  else if (key !== written) notes.changed(place, `${place.value === written ? `${written} ` : ""}is called ${key} now`);
  return key;
}
