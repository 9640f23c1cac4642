import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type * as ec2 from "@aws-sdk/client-ec2";
import type { Ec2Api } from "../../src/adapters/aws/api/aws-api.ts";
import type { Batcher } from "../../src/adapters/aws/batching/batcher.ts";
import { Instances } from "../../src/adapters/aws/instances/instances.ts";
import { type FleetAnswer, type FleetRequest, openFleets } from "../../src/adapters/aws/launch/fleets.ts";
import { Orders } from "../../src/adapters/aws/launch/orders.ts";
import { Collection } from "../../src/core/cluster/collection.ts";
import { findStrays } from "../../src/core/lifecycle/collection.ts";
import type { NodeClaim } from "../../src/core/model/node-claim.ts";
import { seededRandom } from "../../src/core/model/seeded-random.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";

describe("machines that are bought while processes die and answers get lost", () => {
  it("are one for each claim in the end, none leaked and none doubled, 200 times", async () => {
    for (let seed = 1; seed <= 200; seed++) {
      const story = new Story(seed);
      await story.tell();
      const { claims, market } = story;
      const told = `seed ${seed}`;
      assert.equal(market.machines.length, claims.size, `${told}: as many were bought as were asked for`);
      const recorded = [...claims.values()].map(({ providerId }) => providerId);
      assert.equal(new Set(recorded).size, claims.size, `${told}: each claim has its own`);
      assert.deepEqual(await story.findStrays(), [], `${told}: none is left over`);
    }
  });
});

const second = 1000;

/** Some claims, a few processes one after the other, and an AWS that does not always answer. */
class Story {
  readonly clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
  readonly claims = new Collection<NodeClaim>();
  readonly random: () => number;
  readonly market: Market;
  #process: Process;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.market = new Market(this.clock, this.random);
    this.#process = new Process(this);
  }

  async tell(): Promise<void> {
    const count = 1 + Math.floor(this.random() * 12);
    for (let i = 0; i < count; i++) {
      this.claims.put(`claim-${i}`, claimNamed(`claim-${i}`));
      if (this.random() < 0.3) await this.clock.advance(this.random() * 200);
    }
    for (let crashes = Math.floor(this.random() * 4); crashes > 0; crashes--) {
      await this.clock.advance(this.random() * 4 * second);
      this.#process.die();
      if (this.random() < 0.5) await this.clock.advance(this.random() * second);
      this.#process = new Process(this);
    }
    this.market.isReliable = true;
    await this.clock.advance(120 * second);
    this.#process.die();
  }

  async findStrays(): Promise<readonly string[]> {
    const process = new Process(this);
    const machines = await this.settle(process.instances.list());
    const names = process.orders.match(machines);
    const instances = machines.map(({ providerId, createdAt }) => ({
      providerId,
      createdAt,
      claimName: names.get(providerId) ?? "",
      isTerminating: false,
    }));
    process.die();
    return findStrays(instances, this.claims.values(), this.clock.now()).strays.map(({ providerId }) => providerId);
  }

  async settle<T>(promise: Promise<T>): Promise<T> {
    let isDone = false;
    void promise.finally(() => {
      isDone = true;
    });
    await this.clock.advanceUntil(() => isDone, 10 * second);
    return promise;
  }
}

/** What a launcher does with the provider, for as long as it lives. */
class Process {
  readonly instances: Instances;
  readonly orders: Orders;
  readonly #fleets: Batcher<FleetRequest, FleetAnswer>;
  readonly #story: Story;
  readonly #unsubscribe: () => void;
  #isAlive = true;

