import { boundsOf } from "../../../bench/bound.ts";
import { openCatalogue } from "../../../bench/catalogue.ts";
import { catalogueFile, generateScenario, scenarioName } from "../../../bench/scenarios.ts";
import { deploymentOf, listOf, nodeClass, systemNode, workloadsOf } from "../scenario-manifests.ts";
import type { Column } from "./columns.ts";
import type { RaceKind, RaceOptions } from "./race-options.ts";

export interface RaceScenario {
  readonly name: string;
  readonly kind: RaceKind;
  readonly podCount: number;
  readonly deployments: readonly object[];
  /** No set of nodes for the pods costs less. */
  readonly boundPerHour: number;
  /** The pool that most users have, its node class, and a node for the controller itself, for kubectl. */
  clusterManifest(column: Column): string;
}

export function raceScenarios({ kinds, seeds, pods }: RaceOptions): RaceScenario[] {
  return kinds.flatMap((kind) => seeds.map((seed) => raceScenario(kind, seed, pods)));
}

function raceScenario(kind: RaceKind, seed: number, pods: number): RaceScenario {
  const options = { kind, seed, pods, isTypical: true };
  const scenario = generateScenario(options);
  return {
    name: scenarioName(options),
    kind,
    podCount: pods,
    deployments: workloadsOf(scenario.pods).map(deploymentOf),
    boundPerHour: boundsOf({ scenario, catalogue: openCatalogue(catalogueFile) }).boundPerHour,
    clusterManifest: ({ bootSeconds }) =>
      listOf([nodeClass({ nodeRegistrationDelay: `${bootSeconds}s` }), ...scenario.nodePools, systemNode()]),
  };
}
