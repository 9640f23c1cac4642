import { wellKnownLabels } from "../../../core/model/labels.ts";
import type { CloudProvider } from "../../../ports/cloud-provider.ts";
import { fullMetricLabel, shortMetricLabel } from "../../../runtime/metric-label-name.ts";
import type { DefinedMetric } from "./definitions.ts";

export type LabelSource = Pick<CloudProvider, "wellKnownLabels" | "nodeClassKinds">;

/** All labels of a metric, those that come from the cloud provider included. */
export function labelNamesOf({ definition }: DefinedMetric, provider: LabelSource): readonly string[] {
  const own = Object.keys(definition.labels);
  if (definition.more === "well-known") {
    return [...new Set([...wellKnownLabels, ...provider.wellKnownLabels].map(shortMetricLabel)), ...own];
  }
  if (definition.more === "node-class") {
    return [
      ...own,
      ...provider.nodeClassKinds.map(({ group, kind }) => fullMetricLabel(`${group}/${kind.toLowerCase()}`)),
    ];
  }
  return own;
}
