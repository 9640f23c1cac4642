import { NoGoError } from "../../../scripts/lab/binaries.ts";
import { type Suite, type SuiteContext, timed } from "../suite.ts";
import { type Column, columnOf } from "./columns.ts";
import { type Comparison, goalsMissed } from "./goals.ts";
import { defaultRace } from "./race-options.ts";
import { type RaceScenario, raceScenarios } from "./race-scenario.ts";
import { type Attempt, type RaceResult, type Racer, racers, runAttempt } from "./run-attempt.ts";
import { describeResult, printComparison } from "./table.ts";

/** Many pods at once or in a steady stream: how long until all run, on what, and what that takes of the controllers. */
export const raceSuite: Suite = {
  name: "race",
  isMeasurement: true,
  async run(context) {
    const options = context.race ?? defaultRace;
    const comparisons: Comparison[] = [];
    const problems: string[] = [];
    for (const scenario of raceScenarios(options)) {
      for (const column of options.columns.map(columnOf)) {
        const part = `${scenario.name} ${column.name}`;
        const compared = await timed(context.took, part, () => compare({ scenario, column }, options.rounds, context));
        comparisons.push(compared.comparison);
        problems.push(...compared.problems);
      }
    }
    for (const comparison of comparisons) printComparison(comparison, context.progress);
    return [...problems, ...comparisons.flatMap(goalsMissed)];
  },
};

interface Place {
  readonly scenario: RaceScenario;
  readonly column: Column;
}

interface Compared {
  readonly comparison: Comparison;
  readonly problems: readonly string[];
}

/** The controllers take turns in every round, because how fast a machine is changes from minute to minute. */
async function compare(place: Place, rounds: number, { progress, focus }: SuiteContext): Promise<Compared> {
  const results: Record<Racer, RaceResult[]> = { ours: [], bind: [], peer: [] };
  const problems: string[] = [];
  const wanted = racers.filter((racer) => focus?.test(racer) ?? true);
  for (let round = 1; round <= rounds; round++) {
    for (const racer of wanted) {
      const title = `${place.scenario.name} ${place.column.name} ${racer}, round ${round} of ${rounds}`;
      const result = await attempt({ ...place, racer, round }, progress);
      if (result instanceof Error) {
        problems.push(`${title}: ${result.stack ?? result.message}`);
        progress(`${title}: failed: ${result.message}`);
      } else {
        results[racer].push(result);
        progress(`${title}: ${describeResult(result, place.scenario)}`);
      }
    }
  }
  return { comparison: { ...place, results }, problems };
}

/** A controller that does not start or ends by itself is no reason to lose what the others did. */
async function attempt(one: Attempt, progress: SuiteContext["progress"]): Promise<RaceResult | Error> {
  try {
    return await runAttempt(one, progress);
  } catch (cause) {
    if (cause instanceof NoGoError) throw cause;
    return cause instanceof Error ? cause : new Error(String(cause));
  }
}
