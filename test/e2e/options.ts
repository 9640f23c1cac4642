import { parseArgs } from "node:util";
import { type ControllerName, controllerNames } from "../../scripts/lab/karpenter.ts";
import { columnNames } from "./race/columns.ts";
import { defaultRace, type RaceOptions, raceKinds, raceOptionNames, readRaceOptions } from "./race/race-options.ts";

export interface Options {
  /** The suites that were asked for by name. */
  readonly only: readonly string[] | undefined;
  readonly isRecording: boolean;
  readonly isAll: boolean;
  readonly controller: ControllerName;
  readonly focus: RegExp | undefined;
  /** Undefined when none of its options is set. */
  readonly race: RaceOptions | undefined;
}

export type Reading =
  | { readonly kind: "options"; readonly options: Options }
  | { readonly kind: "help" }
  | { readonly kind: "mistake"; readonly message: string };

/** Who heeds an option. An option that somebody gives and nobody heeds would be a lie about what was tried. */
const heeding = {
  all: ["planner", "aws", "regression"],
  focus: ["controller", "aws", "takeover", "regression", "race", "consolidation"],
  controller: ["regression"],
  record: ["contract"],
  seeds: ["race"],
  kinds: ["race"],
  scenarios: ["race"],
  columns: ["race"],
  rounds: ["race"],
  pods: ["race"],
} as const;

const idleUnlessHeeded = ["focus", "controller", "record", ...raceOptionNames] as const;

export function describeUsage(suites: readonly string[]): string {
  return `npm run e2e -- [options]

Tries what needs real programs; they are built with Go, once, and aws needs Python 3, too. Without options all suites but the measurements (race, consolidation).

  --only SUITE,…      some suites: ${suites.join(", ")}
  --all               measurements too, and what takes long (${heeding.all.join(", ")})
  --focus REGEXP      only what is called so; with --only ${heeding.focus.join(" or ")}
  --controller NAME   ${controllerNames.join(" or ")} (the Go one); with --only ${heeding.controller.join(" or ")}
  --record            renews what npm test compares with; with --only ${heeding.record.join(" or ")}
  --seeds N,…         seeds of the scenarios (${defaultRace.seeds}); with --only race, as the next five
  --kinds KIND,…      kinds of scenario: ${raceKinds.join(", ")} (${defaultRace.kinds})
  --scenarios FILE,…  scenarios of bench/scenarios.ts, in place of seeds and kinds
  --columns COLUMN,…  ${columnNames.join(", ")} (all)
  --rounds N          how often each controller is tried (${defaultRace.rounds})
  --pods N            pods of a scenario (${defaultRace.pods})
  --help              this text`;
}

export function readOptions(args: readonly string[], suites: readonly string[]): Reading {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: "string" },
        record: { type: "boolean", default: false },
        all: { type: "boolean", default: false },
        controller: { type: "string", default: "ours" },
        focus: { type: "string" },
        seeds: { type: "string" },
        kinds: { type: "string" },
        scenarios: { type: "string" },
        columns: { type: "string" },
        rounds: { type: "string" },
        pods: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) return { kind: "help" };
    const only = values.only?.split(",");
    const unknown = only?.find((name) => !suites.includes(name));
    if (unknown !== undefined) return mistake(`there is no suite "${unknown}"; there are ${suites.join(", ")}`);
    const controller = controllerNames.find((name) => name === values.controller);
    if (controller === undefined) {
      return mistake(`there is no controller "${values.controller}"; there are ${controllerNames.join(", ")}`);
    }
    const idle = findIdleOption(only, { ...values, controller: controller === "ours" ? undefined : controller });
    if (idle !== undefined) return mistake(idle);
    if (values.all && only !== undefined && !only.some((name) => isIn(heeding.all, name))) {
      return mistake(`--all changes nothing for ${only.join(", ")}; it is for ${heeding.all.join(" and ")}`);
    }
    const focus = values.focus === undefined ? undefined : new RegExp(values.focus);
    return {
      kind: "options",
      options: {
        only,
        isRecording: values.record,
        isAll: values.all,
        controller,
        focus,
        race: readRaceOptions(values),
      },
    };
  } catch (cause) {
    // What Node makes of a flag that it does not know, or of a bad regular expression.
    return mistake(cause instanceof Error ? cause.message : String(cause));
  }
}

/** Says which of the options that were given would be ignored by a suite that is about to run. */
function findIdleOption(
  only: readonly string[] | undefined,
  given: { readonly [Option in (typeof idleUnlessHeeded)[number]]?: string | boolean | undefined },
): string | undefined {
  for (const option of idleUnlessHeeded) {
    if (given[option] === undefined || given[option] === false) continue;
    const suites = heeding[option].join(" or ");
    if (only === undefined) return `--${option} is not for all suites: add --only ${suites}`;
    const idle = only.find((name) => !isIn(heeding[option], name));
    if (idle !== undefined) return `--${option} changes nothing for ${idle}; it is for ${suites}`;
  }
  return undefined;
}

function isIn(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

function mistake(message: string): Reading {
  return { kind: "mistake", message };
}
