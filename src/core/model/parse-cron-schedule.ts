import type { CronSchedule } from "./cron-schedule.ts";

/** What a field of a schedule may say. */
interface CronField {
  readonly least: number;
  readonly most: number;
  /** Of the numbers from the least on. */
  readonly names: readonly string[];
}

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** In the order in which a schedule has them. */
const cronFields = {
  minutes: { least: 0, most: 59, names: [] },
  hours: { least: 0, most: 23, names: [] },
  daysOfMonth: { least: 1, most: 31, names: [] },
  months: { least: 1, most: 12, names: monthNames },
  daysOfWeek: { least: 0, most: 6, names: dayNames },
} as const satisfies Record<string, CronField>;

const descriptors: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

/** A schedule of five fields or a word such as @daily; or what is wrong with it, in the words of the API server. */
export function parseCronSchedule(text: string): CronSchedule | { readonly problem: string } {
  const written = text.startsWith("@") ? descriptors.get(text) : text;
  if (written === undefined) return { problem: `unrecognized descriptor: ${text}` };
  const parts = written.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== 5) return { problem: `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]` };
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = parts;
  const minutes = parseField(minute, cronFields.minutes);
  if (typeof minutes === "string") return { problem: minutes };
  const hours = parseField(hour, cronFields.hours);
  if (typeof hours === "string") return { problem: hours };
  const daysOfMonth = parseField(dayOfMonth, cronFields.daysOfMonth);
  if (typeof daysOfMonth === "string") return { problem: daysOfMonth };
  const months = parseField(month, cronFields.months);
  if (typeof months === "string") return { problem: months };
  const daysOfWeek = parseField(dayOfWeek, cronFields.daysOfWeek);
  if (typeof daysOfWeek === "string") return { problem: daysOfWeek };
  return {
    minutes: minutes.values,
    hours: hours.values,
    daysOfMonth: daysOfMonth.values,
    months: months.values,
    daysOfWeek: daysOfWeek.values,
    isAnyDayOfMonth: daysOfMonth.isAny,
    isAnyDayOfWeek: daysOfWeek.isAny,
  };
}

interface FieldValues {
  readonly values: Set<number>;
  /** Whether a star of every value is among its parts. */
  readonly isAny: boolean;
}

/** What the parts of a field name together, or what is wrong with the first bad one. */
function parseField(text: string, field: CronField): FieldValues | string {
  const values = new Set<number>();
  let isAny = false;
  for (const part of text.split(",")) {
    if (part === "") continue;
    const span = parsePart(part, field);
    if (typeof span === "string") return span;
    for (let value = span.first; value <= span.last; value += span.step) values.add(value);
    isAny ||= span.isAny;
  }
  return { values, isAny };
}

interface Span {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly isAny: boolean;
}

function parsePart(part: string, field: CronField): Span | string {
  const { least, most } = field;
  const [span = "", every, ...slashes] = part.split("/");
  const [low = "", high, ...hyphens] = span.split("-");
  const isStar = low === "*" || low === "?";
  const first = isStar ? least : parseValue(low, field);
  if (typeof first === "string") return first;
  const end = isStar || high === undefined ? first : parseValue(high, field);
  if (typeof end === "string") return end;
  if (!isStar && hyphens.length > 0) return `too many hyphens: ${part}`;
  if (slashes.length > 0) return `too many slashes: ${part}`;
  const step = every === undefined ? 1 : parseValue(every, { ...field, names: [] });
  if (typeof step === "string") return step;
  // A step from a single value goes on to the greatest.
  const last = isStar || (high === undefined && every !== undefined) ? most : end;
  if (first < least) return `beginning of range (${first}) below minimum (${least}): ${part}`;
  if (last > most) return `end of range (${last}) above maximum (${most}): ${part}`;
  if (first > last) return `beginning of range (${first}) beyond end of range (${last}): ${part}`;
  if (step === 0) return `step of range should be a positive number: ${part}`;
  return { first, last, step, isAny: isStar && step === 1 };
}

/** The number, or why it is none. */
function parseValue(text: string, { least, names }: CronField): number | string {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + least;
  if (!/^[+-]?\d{1,9}$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  return Number(text) < 0 ? `negative number (${Number(text)}) not allowed: ${text}` : Number(text);
}
