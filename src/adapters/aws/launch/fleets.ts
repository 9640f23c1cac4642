import type * as ec2 from "@aws-sdk/client-ec2";
import { type Labels, zoneLabel } from "../../../core/model/labels.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import type { Ec2Api } from "../api/aws-api.ts";
import { isAnswer, isServerFault, isThrottled, messageOf } from "../api/aws-error.ts";
import { Batcher, type BatchOutcome } from "../batching/batcher.ts";
import { type Machine, providerIdOf } from "../instances/machine.ts";
import type { PlannedTemplate } from "../launch-templates/plan-templates.ts";
import { writeTags } from "../launch-templates/template-data.ts";
import { cutIntoLots, writeClaimTags } from "./claim-tags.ts";
import type { FleetInput } from "./fleet-request.ts";
import {
  type FailureBooks,
  type FailureContext,
  foldFailures,
  type OfferingFailure,
  readFailures,
} from "./fold-failures.ts";
import type { Orders } from "./orders.ts";
import { labelOf } from "./plan-launch.ts";

/** One claim's wish for a machine. Claims with the same input and the same tags get theirs together. */
export interface FleetRequest extends FailureContext {
  readonly claimName: string;
  readonly input: FleetInput;
  readonly templates: readonly PlannedTemplate[];
  /** Of everything that is made. */
  readonly tags: Labels;
  /** Of machines only. */
  readonly machineTags: Labels;
}

export interface FleetAnswer {
  readonly machine: Machine | undefined;
  readonly failures: readonly OfferingFailure[];
}

export interface FleetsOptions extends Omit<FailureBooks, "metrics"> {
  readonly ec2: Ec2Api;
  readonly clock: Clock;
  readonly random: () => number;
  readonly telemetry: Telemetry;
  readonly orders: Orders;
  readonly onLaunched: (machine: Machine) => void;
}

/** AWS was asked for a machine and did not answer: there may be one now. */
export class UnknownPurchaseError extends Error {}

/** Buys machines, those that are alike together. */
export function openFleets(options: FleetsOptions): Batcher<FleetRequest, FleetAnswer> {
  return new Batcher({
    name: "create_fleet",
    clock: options.clock,
    metrics: options.telemetry.metrics,
    idleMilliseconds: 35,
    mostMilliseconds: 1000,
    mostItems: 1000,
    // All are made in the same way, so that what is alike is written alike.
    keyOf: ({ input, tags, machineTags }) => JSON.stringify([input, [...tags], [...machineTags]]),
    execute: async (requests) => (await Promise.all(cutIntoLots(requests).map((lot) => buyLot(options, lot)))).flat(),
  });
}

async function buyLot(
  options: FleetsOptions,
  lot: readonly FleetRequest[],
): Promise<readonly BatchOutcome<FleetAnswer>[]> {
  const [first] = lot;
  if (first === undefined) return [];
  const { clock, orders, telemetry } = options;
  const claimNames = lot.map(({ claimName }) => claimName);
  const machineTags = new Map([...first.tags, ...first.machineTags, ...writeClaimTags(claimNames)]);
  const input = makeInput(first, { count: lot.length, machineTags, token: makeToken(options.random) });
  let answer: ec2.CreateFleetCommandOutput;
  try {
    answer = await options.ec2.createFleet(input);
  } catch (error) {
    // What answers the last attempt may not be what became of the first.
    if (!isDefinite(error) || attemptsOf(error) > 1) orders.doubt(claimNames);
    if (isDefinite(error)) return lot.map(() => ({ ok: false, error }));
    const unknown = new UnknownPurchaseError(`AWS did not answer a request for machines: ${messageOf(error)}`, {
      cause: error,
    });
    return lot.map(() => ({ ok: false, error: unknown }));
  }
  const failures = readFailures(answer.Errors ?? []);
  foldFailures(failures, first, { ...options, metrics: telemetry.metrics });
  const now = clock.now();
  const machines = readMachines(answer, first, { machineTags, now });
  if (machines.length > lot.length) {
    telemetry.log.error("AWS launched more machines than it was asked for", {
      asked: lot.length,
      got: machines.length,
    });
  }
  for (const machine of machines) {
    options.onLaunched(machine);
    if (machine.reservation !== undefined) options.reservations.markLaunched(machine.reservation.id);
  }
  // At once, so that nobody else takes one of them.
  for (const [index, machine] of machines.entries()) {
    const claimName = claimNames[index];
    if (claimName !== undefined) orders.assign(claimName, machine);
  }
  return lot.map((_, index) => ({ ok: true, answer: { machine: machines[index], failures } }));
}

