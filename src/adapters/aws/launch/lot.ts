import type * as ec2 from "@aws-sdk/client-ec2";
import { type Labels, zoneLabel } from "../../../core/model/labels.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import { messageOf } from "../api/aws-error.ts";
import { type Machine, providerIdOf } from "../instances/machine.ts";
import type { PlannedTemplate } from "../launch-templates/plan-templates.ts";
import { writeTags } from "../launch-templates/template-data.ts";
import { writeClaimTags } from "./claim-tags.ts";
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
import { type FleetSender, sendFleet } from "./send-fleet.ts";

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

export interface LotOptions extends FleetSender, Omit<FailureBooks, "metrics"> {
  readonly telemetry: Telemetry;
  readonly orders: Orders;
  readonly onLaunched: (machine: Machine) => void;
}

/** AWS was asked for a machine and did not answer: there may be one now. */
export class UnknownPurchaseError extends Error {}

/** Claims that get their machines by one request, which is the same however often it is sent. */
export class Lot {
  readonly claimNames: readonly string[];
  readonly #options: LotOptions;
  readonly #request: FleetRequest;
  readonly #machineTags: Labels;
  readonly #input: ec2.CreateFleetCommandInput;
  #sending: Promise<readonly OfferingFailure[]> | undefined;
  #wasSent = false;

  constructor(options: LotOptions, requests: readonly [FleetRequest, ...FleetRequest[]]) {
    const [first] = requests;
    this.#options = options;
    this.#request = first;
    this.claimNames = requests.map(({ claimName }) => claimName);
    this.#machineTags = new Map([...first.tags, ...first.machineTags, ...writeClaimTags(this.claimNames)]);
    this.#input = {
      ...first.input,
      ClientToken: makeToken(options.random),
      TargetCapacitySpecification: {
        ...first.input.TargetCapacitySpecification,
        TotalTargetCapacity: requests.length,
      },
      TagSpecifications: [
        { ResourceType: "instance", Tags: writeTags(this.#machineTags) },
        { ResourceType: "volume", Tags: writeTags(first.tags) },
        { ResourceType: "fleet", Tags: writeTags(first.tags) },
      ],
    };
  }

  /**
   * Buys the machines, or learns of those that were bought when it is sent again. The orders know of them afterwards;
   * what is told is why there are not more. Rejects when nothing was bought, or nobody knows.
   */
  send(): Promise<readonly OfferingFailure[]> {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #send(): Promise<readonly OfferingFailure[]> {
    const wasSent = this.#wasSent;
    this.#wasSent = true;
    const reply = await sendFleet(this.#options, this.#input, wasSent);
    if (reply.kind === "answered") return this.#take(reply.output);
    const { error } = reply;
    if (reply.kind === "refused") throw error;
    // Whatever the last answer was: machines may have come of a call before it.
    this.#options.orders.doubt(this.claimNames, reply.canRepeat ? this : undefined);
    throw new UnknownPurchaseError(`AWS did not answer a request for machines: ${messageOf(error)}`, { cause: error });
  }

  #take(answer: ec2.CreateFleetCommandOutput): readonly OfferingFailure[] {
    const { clock, orders, telemetry, reservations, onLaunched } = this.#options;
    const failures = readFailures(answer.Errors ?? []);
    foldFailures(failures, this.#request, { ...this.#options, metrics: telemetry.metrics });
    const machines = readMachines(answer, this.#request, { machineTags: this.#machineTags, now: clock.now() });
    const asked = this.claimNames.length;
    if (machines.length > asked) {
      telemetry.log.error("AWS launched more machines than it was asked for", { asked, got: machines.length });
    }
    for (const machine of machines) {
      onLaunched(machine);
      if (machine.reservation !== undefined) reservations.markLaunched(machine.reservation.id);
    }
    // At once, so that nobody else takes one of them.
    orders.share(this.claimNames, machines);
    return failures;
  }
}

/** AWS launches once for it. */
function makeToken(random: () => number): string {
  const part = (): string =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return `${part()}${part()}${part()}${part()}`;
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
