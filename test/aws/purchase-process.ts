import type { Batcher } from "../../src/adapters/aws/batching/batcher.ts";
import { Instances } from "../../src/adapters/aws/instances/instances.ts";
import { type FleetAnswer, openFleets } from "../../src/adapters/aws/launch/fleets.ts";
import type { FleetRequest } from "../../src/adapters/aws/launch/lot.ts";
import { Orders } from "../../src/adapters/aws/launch/orders.ts";
import type { Collection } from "../../src/core/cluster/collection.ts";
import { findStrays } from "../../src/core/lifecycle/collection.ts";
import type { NodeClaim } from "../../src/core/model/node-claim.ts";
import type { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { pause } from "../../src/runtime/pause.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";
import type { PurchaseMarket } from "./purchase-market.ts";

export interface ProcessOptions {
  readonly clock: VirtualClock;
  readonly random: () => number;
  readonly claims: Collection<NodeClaim>;
  readonly market: PurchaseMarket;
}

const second = 1000;

/** What launcher, terminator and collector do with the provider, for as long as their process lives and leads. */
export class PurchaseProcess {
  readonly #options: ProcessOptions;
  readonly #instances: Instances;
  readonly #orders: Orders;
  readonly #fleets: Batcher<FleetRequest, FleetAnswer>;
  readonly #ended = new AbortController();
  readonly #unsubscribe: () => void;
  #isAlive = true;
  #isLeading = true;

  constructor(options: ProcessOptions) {
    this.#options = options;
    const { clock, market, claims, random } = options;
    const telemetry = new RecordingTelemetry();
    const ec2 = market.for(() => this.#isAlive);
    const ended = this.#ended.signal;
    this.#instances = new Instances({
      ec2,
      clusterName: "cluster",
      clock,
      telemetry,
      isReservedCapacityEnabled: false,
      shiftedZones: { version: 0, has: () => false },
      zoneIdOf: () => "",
      reservations: noReservations,
    });
    this.#orders = new Orders({ claims, clock, list: () => this.#instances.list(), ended });
    this.#fleets = openFleets({
      ec2,
      clock,
      random,
      telemetry,
      orders: this.#orders,
      onLaunched: (machine) => this.#instances.add(machine),
      unavailable: { version: 0, mark: () => {}, markCapacityType: () => {}, markSubnet: () => {}, has: () => false },
      reservations: noReservations,
      subnets: { find: async () => [], take: () => new Map(), giveBack: () => {}, markFull: () => {} },
      isLeading: () => this.#isLeading,
      ended,
    });
    this.#unsubscribe = claims.onChange(({ key, before, after }) => {
      if (before === undefined && after !== undefined) void this.#look(key);
    });
    for (const { name } of claims.values()) void this.#look(name);
    void this.#collect();
  }

  /** Somebody else leads; what is under way goes on, and nothing may be begun. */
  loseLead(): void {
    this.#isLeading = false;
    this.#ended.abort(new Error("somebody else leads"));
    this.#orders.stop();
    this.#unsubscribe();
  }

  die(): void {
    this.loseLead();
    this.#isAlive = false;
  }

  /** Answers while something is left over that is not being ended. */
  async strays(): Promise<readonly string[]> {
    const { claims, clock } = this.#options;
    const machines = await this.#instances.list();
    const names = this.#orders.match(machines);
    const owned = machines.map((machine) => ({
      ...machine,
      claimName: names.get(machine.providerId) ?? "",
      isTerminating: machine.state === "shutting-down",
    }));
    return findStrays(owned, claims.values(), clock.now()).strays.map(({ providerId }) => providerId);
  }

  async #collect(): Promise<void> {
    while (this.#isLeading) {
      await pause(this.#options.clock, 10 * second);
      if (!this.#isLeading) return;
      try {
        for (const providerId of await this.strays()) {
          if (this.#isLeading) await this.#instances.terminate(providerId);
        }
      } catch {}
    }
  }

  async #look(name: string): Promise<void> {
    const { claims, clock } = this.#options;
    while (this.#isLeading) {
      const claim = claims.get(name);
      if (claim === undefined) return;
      try {
        if (claim.deletedAt !== undefined) await this.#end(claim);
        else if (claim.providerId === "") await this.#launch(claim);
      } catch {}
      await pause(clock, second);
    }
  }

  async #launch(claim: NodeClaim): Promise<void> {
    const { claims, clock, random } = this.#options;
    const { name } = claim;
    if (claim.finalizers.length === 0) claims.put(name, { ...claim, finalizers: ["karpenter.sh/termination"] });
    const machine = (await this.#orders.seek(claim)) ?? (await this.#fleets.ask(requestOf(name))).machine;
    // The status of the claim is written a little later, if this process is still there then.
    await pause(clock, random() * second);
    const now = claims.get(name);
    if (machine !== undefined && now !== undefined && this.#isLeading) {
      claims.put(name, { ...now, providerId: machine.providerId });
    }
  }

  async #end({ name, providerId }: NodeClaim): Promise<void> {
    const { claims } = this.#options;
    const ids = providerId === "" ? await this.#findMachines(name) : [providerId];
    const states = await Promise.all(ids.map((id) => this.#instances.terminate(id)));
    if (this.#isLeading && states.every((state) => state === "gone")) claims.remove(name);
  }

  async #findMachines(claimName: string): Promise<readonly string[]> {
    const names = this.#orders.match(await this.#instances.list());
    return [...names].filter(([, name]) => name === claimName).map(([providerId]) => providerId);
  }
}

const noReservations = {
  version: 0,
  available: () => 0,
  markLaunched: () => {},
  markTerminated: () => {},
  markUnavailable: () => {},
};

function requestOf(claimName: string): FleetRequest {
  return {
    claimName,
    nodeClass: { status: { securityGroups: [], subnets: [], instanceProfile: undefined } },
    plan: { capacityType: "on-demand", tenancy: "default", candidates: [] },
    placementGroup: "",
    input: { Type: "instant", LaunchTemplateConfigs: [], TargetCapacitySpecification: { TotalTargetCapacity: 1 } },
    templates: [],
    tags: new Map(),
    machineTags: new Map(),
  } as unknown as FleetRequest;
}
