import type { TopologySpread } from "../model/pod.ts";
import type { Field } from "./field.ts";
import { readTopologyKey } from "./read-pod-affinity.ts";
import { readSelector } from "./read-selector.ts";

const largestCount = 2 ** 31 - 1;

export function readTopologySpread(item: Field): TopologySpread {
  const maxSkew = item.at("maxSkew");
  if (maxSkew.isAbsent) maxSkew.reject("must be a whole number greater than 0");
  const minDomains = item.at("minDomains");
  const isRequired = readIsRequired(item.at("whenUnsatisfiable"));
  if (!isRequired && !minDomains.isAbsent) minDomains.note("must only be set when whenUnsatisfiable is DoNotSchedule");
  return {
    topologyKey: readTopologyKey(item),
    maxSkew: maxSkew.integer(1, largestCount) ?? 1,
    minDomains: minDomains.integer(1, largestCount),
    isRequired,
    selector: readSelector(item.at("labelSelector")),
    matchLabelKeys: item.at("matchLabelKeys").texts(),
    honorsNodeAffinity: readPolicy(item.at("nodeAffinityPolicy")) !== "Ignore",
    honorsNodeTaints: readPolicy(item.at("nodeTaintsPolicy")) === "Honor",
  };
}

function readIsRequired(field: Field): boolean {
  const choices = ["DoNotSchedule", "ScheduleAnyway"] as const;
  if (field.isAbsent) field.reject(`must be one of ${choices.join(", ")}`);
  return field.choice(choices) !== "ScheduleAnyway";
}

function readPolicy(field: Field): "Honor" | "Ignore" | undefined {
  return field.choice(["Honor", "Ignore"] as const);
}
