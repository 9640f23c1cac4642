import { DecodeError } from "./decode-error.ts";

type Layout = readonly (readonly [element: string, pattern: RegExp])[];

const time: Layout = [
  ["2006", /^\d{4}/],
  ["-", /^-/],
  ["01", /^\d\d/],
  ["-", /^-/],
  ["02", /^\d\d/],
  ["T", /^T/],
  ["15", /^\d{1,2}/],
  [":", /^:/],
  ["04", /^\d\d/],
  [":", /^:/],
  ["05", /^\d\d(?:[.,]\d+)?/],
  ["Z07:00", /^(?:Z|[+-]\d\d:\d\d)/],
];
const microTime: Layout = [...time.slice(0, -2), ["05", /^\d\d/], [".000000", /^\.\d{6}/], ...time.slice(-1)];

const wellFormed = {
  time: /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/,
  "micro-time": /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})(Z|[+-]\d\d:\d\d)$/,
};

/** Reads a time as the API writes it back: in UTC, with whole seconds or with microseconds. */
export function decodeTime(value: string, kind: "time" | "micro-time"): string {
  const match = wellFormed[kind].exec(value);
  const problem = match === null ? unreadable(value, kind) : outOfRange(value);
  if (match === null || problem !== undefined) throw new DecodeError(`parsing time ${JSON.stringify(value)}${problem}`);
  const [, seconds = "", fraction = "", zone = "Z"] = match;
  // The text itself where it is written so already: one made of its parts would keep them all in memory.
  if (zone === "Z" && (kind === "micro-time" || fraction === "")) return value;
  const inUtc = zone === "Z" ? seconds : new Date(Date.parse(`${seconds}${zone}`)).toISOString().slice(0, 19);
  return kind === "time" ? `${inUtc}Z` : `${inUtc}.${fraction}Z`;
}

/** Which part of the layout the text does not have. */
function unreadable(value: string, kind: "time" | "micro-time"): string {
  const shown = kind === "time" ? "2006-01-02T15:04:05Z07:00" : "2006-01-02T15:04:05.000000Z07:00";
  let rest = value;
  for (const [element, pattern] of kind === "time" ? time : microTime) {
    const found = pattern.exec(rest);
    if (found === null) return ` as "${shown}": cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(element)}`;
    rest = rest.slice(found[0].length);
  }
  return `: extra text: ${JSON.stringify(rest)}`;
}

/** Of a text that is well-formed: only the fraction of a second and the zone are not always in the same place. */
function outOfRange(value: string): string | undefined {
  const numberAt = (start: number): number => Number(value.slice(start, start + 2));
  const [month, day] = [numberAt(5), numberAt(8)];
  if (month < 1 || month > 12) return ": month out of range";
  if (day < 1 || (day > 28 && day > lastDayOf(Number(value.slice(0, 4)), month))) return ": day out of range";
  if (numberAt(11) > 23) return ": hour out of range";
  if (numberAt(14) > 59) return ": minute out of range";
  if (numberAt(17) > 59) return ": second out of range";
  if (value.endsWith("Z")) return undefined;
  if (numberAt(value.length - 5) > 24) return ": time zone offset hour out of range";
  if (numberAt(value.length - 2) > 60) return ": time zone offset minute out of range";
  return undefined;
}

function lastDayOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
