import { type Field, isRecord } from "../field.ts";
import { renameAnnotation, renameLabel, renameTaint } from "./legacy-labels.ts";
import type { NoteLog } from "./note.ts";

const template = ["spec", "template"];

/** Where the pods of a kind are described. */
const templates: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["Pod", []],
  ["Deployment", template],
  ["StatefulSet", template],
  ["DaemonSet", template],
  ["ReplicaSet", template],
  ["ReplicationController", template],
  ["Job", template],
  ["CronJob", ["spec", "jobTemplate", "spec", "template"]],
]);

export function describesPods(kind: unknown): boolean {
  return templates.has(kind);
}

/** The object, with what its pods say about nodes by the names of today. The same object where nothing has changed. */
export function convertWorkload(object: Field, notes: NoteLog): unknown {
  const path = templates.get(object.at("kind").value) ?? [];
  return changeAt(object, path, (pod) => {
    const annotated = changeAt(pod, ["metadata", "annotations"], (map) => renameKeys(map, renameAnnotation, notes));
    const spec = pod.at("spec");
    const parts = ["nodeSelector", "affinity", "tolerations", "topologySpreadConstraints"].map((name) => {
      const part = spec.at(name);
      return [name, name === "nodeSelector" ? renameKeys(part, labelNow(notes), notes) : rename(part, name, notes)];
    });
    const changed = parts.filter(([name, value]) => value !== spec.at(String(name)).value);
    if (changed.length === 0) return annotated;
    return { ...(annotated as object), spec: { ...spec.record(), ...Object.fromEntries(changed) } };
  });
}

/** Puts what becomes of a part in its place, in a copy of all that is around it, unless it stays the same. */
function changeAt(field: Field, path: readonly string[], change: (field: Field) => unknown): unknown {
  const [name, ...rest] = path;
  if (field.isAbsent) return field.value;
  if (name === undefined) return change(field);
  const before = field.at(name).value;
  const after = changeAt(field.at(name), rest, change);
  return after === before ? field.value : { ...field.record(), [name]: after };
}

type Renaming = (key: string, place: Field) => string;

/** A label that is gone stays where it is: without it the pods would go anywhere. */
function labelNow(notes: NoteLog): Renaming {
  return (key, place) => {
    const now = renameLabel(key);
    if (now === undefined) notes.changed(place, `${key} is on no node any more: select by something else`);
    return now ?? key;
  };
}

function renameKeys(field: Field, renaming: Renaming, notes: NoteLog): unknown {
  if (!isRecord(field.value)) return field.value;
  const entries = field.entries();
  const renamed = entries.map(([key, place]) => [renameOne(key, { place, renaming, notes }), place.value] as const);
  return renamed.every(([key], index) => key === entries[index]?.[0]) ? field.value : Object.fromEntries(renamed);
}

interface Place {
  readonly place: Field;
  readonly renaming: Renaming;
  readonly notes: NoteLog;
}

function renameOne(key: string, { place, renaming, notes }: Place): string {
  const now = renaming(key, place);
  // The path of an entry of a map ends with its key.
  if (now !== key) notes.changed(place, `${place.value === key ? `${key} ` : ""}is called ${now} now`);
  return now;
}

/** Keys of nodes within affinities, tolerations and spread constraints. Selectors of pods are about pods, and stay. */
function rename(field: Field, part: string, notes: NoteLog): unknown {
  const { value } = field;
  if (Array.isArray(value)) {
    const items = field.items().map((item) => rename(item, part, notes));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isRecord(value)) return value;
  const entries = field.entries().map(([name, child]) => [name, renameWithin(name, child, { part, notes })] as const);
  return entries.some(([name, after]) => after !== value[name]) ? Object.fromEntries(entries) : value;
}

function renameWithin(name: string, child: Field, { part, notes }: { part: string; notes: NoteLog }): unknown {
  const text = typeof child.value === "string" ? child.value : undefined;
  if (name === "labelSelector" || name === "namespaceSelector") return child.value;
  if (text !== undefined) {
    const place = { place: child, notes };
    if (name === "topologyKey") return renameOne(text, { ...place, renaming: labelNow(notes) });
    if (name === "key" && part === "nodeAffinity") return renameOne(text, { ...place, renaming: labelNow(notes) });
    if (name === "key" && part === "tolerations") return renameOne(text, { ...place, renaming: renameTaint });
    return text;
  }
  return child.value === undefined ? null : rename(child, name === "nodeAffinity" ? name : part, notes);
}
