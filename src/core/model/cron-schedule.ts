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
