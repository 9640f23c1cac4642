import { readFileSync } from "node:fs";
import { boundsOf } from "../../../bench/bound.ts";
import { openCatalogue } from "../../../bench/catalogue.ts";
import { catalogueFile, generateScenario } from "../../../bench/scenarios.ts";
import type { Scenario } from "../../../bench/wire.ts";
import { deploymentOf, listOf, nodeClass, systemNode, workloadsOf } from "../scenario-manifests.ts";
import type { Column } from "./columns.ts";
import { type RaceKind, type RaceOptions, raceKinds } from "./race-options.ts";

export interface RaceScenario {
  readonly name: string;
  /** Decides on the goal for the price. */
  readonly kind: RaceKind | undefined;
  readonly podCount: number;
  readonly deployments: readonly object[];
  /** No set of nodes for the pods costs less. */
  readonly boundPerHour: number;
  /** The pool that most users have, its node class, and a node for the controller itself, for kubectl. */
  clusterManifest(column: Column): string;
}

export function raceScenarios({ kinds, seeds, scenarios, pods }: RaceOptions): RaceScenario[] {
  if (scenarios.length > 0) return scenarios.map((file) => raceScenario(readScenario(file)));
  return kinds.flatMap((kind) =>
    seeds.map((seed) => raceScenario(generateScenario({ kind, seed, pods, isTypical: true }))),
  );
}

function readScenario(file: string): Scenario {
  return JSON.parse(readFileSync(file, "utf8")) as Scenario;
}

function raceScenario(scenario: Scenario): RaceScenario {
  return {
    name: scenario.name,
    // Scenarios of other kinds have no goal for their price.
    kind: raceKinds.find((kind) => scenario.name.startsWith(`${kind}-`)),
    podCount: scenario.pods.length,
    deployments: workloadsOf(scenario.pods).map(deploymentOf),
    boundPerHour: boundsOf({ scenario, catalogue: openCatalogue(catalogueFile) }).boundPerHour,
    clusterManifest: ({ bootSeconds }) =>
      listOf([nodeClass({ nodeRegistrationDelay: `${bootSeconds}s` }), ...scenario.nodePools, systemNode()]),
  };
}
