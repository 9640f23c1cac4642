/** What a field of a schedule may say. */
export interface CronField {
  readonly least: number;
  readonly most: number;
  /** Of the numbers from the least on. */
  readonly names: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Minute, hour, day of the month, month, day of the week. */
export const cronFields: readonly [CronField, CronField, CronField, CronField, CronField] = [
  { least: 0, most: 59, names: [] },
  { least: 0, most: 23, names: [] },
  { least: 1, most: 31, names: [] },
  { least: 1, most: 12, names: months },
  { least: 0, most: 6, names: days },
];
