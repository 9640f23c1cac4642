// Writes the pages of docs/reference from the source: `npx node scripts/document-reference.ts`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { documentConditions } from "./document-conditions.ts";
import { documentEvents } from "./document-events.ts";
import { documentFields } from "./document-fields.ts";
import { documentLabels } from "./document-labels.ts";

export const referenceFolder = join(import.meta.dirname, "..", "docs", "reference");

/** How the text of each page is made, by its name. */
export const referencePages: Readonly<Record<string, () => string>> = {
  "conditions.md": documentConditions,
  "events.md": documentEvents,
  "fields.md": documentFields,
  "labels.md": documentLabels,
};

if (import.meta.main) {
  mkdirSync(referenceFolder, { recursive: true });
  for (const [name, write] of Object.entries(referencePages)) writeFileSync(join(referenceFolder, name), write());
}
