import { readArguments } from "./read-arguments.ts";
import type { Setting } from "./setting.ts";
import { type Settings, settingsTable } from "./settings-table.ts";

export type SettingsRead =
  | { readonly settings: Settings; readonly warnings: readonly string[]; readonly problems?: never }
  /** Everything that is wrong, each a sentence that names the flag or variable. */
  | { readonly problems: readonly string[] };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads all settings once. A flag beats a variable, what is empty means the default, and nothing else falls back silently. */
export function readSettings(args: readonly string[], environment: Environment): SettingsRead {
  const table = Object.entries<Setting<unknown>>(settingsTable);
  const { values, problems: argumentProblems } = readArguments(
    args,
    table.map(([, setting]) => setting),
  );
  const problems = [...argumentProblems];
  const warnings: string[] = [];
  const settings = table.map(([name, setting]) => {
    const flag = values.get(setting.flag);
    const parsed = setting.parse((flag ?? environment[setting.variable]) || setting.default);
    const source = flag === undefined ? setting.variable : `--${setting.flag}`;
    if ("value" in parsed) {
      if (parsed.warning !== undefined) warnings.push(`${source} ${parsed.warning}`);
      return [name, parsed.value];
    }
    problems.push(...parsed.problems.map((problem) => `${source} ${problem}`));
    return [name, undefined];
  });
  const read = Object.fromEntries(settings) as Settings;
  if (read.cloudProvider === "aws" && read.clusterName === "") {
    problems.push("CLUSTER_NAME must name the cluster with --cloud-provider aws: machines are told apart by it");
  }
  return problems.length > 0 ? { problems } : { settings: read, warnings };
}
