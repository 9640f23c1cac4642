import { parseDuration } from "../model/duration.ts";
import type { Field } from "./field.ts";

/** Milliseconds; undefined when it is absent or "Never". */
export function readDuration(field: Field): number | undefined {
  const text = field.text();
  if (text === undefined || text === "Never") return undefined;
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) field.reject('must be a duration such as "1h30m"');
  return milliseconds;
}
