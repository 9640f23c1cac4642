import { type CronField, cronFields } from "../cron-fields.ts";

/** The minutes that a schedule of five fields names, in UTC. */
export interface CronSchedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly daysOfWeek: ReadonlySet<number>;
  /** A day counts if either of two restricted day fields names it. */
  readonly isEitherDay: boolean;
}

const shorthands: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

const minute = 60_000;

/** Undefined for what is not such a schedule. */
export function parseCronSchedule(text: string): CronSchedule | undefined {
  const fields = (shorthands[text.trim()] ?? text.trim()).split(/\s+/);
  const [first = "", second = "", third = "", fourth = "", fifth = ""] = fields;
  const minutes = parseField(first, cronFields[0]);
  const hours = parseField(second, cronFields[1]);
  const daysOfMonth = parseField(third, cronFields[2]);
  const months = parseField(fourth, cronFields[3]);
  const daysOfWeek = parseField(fifth, cronFields[4]);
  if (fields.length !== 5 || !minutes || !hours || !daysOfMonth || !months || !daysOfWeek) return undefined;
  const isEitherDay = !isStar(third) && !isStar(fifth);
  return { minutes, hours, daysOfMonth, months, daysOfWeek, isEitherDay };
}

function isStar(field: string): boolean {
  return field.startsWith("*") || field.startsWith("?");
}

function parseField(field: string, range: CronField): Set<number> | undefined {
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const [span = "", step = "1", ...rest] = part.split("/");
    const [from = "", to, ...more] =
      span === "*" || span === "?" ? [`${range.least}`, `${range.most}`] : span.split("-");
    const first = parseValue(from, range);
    const last = to === undefined ? (part.includes("/") ? range.most : first) : parseValue(to, range);
    const every = Number(step);
    if (rest.length > 0 || more.length > 0 || first === undefined || last === undefined) return undefined;
    if (!Number.isInteger(every) || every < 1 || first > last) return undefined;
    for (let value = first; value <= last; value += every) values.add(value);
  }
  return values;
}

function parseValue(text: string, { least, most, names }: CronField): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  const value = named >= 0 ? named + least : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

/** The first minute of the schedule after that time; undefined if there is none within five years. */
export function nextTime(schedule: CronSchedule, after: number): number | undefined {
  const end = after + 5 * 366 * 24 * 60 * minute;
  let time = Math.floor(after / minute) * minute + minute;
  while (time < end) {
    const date = new Date(time);
    if (!schedule.months.has(date.getUTCMonth() + 1)) time = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
    else if (!isDay(schedule, date)) time = startOfDay(date) + 24 * 60 * minute;
    else if (!schedule.hours.has(date.getUTCHours()))
      time = Math.floor(time / (60 * minute)) * 60 * minute + 60 * minute;
    else if (!schedule.minutes.has(date.getUTCMinutes())) time += minute;
    else return time;
  }
  return undefined;
}

function startOfDay(date: Date): number {
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
}

function isDay({ daysOfMonth, daysOfWeek, isEitherDay }: CronSchedule, date: Date): boolean {
  const inMonth = daysOfMonth.has(date.getUTCDate());
  const inWeek = daysOfWeek.has(date.getUTCDay());
  return isEitherDay ? inMonth || inWeek : inMonth && inWeek;
}