/** Whether nothing can have been launched. */
function isDefinite(error: unknown): boolean {
  return isThrottled(error) || (isAnswer(error) && !isServerFault(error)) || isBeforeSending(error);
}

function attemptsOf(error: unknown): number {
  return (error as { readonly $metadata?: { readonly attempts?: number } } | null)?.$metadata?.attempts ?? 1;
}

function isBeforeSending(error: unknown): boolean {
  return (error as { readonly name?: unknown } | null)?.name === "CredentialsProviderError";
}

/** The SDK sends the same token when it tries again, and AWS launches once for it. */
function makeToken(random: () => number): string {
  const part = (): string =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return `${part()}${part()}${part()}${part()}`;
}

interface LotDetails {
  readonly count: number;
  readonly machineTags: Labels;
  readonly token: string;
}

function makeInput({ input, tags }: FleetRequest, lot: LotDetails): ec2.CreateFleetCommandInput {
  return {
    ...input,
    ClientToken: lot.token,
    TargetCapacitySpecification: { ...input.TargetCapacitySpecification, TotalTargetCapacity: lot.count },
    TagSpecifications: [
      { ResourceType: "instance", Tags: writeTags(lot.machineTags) },
      { ResourceType: "volume", Tags: writeTags(tags) },
      { ResourceType: "fleet", Tags: writeTags(tags) },
    ],
  };
}

function readMachines(
  { Instances = [] }: ec2.CreateFleetCommandOutput,
  request: FleetRequest,
  { machineTags, now }: { readonly machineTags: Labels; readonly now: number },
): readonly Machine[] {
  const { nodeClass, plan, templates, placementGroup, input } = request;
  return Instances.flatMap(({ InstanceIds = [], InstanceType, LaunchTemplateAndOverrides }) => {
    const override = LaunchTemplateAndOverrides?.Overrides ?? {};
    const typeName = InstanceType ?? override.InstanceType ?? "";
    const subnetId = override.SubnetId ?? "";
    const zone = override.AvailabilityZone ?? zoneOfSubnet(input, subnetId);
    const template = templates.find(({ candidates }) =>
      candidates.some(
        ({ type, offerings }) =>
          type.name === typeName && offerings.some((offering) => labelOf(offering, zoneLabel) === zone),
      ),
    );
    return InstanceIds.map(
      (id): Machine => ({
        id,
        providerId: providerIdOf(zone, id),
        typeName,
        zone,
        imageId: override.ImageId ?? template?.imageId ?? "",
        capacityType: plan.capacityType,
        reservation: template?.reservation,
        tenancy: plan.tenancy,
        subnetId,
        securityGroupIds: nodeClass.status.securityGroups.map((group) => group.id),
        placementGroupId: placementGroup,
        partition: template?.partition,
        efaInterfaces: template?.efaInterfaces ?? 0,
        tags: machineTags,
        instanceProfile: nodeClass.status.instanceProfile ?? "",
        createdAt: now,
        state: "pending",
      }),
    );
  });
}

function zoneOfSubnet({ LaunchTemplateConfigs = [] }: FleetInput, subnetId: string): string {
  for (const { Overrides = [] } of LaunchTemplateConfigs) {
    const found = Overrides.find(({ SubnetId }) => SubnetId === subnetId);
    if (found !== undefined) return found.AvailabilityZone ?? "";
  }
  return "";
}
