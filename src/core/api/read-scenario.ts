import type { InstanceType } from "../model/instance-type.ts";
import type { Pod } from "../model/pod.ts";
import type { ClusterObjects } from "./cluster-objects.ts";
import { Field, isRecord } from "./field.ts";
import { type Problem, ProblemLog } from "./problem.ts";
import { readInstanceTypes } from "./read-instance-types.ts";
import { readSnapshot } from "./read-objects.ts";

/** A planning problem from a file: what the cluster is, what it can buy and what waits. */
export interface Scenario {
  readonly name: string;
  readonly snapshot: ClusterObjects;
  readonly pendingPods: readonly Pod[];
  readonly instanceTypes: readonly InstanceType[];
}

export interface ScenarioRead {
  /** Undefined for a file that is no scenario at all. What is wrong with single objects is among the problems. */
  readonly scenario: Scenario | undefined;
  readonly problems: readonly Problem[];
}

const mostObjects = 2_000_000;

/** Every pod without a node waits, whatever its conditions say: whoever writes a scenario means them to be placed. */
export function readScenario(json: unknown, catalogue: unknown): ScenarioRead {
  const log = new ProblemLog("Scenario");
  if (!isRecord(json)) log.abandon("", "must be an object with a name, nodePools and pods");
  const scenario = new Field(isRecord(json) ? json : {}, log);
  const name = scenario.at("name").text() ?? "";
  const objects = [
    ...readList(scenario.at("objects")),
    ...readList(scenario.at("nodePools"), { apiVersion: "karpenter.sh/v1", kind: "NodePool" }),
    ...readList(scenario.at("pods"), { apiVersion: "v1", kind: "Pod" }),
  ];
  if (!log.isEmpty) return { scenario: undefined, problems: log.problems };
  const { instanceTypes, problems: catalogueProblems } = readInstanceTypes(catalogue);
  const { snapshot, pendingPods, problems } = readSnapshot(objects, instanceTypes, "unplaced");
  return {
    scenario: { name, snapshot, pendingPods, instanceTypes },
    problems: [...catalogueProblems, ...problems],
  };
}

/** The objects of a list, which may leave out the kind that they all have. */
function readList(field: Field, type?: { readonly apiVersion: string; readonly kind: string }): readonly unknown[] {
  const objects = field.items(mostObjects).map(({ value }) => value);
  if (type === undefined) return objects;
  return objects.map((object) => (isRecord(object) && object.kind === undefined ? { ...object, ...type } : object));
}

/** The catalogue that a scenario asks for, "" when it leaves that to whoever runs it. */
export function instanceTypesFileOf(json: unknown): string {
  return isRecord(json) && typeof json.instanceTypesFile === "string" ? json.instanceTypesFile : "";
}
