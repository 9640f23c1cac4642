import { archLabel, capacityTypeLabel, instanceTypeLabel, osLabel, zoneLabel } from "../../model/labels.ts";
import type { Field } from "../field.ts";
import type { LabelHints } from "./convert-node-template.ts";
import { convertNodeLabels, type Requirement } from "./convert-requirements.ts";
import type { Term } from "./convert-selector.ts";
import { firstAwsPrefix } from "./legacy-labels.ts";
import type { NoteLog } from "./note.ts";

/** Labels by which Provisioners chose machines, and which pods could override. */
const choosing: ReadonlySet<string> = new Set([zoneLabel, instanceTypeLabel, archLabel, osLabel, capacityTypeLabel]);

export interface FirstLabels {
  readonly labels: ReadonlyMap<string, string>;
  readonly requirements: readonly Requirement[];
  readonly hints: LabelHints;
}

/** The labels of a Provisioner before v1alpha5: some are for nodes, some choose machines, some are about AWS. */
export function convertFirstLabels(field: Field, notes: NoteLog): FirstLabels {
  const subnetTerms: Term[] = [];
  const securityGroupTerms: Term[] = [];
  const forNodes = new Set<string>();
  for (const [key, value] of field.entries()) {
    const terms = convertAwsLabel(key, value, notes);
    if (terms === undefined) forNodes.add(key);
    else if (key.includes("subnet")) subnetTerms.push(...terms);
    else securityGroupTerms.push(...terms);
  }
  const labels = new Map<string, string>();
  const requirements: Requirement[] = [];
  for (const [key, value] of convertNodeLabels(field, notes, (written) => forNodes.has(written))) {
    if (choosing.has(key)) requirements.push({ key, operator: "In", values: [value] });
    else labels.set(key, value);
  }
  return { labels, requirements, hints: { subnetTerms, securityGroupTerms } };
}

/** Terms of a node class, or undefined for a label that is for nodes. */
function convertAwsLabel(key: string, field: Field, notes: NoteLog): Term[] | undefined {
  if (!key.startsWith(firstAwsPrefix)) return undefined;
  const name = key.slice(firstAwsPrefix.length);
  const text = field.text() ?? "";
  switch (name) {
    case "capacity-type":
      return undefined;
    case "subnet-name":
      return moved(field, notes, [{ tags: { Name: text } }]);
    case "subnet-tag-key":
    case "security-group-tag-key":
      return moved(field, notes, [{ tags: Object.fromEntries([[text, "*"]]) }]);
    case "security-group-name":
      return moved(field, notes, [{ name: text }, { tags: { Name: text } }]);
    case "launch-template-id":
    case "launch-template-name":
    case "launch-template-version":
      field.note(
        "must not be set: launch templates of one's own are gone. Write what it says in a node class, and remove the label",
      );
      return [];
    default:
      notes.dropped(field, `is left out: nodes have no label ${key} any more`);
      return [];
  }
}

function moved(field: Field, notes: NoteLog, terms: Term[]): Term[] {
  notes.changed(field, "is a selector of the node class now, which pods cannot override");
  return terms;
}
