import { type Field, isRecord } from "./field.ts";
import { describeObject, isListOfObjects, type Kind, kindOf } from "./group-objects.ts";

/** The object of an entry in a list whose objects may leave out what they all are. None, with the problem noted, for another kind. */
export function readOneKind(entry: Field, apiVersion: string, kind: Kind): readonly unknown[] {
  const { value } = entry;
  if (!isRecord(value)) {
    entry.reject(`must be a ${kind} (${apiVersion})`);
    return [];
  }
  if (isListOfObjects(value)) return [value];
  const isComplete = value.apiVersion !== undefined && value.kind !== undefined;
  const typed = isComplete ? value : { ...value, apiVersion: value.apiVersion ?? apiVersion, kind: value.kind ?? kind };
  if (kindOf(typed) === kind) return [typed];
  entry.note(`must be a ${kind} (${apiVersion}), found ${describeOther(entry)}`);
  return [];
}

function describeOther(entry: Field): string {
  if (typeof entry.at("kind").value === "string") return describeObject(entry.value);
  const wrong = entry.at("kind").isAbsent ? "apiVersion" : "kind";
  return `${wrong} ${entry.at(wrong).preview()}`;
}

/** The object of an entry in a list of all kinds. */
export function readAnyKind(entry: Field): readonly unknown[] {
  const { value } = entry;
  if (isRecord(value) && typeof value.kind === "string") return [value];
  if (isRecord(value)) entry.note("must have a kind");
  else entry.reject("must be an object with apiVersion and kind");
  return [];
}
