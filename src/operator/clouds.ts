import { KwokProvider, wellKnownLabelsOf } from "../adapters/kwok/kwok-provider.ts";
import { loadInstanceTypes } from "../adapters/kwok/load-instance-types.ts";
import { kwokNodeClasses } from "../adapters/kwok/node-class.ts";
import type { InstanceType } from "../core/model/instance-type.ts";
import { capacityTypeLabel } from "../core/model/labels.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/telemetry.ts";
import type { Cloud } from "./controller.ts";
import type { FeatureGates } from "./settings/feature-gates.ts";
import type { Settings } from "./settings/settings-table.ts";

export interface CloudParts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
}

export type KwokSettings = Pick<Settings, "instanceTypes" | "instanceTypesFilePath"> & {
  /** True where absent. */
  readonly featureGates?: Pick<FeatureGates, "ReservedCapacity">;
};

export interface AwsParts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly version: string;
  /** That the controller itself trusts the API server by, base64 of PEM; "" when it needs none. */
  readonly caBundle: string;
}

/** The cloud that the settings name. The SDK of AWS is large: only who uses it loads it. */
export async function openCloud(settings: Settings, parts: CloudParts & AwsParts): Promise<Cloud> {
  if (settings.cloudProvider === "kwok") return openKwok(settings, parts);
  const { openAws } = await import("../adapters/aws/open-aws.ts");
  const isReservedCapacityEnabled = settings.featureGates.ReservedCapacity;
  const isNodeClassCelEnabled = settings.awsFeatureGates.NodeClassCEL;
  return openAws({ ...parts, settings: { ...settings, isReservedCapacityEnabled, isNodeClassCelEnabled } });
}

/** Machines that are only there in name. */
export function openKwok(settings: KwokSettings, parts: CloudParts): Cloud {
  const { instanceTypes: builtIn, instanceTypesFilePath, featureGates } = settings;
  const catalogue = loadInstanceTypes({
    builtIn,
    ...(instanceTypesFilePath === "" ? {} : { file: instanceTypesFilePath }),
  });
  const instanceTypes = featureGates?.ReservedCapacity === false ? catalogue.map(withoutReserved) : catalogue;
  return {
    nodeClassKinds: [kwokNodeClasses],
    wellKnownLabels: wellKnownLabelsOf(instanceTypes),
    create: ({ kube }) => new KwokProvider({ ...parts, kube, instanceTypes }),
  };
}

/** A type that is sold in no other way stays, and cannot be had. */
function withoutReserved(instanceType: InstanceType): InstanceType {
  const offerings = instanceType.offerings.filter(
    ({ requirements, reservationId }) =>
      reservationId === undefined && requirements.get(capacityTypeLabel)?.values.has("reserved") !== true,
  );
  return { ...instanceType, offerings };
}
