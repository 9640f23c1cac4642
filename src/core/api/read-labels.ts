import { isLabelValue, isQualifiedName, type Labels } from "../model/labels.ts";
import { type Field, quote } from "./field.ts";

/** Labels that the API server would take: what breaks their grammar is noted. */
export function readLabels(field: Field): Labels {
  for (const [key, item] of field.entries()) {
    checkQualifiedName(item, key);
    if (typeof item.value === "string" && !isLabelValue(item.value)) item.reject(labelValueGrammar);
  }
  return field.labels();
}

export const labelValueGrammar =
  "must be a label value: at most 63 letters, digits, dots, dashes and underscores, the first and last a letter or digit";

/** Notes a key that no label can have. */
export function checkQualifiedName(field: Field, key: string): void {
  if (!isQualifiedName(key)) field.note(`must be a label key such as example.com/team, found ${quote(key)}`);
}
