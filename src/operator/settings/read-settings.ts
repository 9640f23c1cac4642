import { readArguments } from "./read-arguments.ts";
import type { Setting } from "./setting.ts";
import { type Settings, settingsTable } from "./settings-table.ts";

export type SettingsRead =
  | { readonly settings: Settings; readonly problems?: never }
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
  const settings = table.map(([name, setting]) => {
    const flag = values.get(setting.flag);
    const parsed = setting.parse((flag ?? environment[setting.variable]) || setting.default);
    if ("value" in parsed) return [name, parsed.value];
    const source = flag === undefined ? setting.variable : `--${setting.flag}`;
    problems.push(...parsed.problems.map((problem) => `${source} ${problem}`));
    return [name, undefined];
  });
  const read = Object.fromEntries(settings) as Settings;
  if (read.cloudProvider === "aws" && read.clusterName === "") {
    problems.push("CLUSTER_NAME must name the cluster with --cloud-provider aws: machines are told apart by it");
  }
  return problems.length > 0 ? { problems } : { settings: read };
}
