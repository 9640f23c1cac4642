import { Field, isRecord, quote } from "../field.ts";
import type { ConvertOptions } from "./convert-options.ts";
import type { NoteLog } from "./note.ts";

/** As articles print what a shell was to fill in. */
const clusterName = /\$\{CLUSTER_NAME\}|\$CLUSTER_NAME\b|<cluster[-_ ]name>/gi;
const anyPlaceholder = /\$\{[A-Z][A-Z0-9_]{0,63}\}/i;

/** What scripts of machines say is theirs, and what the cluster is called is a setting of the controller. */
const skipped: ReadonlySet<string> = new Set(["userData", "cluster", "status", "annotations"]);

/** The object with the name of the cluster where an article has a placeholder for it. Others are problems. */
export function fillPlaceholders(object: Field, notes: NoteLog, { clusterName: name }: ConvertOptions): Field {
  const fill = (field: Field): unknown => {
    const { value } = field;
    if (typeof value === "string") return fillText(field, value);
    if (Array.isArray(value)) return field.items().map(fill);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      field.entries().map(([key, part]) => [key, skipped.has(key) ? part.value : fill(part)] as const),
    );
  };
  const fillText = (field: Field, text: string): string => {
    const filled = name ? text.replace(clusterName, () => name) : text;
    if (filled !== text) notes.changed(field, `had a placeholder for the name of the cluster, which is filled in`);
    const left = anyPlaceholder.exec(filled)?.[0];
    if (left !== undefined) field.note(`must not hold the placeholder ${quote(left)}: write what it stands for`);
    return filled;
  };
  return new Field(fill(object), object.log);
}
