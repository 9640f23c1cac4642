import { ec2NodeClasses } from "../../core/api/karpenter-resources.ts";
import type { Clock } from "../../ports/clock.ts";
import type { NodeClassKind } from "../../ports/cloud-provider.ts";
import { openAwsApi } from "./api/open-aws-api.ts";
import { awsWellKnownLabels } from "./aws-labels.ts";
import { type AwsMarket, openAwsMarket } from "./aws-market.ts";
import type { AwsSettings } from "./aws-settings.ts";
import { AwsTerm, type AwsTermParts } from "./aws-term.ts";
import { openZonalShifts } from "./zonal-shift/zonal-shifts.ts";

export interface AwsOptions {
  readonly settings: AwsSettings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly version: string;
  /** That the controller itself trusts the API server by, base64 of PEM; "" when it needs none. */
  readonly caBundle: string;
}

export interface AwsCloud {
  readonly nodeClassKinds: readonly NodeClassKind[];
  readonly wellKnownLabels: ReadonlySet<string>;
  create(parts: AwsTermParts): AwsTerm;
}

/** Rejects when AWS could not be asked at all: without a region, say. */
export async function openAws(options: AwsOptions): Promise<AwsCloud> {
  const { settings, clock, version } = options;
  const { clusterName } = settings;
  const api = await openAwsApi({ version });
  const shifts = settings.enableZonalShift ? await openZonalShifts({ api, clusterName, clock }) : undefined;
  // What is sold, and at which price, is the same whoever leads: it is asked for once.
  let market: AwsMarket | undefined;
  return {
    nodeClassKinds: [ec2NodeClasses],
    wellKnownLabels: awsWellKnownLabels,
    create: (parts) => {
      market ??= openAwsMarket({ ...options, api, shifts, telemetry: parts.telemetry });
      return new AwsTerm({ ...options, ...parts, market });
    },
  };
}
