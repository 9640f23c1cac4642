import { KwokProvider, wellKnownLabelsOf } from "../adapters/kwok/kwok-provider.ts";
import { loadInstanceTypes } from "../adapters/kwok/load-instance-types.ts";
import { kwokNodeClasses } from "../adapters/kwok/node-class.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/telemetry.ts";
import type { Cloud } from "./controller.ts";
import type { Settings } from "./settings/settings-table.ts";

export interface CloudParts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
}

/** The cloud that the settings name. */
export function openCloud(
  { instanceTypes: builtIn, instanceTypesFilePath }: Pick<Settings, "instanceTypes" | "instanceTypesFilePath">,
  parts: CloudParts,
): Cloud {
  const instanceTypes = loadInstanceTypes({
    builtIn,
    ...(instanceTypesFilePath === "" ? {} : { file: instanceTypesFilePath }),
  });
  return {
    nodeClassKinds: [kwokNodeClasses],
    wellKnownLabels: wellKnownLabelsOf(instanceTypes),
    create: (kube) => new KwokProvider({ ...parts, kube, instanceTypes }),
  };
}
