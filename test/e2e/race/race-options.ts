import type { Kind } from "../../../bench/scenarios.ts";
import { type ColumnName, columnNames } from "./columns.ts";

/** The kinds of scenario that have goals. */
export const raceKinds = ["fleet", "lopsided", "diverse"] as const satisfies readonly Kind[];
export type RaceKind = (typeof raceKinds)[number];

export interface RaceOptions {
  readonly seeds: readonly number[];
  readonly kinds: readonly RaceKind[];
  /** Files of scenarios, as `bench/scenarios.ts` writes them, to race on in place of seeds and kinds. */
  readonly scenarios: readonly string[];
  readonly columns: readonly ColumnName[];
  readonly rounds: number;
  readonly pods: number;
}

export const raceOptionNames = ["seeds", "kinds", "scenarios", "columns", "rounds", "pods"] as const;
/** As they are written on the command line. */
export type RaceTexts = { readonly [Name in (typeof raceOptionNames)[number]]?: string | undefined };

export const defaultRace: RaceOptions = {
  seeds: [5],
  kinds: ["fleet"],
  scenarios: [],
  columns: columnNames,
  rounds: 3,
  pods: 1000,
};

/** Undefined when none is set. Throws with a message for the user. */
export function readRaceOptions(texts: RaceTexts): RaceOptions | undefined {
  const { seeds, kinds, scenarios, columns, rounds, pods } = texts;
  if (raceOptionNames.every((name) => texts[name] === undefined)) return undefined;
  return {
    seeds: seeds?.split(",").map((text) => readNumber("seeds", text, 0)) ?? defaultRace.seeds,
    kinds: kinds?.split(",").map((text) => readName("kinds", text, raceKinds)) ?? defaultRace.kinds,
    scenarios: scenarios?.split(",") ?? defaultRace.scenarios,
    columns: columns?.split(",").map((text) => readName("columns", text, columnNames)) ?? defaultRace.columns,
    rounds: rounds === undefined ? defaultRace.rounds : readNumber("rounds", rounds, 1),
    pods: pods === undefined ? defaultRace.pods : readNumber("pods", pods, 1),
  };
}

/** The flags that `readRaceOptions` reads the same options from. */
export function raceFlags(options: RaceOptions | undefined): string[] {
  if (options === undefined) return [];
  const given = raceOptionNames.filter((name) => String(options[name]) !== "");
  return given.flatMap((name) => [`--${name}`, String(options[name])]);
}

function readNumber(option: string, text: string, least: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least) return number;
  throw new Error(`--${option}: "${text}" is not a whole number of at least ${least}`);
}

function readName<Name extends string>(option: string, text: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === text);
  if (found === undefined) throw new Error(`--${option}: "${text}" is unknown; choose from ${names.join(", ")}`);
  return found;
}
