/** Minutes at which something happens, in UTC. */
export interface CronSchedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly daysOfWeek: ReadonlySet<number>;
  /** Whether the day of the month, and that of the week, is left open: if neither is, either of them will do. */
  readonly isAnyDayOfMonth: boolean;
  readonly isAnyDayOfWeek: boolean;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The first minute of the schedule after that time; undefined if there is none within five years. */
export function nextTime(schedule: CronSchedule, after: number): number | undefined {
  const end = after + 5 * 366 * day;
  let time = Math.floor(after / minute) * minute + minute;
  while (time < end) {
    const date = new Date(time);
    if (!schedule.months.has(date.getUTCMonth() + 1)) time = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
    else if (!isDay(schedule, date)) time = Math.floor(time / day) * day + day;
    else if (!schedule.hours.has(date.getUTCHours())) time = Math.floor(time / hour) * hour + hour;
    else if (!schedule.minutes.has(date.getUTCMinutes())) time += minute;
    else return time;
  }
  return undefined;
}

/** Whether something that lasts so long each time is going on now: from the minute itself, and no longer at its end. */
export function isWithinWindow(
  { schedule, durationMilliseconds }: { readonly schedule: CronSchedule; readonly durationMilliseconds: number },
  now: number,
): boolean {
  const began = nextTime(schedule, now - durationMilliseconds);
  return began !== undefined && began <= now;
}

function isDay(schedule: CronSchedule, date: Date): boolean {
  const isInMonth = schedule.daysOfMonth.has(date.getUTCDate());
  const isInWeek = schedule.daysOfWeek.has(date.getUTCDay());
  const isEither = !schedule.isAnyDayOfMonth && !schedule.isAnyDayOfWeek;
  return isEither ? isInMonth || isInWeek : isInMonth && isInWeek;
}
