import type { Clock } from "../../../ports/clock.ts";
import type { Log, Telemetry } from "../../../ports/telemetry.ts";
import type { Ec2Api } from "../api/aws-api.ts";
import { explainRefusal } from "../api/explain-refusal.ts";
import type { ReservationCounts, ShiftedZones } from "../aws-parts.ts";
import type { Batcher } from "../batching/batcher.ts";
import { clusterNameTag, nodeClassTag, nodePoolTag } from "../names.ts";
import { describeInBatches, terminateInBatches } from "./describe-batches.ts";
import { listLag } from "./list-lag.ts";
import { instanceIdOf, isGoing, type Machine, readMachine } from "./machine.ts";

export interface InstancesOptions {
  readonly ec2: Ec2Api;
  readonly clusterName: string;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly isReservedCapacityEnabled: boolean;
  readonly shiftedZones: ShiftedZones;
  /** The id of a zone, which is what is shifted; "" when nobody knows. */
  readonly zoneIdOf: (zone: string) => string;
  readonly reservations: ReservationCounts;
}

const states = ["pending", "running", "stopping", "stopped", "shutting-down"];

/** The machines of this cluster at AWS. */
export class Instances {
  readonly #options: InstancesOptions;
  readonly #log: Log;
  readonly #describe: Batcher<string, Machine | undefined>;
  readonly #terminate: Batcher<string, void>;
  /** As AWS last told, by id. */
  readonly #known = new Map<string, Machine>();
  /** Launched lately, and in no list yet. */
  readonly #recent = new Map<string, Machine>();

  constructor(options: InstancesOptions) {
    this.#options = options;
    this.#log = options.telemetry.log;
    const batches = { ...options, metrics: options.telemetry.metrics };
    this.#describe = describeInBatches(batches);
    this.#terminate = terminateInBatches(batches);
  }

  /** As AWS last told. */
  get known(): readonly Machine[] {
    return [...this.#known.values()];
  }

  /** AWS has launched it. */
  add(machine: Machine): void {
    this.#recent.set(machine.id, machine);
    this.#known.set(machine.id, machine);
  }

  async list(): Promise<readonly Machine[]> {
    const { clock } = this.#options;
    const askedAt = clock.now();
    const listed = await this.#ask();
    const machines = new Map(listed.map((machine) => [machine.id, machine]));
    for (const [id, machine] of this.#recent) {
      if (machines.has(id) || askedAt - machine.createdAt >= listLag) this.#recent.delete(id);
      else machines.set(id, machine);
    }
    for (const [id, { createdAt }] of this.#known) {
      if (!machines.has(id) && askedAt - createdAt >= listLag) this.#leave(id);
    }
    for (const [id, machine] of machines) this.#known.set(id, machine);
    return [...machines.values()];
  }

  /** Undefined when it is gone, or never was. */
  async find(providerId: string): Promise<Machine | undefined> {
    const id = instanceIdOf(providerId);
    if (id === undefined) return undefined;
    const known = this.#known.get(id);
    // Nobody can say how a machine is in a zone that is cut off.
    if (known !== undefined && this.#isShifted(known)) return known;
    const machine = (await this.#describe.ask(id).catch(explain("ec2:DescribeInstances"))) ?? this.#recentOf(id);
    if (machine === undefined || machine.state === "terminated") {
      this.#leave(id);
      return undefined;
    }
    this.#known.set(id, machine);
    return machine;
  }

  /** As AWS last told it, or asked for when nobody has. */
  async recall(providerId: string): Promise<Machine | undefined> {
    return this.#known.get(instanceIdOf(providerId) ?? "") ?? (await this.find(providerId));
  }

  async terminate(providerId: string): Promise<"terminating" | "gone"> {
    const machine = await this.find(providerId);
    if (machine === undefined) return "gone";
    const { id, zone } = machine;
    if (this.#isShifted(machine)) {
      throw new Error(
        `Cannot end machine ${id}: its zone ${zone} is shifted away, and it is left alone until it is back`,
      );
    }
    if (isGoing(machine)) return "terminating";
    try {
      await this.#terminate.ask(id);
    } catch (error) {
      const { telemetry, zoneIdOf } = this.#options;
      telemetry.metrics.add("cloudprovider_instance_termination_failures_total", { zone, zone_id: zoneIdOf(zone) });
      throw explainRefusal(error, "ec2:TerminateInstances");
    }
    this.#recent.delete(id);
    this.#known.set(id, { ...machine, state: "shutting-down" });
    return "terminating";
  }

  async #ask(): Promise<readonly Machine[]> {
    const { ec2, clusterName, isReservedCapacityEnabled } = this.#options;
    const instances = await ec2
      .describeInstances({
        Filters: [
          { Name: "tag-key", Values: [nodePoolTag] },
          { Name: "tag-key", Values: [nodeClassTag] },
          { Name: `tag:${clusterNameTag}`, Values: [clusterName] },
          { Name: "instance-state-name", Values: states },
        ],
      })
      .catch(explain("ec2:DescribeInstances"));
    return instances.map((instance) => readMachine(instance, isReservedCapacityEnabled));
  }

  #recentOf(id: string): Machine | undefined {
    const machine = this.#recent.get(id);
    return machine !== undefined && this.#options.clock.now() - machine.createdAt < listLag ? machine : undefined;
  }

  #leave(id: string): void {
    const reservation = this.#known.get(id)?.reservation;
    this.#known.delete(id);
    this.#recent.delete(id);
    if (reservation === undefined) return;
    this.#options.reservations.markTerminated(reservation.id);
    this.#log.debug("a reserved machine is gone", { instance: id, reservation: reservation.id });
  }

  #isShifted({ zone }: Machine): boolean {
    const { shiftedZones, zoneIdOf } = this.#options;
    return shiftedZones.has(zoneIdOf(zone));
  }
}

function explain(action: string): (error: unknown) => never {
  return (error) => {
    throw explainRefusal(error, action);
  };
}
