import { type CronField, cronFields } from "../../cron-fields.ts";

/** What is wrong with the first bad one of five fields, in the words of the API server. */
export function cronProblem(fields: readonly string[]): string | undefined {
  for (const [i, range] of cronFields.entries()) {
    for (const part of (fields[i] ?? "").split(",")) {
      const problem = partProblem(part, range);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function partProblem(part: string, { least, most, names }: CronField): string | undefined {
  const [span = "", step, ...slashes] = part.split("/");
  const [low = "", high, ...hyphens] = span.split("-");
  const isAll = low === "*" || low === "?";
  const first = isAll ? least : numberOf(low, { least, most, names });
  if (typeof first === "string") return first;
  const given = high === undefined ? first : numberOf(high, { least, most, names });
  if (typeof given === "string") return given;
  if (!isAll && hyphens.length > 0) return `too many hyphens: ${part}`;
  if (slashes.length > 0) return `too many slashes: ${part}`;
  const every = step === undefined ? 1 : numberOf(step, { least, most, names: [] });
  if (typeof every === "string") return every;
  const last = isAll || (high === undefined && step !== undefined) ? most : given;
  if (first < least) return `beginning of range (${first}) below minimum (${least}): ${part}`;
  if (last > most) return `end of range (${last}) above maximum (${most}): ${part}`;
  if (first > last) return `beginning of range (${first}) beyond end of range (${last}): ${part}`;
  return every === 0 ? `step of range should be a positive number: ${part}` : undefined;
}

/** The number, or why it is none. */
function numberOf(text: string, { least, names }: CronField): number | string {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + least;
  if (!/^[+-]?\d{1,9}$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  return Number(text) < 0 ? `negative number (${Number(text)}) not allowed: ${text}` : Number(text);
}
