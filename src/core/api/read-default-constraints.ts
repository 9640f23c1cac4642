import type { TopologySpread } from "../model/pod.ts";
import type { Field } from "./field.ts";
import { readTopologySpread } from "./read-topology-spread.ts";

const known: ReadonlySet<string> = new Set([
  "maxSkew",
  "minDomains",
  "topologyKey",
  "whenUnsatisfiable",
  "nodeAffinityPolicy",
  "nodeTaintsPolicy",
]);
const deduced: ReadonlySet<string> = new Set(["labelSelector", "matchLabelKeys"]);

/** The spread constraints of pods that have none of their own, as kube-scheduler's configuration has them. */
export function readDefaultConstraints(field: Field): readonly TopologySpread[] {
  const seen = new Set<string>();
  return field.items().map((item) => {
    checkFields(item);
    const spread = readTopologySpread(item);
    const { topologyKey, isRequired } = spread;
    const identity = `${topologyKey} with ${isRequired ? "DoNotSchedule" : "ScheduleAnyway"}`;
    if (seen.has(identity)) item.note(`must not repeat ${identity}`);
    seen.add(identity);
    return spread;
  });
}

/** A setting that is misspelt would otherwise be one that is silently not there. */
function checkFields(item: Field): void {
  for (const [name, { isAbsent, path }] of item.entries()) {
    if (isAbsent || known.has(name)) continue;
    const isDeduced = deduced.has(name);
    const because = "what each pod is counted with comes from its services and its owner";
    item.log.abandonField(path, isDeduced ? `must not be set: ${because}` : "is not a field of a spread constraint");
  }
}
