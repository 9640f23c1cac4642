import { nearestName } from "./nearest-name.ts";
import type { Setting } from "./setting.ts";

export interface Arguments {
  /** What was given for each flag; the last time counts. */
  readonly values: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

/** Takes the command line apart: `--flag value`, `--flag=value`, and with one dash too; a boolean flag needs no value. */
export function readArguments(args: readonly string[], settings: readonly Setting<unknown>[]): Arguments {
  const known = new Map(settings.map((setting) => [setting.flag, setting]));
  const flagOf = (arg: string | undefined) => /^--?([^-=][^=]*)/.exec(arg ?? "")?.[1];
  const values = new Map<string, string>();
  const problems: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    const flag = flagOf(arg);
    const setting = known.get(flag ?? "");
    const equals = arg.indexOf("=");
    const next = args[i + 1];
    if (flag === undefined) {
      problems.push(`Unexpected argument "${arg}"; flags start with --`);
    } else if (setting === undefined) {
      problems.push(`Unknown flag --${flag}${nearestName(flag, [...known.keys()])}`);
      if (equals < 0 && next !== undefined && !next.startsWith("-")) i++;
    } else if (equals >= 0) {
      values.set(flag, arg.slice(equals + 1));
    } else if (setting.placeholder === "true|false") {
      const isSaid = next === "true" || next === "false";
      values.set(flag, isSaid ? next : "true");
      if (isSaid) i++;
    } else if (next === undefined || known.has(flagOf(next) ?? "")) {
      problems.push(`--${flag} needs a value (${setting.placeholder})`);
    } else {
      values.set(flag, next);
      i++;
    }
  }
  return { values, problems };
}
