import type { InstanceType } from "../model/instance-type.ts";
import type { TopologySpread } from "../model/pod.ts";
import { Field, isRecord } from "./field.ts";
import { type Problem, ProblemLog } from "./problem.ts";
import { readDefaultConstraints } from "./read-default-constraints.ts";
import { readInstanceTypes } from "./read-instance-types.ts";
import { readSnapshot, type SnapshotRead } from "./read-objects.ts";
import { readAnyKind, readOneKind } from "./read-scenario-entry.ts";

/** A planning problem from a file: what the cluster is, what it can buy and what waits. */
export interface Scenario extends Omit<SnapshotRead, "problems"> {
  readonly name: string;
  readonly instanceTypes: readonly InstanceType[];
  /** For pods that have no spread constraints. Without selectors: those are deduced for each pod. */
  readonly defaultConstraints: readonly TopologySpread[];
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
  const entriesLog = new ProblemLog("Scenario");
  const entriesOf = (list: string): Field[] => {
    const field = scenario.at(list);
    return field.items(mostObjects).map(({ value }, index) => new Field(value, entriesLog, field, index));
  };
  const objects = [
    ...entriesOf("objects").flatMap(readAnyKind),
    ...entriesOf("nodePools").flatMap((entry) => readOneKind(entry, "karpenter.sh/v1", "NodePool")),
    ...entriesOf("pods").flatMap((entry) => readOneKind(entry, "v1", "Pod")),
  ];
  if (!log.isEmpty) return { scenario: undefined, problems: log.problems };
  const constraintsLog = new ProblemLog("Scenario");
  const constraints = scenario.at("defaultConstraints");
  const defaultConstraints = readDefaultConstraints(
    new Field(constraints.value, constraintsLog, scenario, "defaultConstraints"),
  );
  const { instanceTypes, problems: catalogueProblems } = readInstanceTypes(catalogue);
  const { problems, ...read } = readSnapshot(objects, instanceTypes, "unplaced");
  return {
    // kube-scheduler does not start with constraints of which one is wrong, so none of them counts.
    scenario: { name, ...read, instanceTypes, defaultConstraints: constraintsLog.isEmpty ? defaultConstraints : [] },
    problems: [...catalogueProblems, ...entriesLog.problems, ...constraintsLog.problems, ...problems],
  };
}

/** The catalogue that a scenario asks for, "" when it leaves that to whoever runs it. */
export function instanceTypesFileOf(json: unknown): string {
  return isRecord(json) && typeof json.instanceTypesFile === "string" ? json.instanceTypesFile : "";
}