  constructor(story: Story) {
    this.#story = story;
    const { clock, market, claims, random } = story;
    const telemetry = new RecordingTelemetry();
    const ec2 = market.for(() => this.#isAlive);
    this.instances = new Instances({
      ec2,
      clusterName: "cluster",
      clock,
      telemetry,
      isReservedCapacityEnabled: false,
      shiftedZones: { version: 0, has: () => false },
      zoneIdOf: () => "",
      reservations: noReservations,
    });
    this.orders = new Orders({ claims, clock, list: () => this.instances.list() });
    this.#fleets = openFleets({
      ec2,
      clock,
      random,
      telemetry,
      orders: this.orders,
      onLaunched: (machine) => this.instances.add(machine),
      unavailable: { version: 0, mark: () => {}, markCapacityType: () => {}, markSubnet: () => {}, has: () => false },
      reservations: noReservations,
      subnets: { find: async () => [], take: () => new Map(), giveBack: () => {}, markFull: () => {} },
    });
    this.#unsubscribe = claims.onChange(({ key, before, after }) => {
      if (before === undefined && after !== undefined) void this.#look(key);
    });
    for (const { name } of claims.values()) void this.#look(name);
  }

  die(): void {
    this.#isAlive = false;
    this.orders.stop();
    this.#unsubscribe();
  }

  async #look(name: string): Promise<void> {
    const { claims, clock, random } = this.#story;
    while (this.#isAlive) {
      const claim = claims.get(name);
      if (claim === undefined || claim.providerId !== "") return;
      if (claim.finalizers.length === 0) claims.put(name, { ...claim, finalizers: ["karpenter.sh/termination"] });
      try {
        const machine = (await this.orders.seek(claim)) ?? (await this.#fleets.ask(requestOf(name))).machine;
        // The status of the claim is written a little later, if this process is still there then.
        await pause(clock, random() * second);
        const now = claims.get(name);
        if (machine !== undefined && now !== undefined && this.#isAlive) {
          claims.put(name, { ...now, providerId: machine.providerId });
        }
      } catch {
        await pause(clock, second);
      }
    }
  }
}

interface Bought {
  readonly instance: ec2.Instance;
  readonly visibleAt: number;
}

/** AWS, which shows what it has sold a little later, and sometimes says nothing, or no. */
class Market {
  readonly machines: Bought[] = [];
  isReliable = false;
  readonly #clock: VirtualClock;
  readonly #random: () => number;

  constructor(clock: VirtualClock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  for(isAlive: () => boolean): Ec2Api {
    const answer = async <T>(value: () => T): Promise<T> => {
      await pause(this.#clock, this.#random() * 500);
      return isAlive() ? value() : new Promise<T>(() => {});
    };
    const api: Pick<Ec2Api, "createFleet" | "describeInstances"> = {
      createFleet: async (input) => {
        const chance = this.isReliable ? 1 : this.#random();
        if (chance < 0.1) return answer(() => fail("RequestLimitExceeded", 503));
        if (chance < 0.2) return answer(() => fail("TimeoutError", undefined));
        await pause(this.#clock, this.#random() * 500);
        const sold = this.#sell(input, chance < 0.3 ? 1 : undefined);
        if (chance < 0.5) return answer(() => fail("TimeoutError", undefined));
        return answer(() => sold);
      },
      describeInstances: () =>
        answer(() =>
          this.machines.filter(({ visibleAt }) => visibleAt <= this.#clock.now()).map(({ instance }) => instance),
        ),
    };
    return api as Ec2Api;
  }

  /** All, or as many as it has. */
  #sell(input: ec2.CreateFleetCommandInput, most = Number.POSITIVE_INFINITY): ec2.CreateFleetCommandOutput {
    const count = Math.min(most, input.TargetCapacitySpecification?.TotalTargetCapacity ?? 0);
    const tags = input.TagSpecifications?.find(({ ResourceType }) => ResourceType === "instance")?.Tags ?? [];
    const now = this.#clock.now();
    const ids = Array.from({ length: count }, () => {
      const id = `i-${this.machines.length}`;
      const instance = {
        InstanceId: id,
        Placement: { AvailabilityZone: "a" },
        LaunchTime: new Date(now),
        State: { Name: "running" as const },
        Tags: tags,
      };
      this.machines.push({ instance, visibleAt: now + this.#random() * 2 * second });
      return id;
    });
    const Overrides = { AvailabilityZone: "a", SubnetId: "subnet-a" };
    const instances = ids.map((id) => ({ InstanceIds: [id], LaunchTemplateAndOverrides: { Overrides } }));
    return { Instances: instances, Errors: [], $metadata: {} };
  }
}

const noReservations = {
  version: 0,
  available: () => 0,
  markLaunched: () => {},
  markTerminated: () => {},
  markUnavailable: () => {},
};

function fail(name: string, httpStatusCode: number | undefined): never {
  throw Object.assign(new Error(name), { name, $metadata: httpStatusCode === undefined ? {} : { httpStatusCode } });
}

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

function claimNamed(name: string): NodeClaim {
  return { name, providerId: "", finalizers: [] as string[], deletedAt: undefined } as unknown as NodeClaim;
}

function pause(clock: VirtualClock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(milliseconds, resolve);
  });
}
