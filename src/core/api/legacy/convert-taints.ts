import type { Field } from "../field.ts";
import { isOwnTaint } from "./legacy-labels.ts";
import type { NoteLog } from "./note.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const;

/** `taints` and `startupTaints` of a pool or claim, as far as there are any. */
export function convertTaints(spec: Field, notes: NoteLog): object {
  const parts = (["taints", "startupTaints"] as const).flatMap((name) => {
    const list = spec.at(name).items(1000);
    const taints = list.flatMap((item) => convertTaint(item, notes));
    return taints.length === 0 ? [] : [[name, taints] as const];
  });
  return Object.fromEntries(parts);
}

function convertTaint(item: Field, notes: NoteLog): object[] {
  const key = item.at("key").requiredText();
  if (isOwnTaint(key)) {
    notes.dropped(item, `is left out: Karpenter itself keeps pods off nodes that are not ready or going`);
    return [];
  }
  const effect = item.at("effect").choice(effects);
  if (item.at("effect").isAbsent) item.at("effect").reject(`must be one of ${effects.join(", ")}`);
  const value = item.at("value").text();
  notes.dropOthers(item, ["key", "value", "effect", "timeAdded"], "a taint");
  return [{ key, ...(value === undefined || value === "" ? {} : { value }), effect }];
}
