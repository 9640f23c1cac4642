import { parse } from "yaml";
import { type Field, openObject } from "../../core/api/field.ts";
import { readDefaultConstraints } from "../../core/api/read-default-constraints.ts";
import type { TopologySpread } from "../../core/model/pod.ts";
import type { Parsed, Setting } from "./setting.ts";

export const schedulerConfig: Setting<readonly TopologySpread[]> = {
  flag: "scheduler-config",
  variable: "SCHEDULER_CONFIG",
  default: "",
  placeholder: "yaml",
  help: "YAML or JSON with `podTopologySpread.defaultConstraints`, the spread constraints of pods that have none of their own; as in the configuration of kube-scheduler, whose they should equal.",
  parse: parseSchedulerConfig,
};

function parseSchedulerConfig(given: string): Parsed<readonly TopologySpread[]> {
  if (given.trim() === "") return { value: [] };
  let json: unknown;
  try {
    json = parse(given);
  } catch (error) {
    const [firstLine] = (error as Error).message.split("\n");
    return { problems: [`must be YAML or JSON: ${firstLine}`] };
  }
  const config = openObject(json, "");
  refuseOthers(config, "podTopologySpread");
  const spread = config.at("podTopologySpread");
  refuseOthers(spread, "defaultConstraints");
  const value = readDefaultConstraints(spread.at("defaultConstraints"));
  const { problems } = config.log;
  if (problems.length === 0) return { value };
  return {
    problems: problems.map(({ field, message }) => (field === "" ? message : `has ${field}, which ${message}`)),
  };
}

/** A field that is misspelt would otherwise be silently not there. */
function refuseOthers(field: Field, known: string): void {
  for (const [name, { path }] of field.entries()) {
    if (name !== known) field.log.abandonField(path, `is unknown here; there is ${known}`);
  }
}
