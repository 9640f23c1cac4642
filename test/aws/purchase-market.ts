import type * as ec2 from "@aws-sdk/client-ec2";
import type { Ec2Api } from "../../src/adapters/aws/api/aws-api.ts";
import type { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { pause } from "../../src/runtime/pause.ts";

export interface MarketOptions {
  readonly clock: VirtualClock;
  readonly random: () => number;
  /** What is sold is listed so late at most. */
  readonly mostLag: number;
  /** A call is under way so long at most. */
  readonly slowest: number;
}

interface Bought {
  readonly id: string;
  readonly tags: readonly ec2.Tag[];
  readonly soldAt: number;
  readonly visibleAt: number;
  endsAt: number;
}

/** AWS, which shows what it has sold a while later, and sometimes says nothing, or no. */
export class PurchaseMarket {
  readonly machines: Bought[] = [];
  isReliable = false;
  readonly #options: MarketOptions;
  readonly #answers = new Map<string, ec2.CreateFleetCommandOutput>();

  constructor(options: MarketOptions) {
    this.#options = options;
  }

  get running(): readonly Bought[] {
    return this.machines.filter(({ endsAt }) => endsAt > this.#options.clock.now());
  }

  /** For a process that hears nothing any more once it is dead; what it has sent is done all the same. */
  for(isAlive: () => boolean): Ec2Api {
    const { clock, random } = this.#options;
    const answer = async <T>(value: () => T): Promise<T> => {
      await pause(clock, random() * 500);
      return isAlive() ? value() : new Promise<T>(() => {});
    };
    const api: Pick<Ec2Api, "createFleet" | "describeInstances" | "terminateInstances"> = {
      createFleet: async (input) => {
        const chance = this.isReliable ? 1 : random();
        if (chance < 0.1) return answer(() => fail("RequestLimitExceeded", 503));
        if (chance < 0.2) return answer(() => fail("TimeoutError", undefined));
        await this.#travel();
        const sold = this.#sellOnce(input, chance < 0.3 ? 1 : undefined);
        return answer(() => (chance < 0.5 ? fail("TimeoutError", undefined) : sold));
      },
      describeInstances: ({ InstanceIds }) =>
        answer(() => {
          const now = clock.now();
          const listed = this.running.filter(({ visibleAt }) => visibleAt <= now);
          return listed.filter(({ id }) => InstanceIds?.includes(id) ?? true).map(describe);
        }),
      terminateInstances: async ({ InstanceIds = [] }) => {
        const chance = this.isReliable ? 1 : random();
        if (chance < 0.2) return answer(() => fail("TimeoutError", undefined));
        await this.#travel();
        const ending = this.machines.filter(({ id }) => InstanceIds.includes(id));
        for (const machine of ending) machine.endsAt = Math.min(machine.endsAt, clock.now());
        return answer(() =>
          chance < 0.5
            ? fail("TimeoutError", undefined)
            : ending.map(({ id }) => ({ InstanceId: id, CurrentState: { Name: "shutting-down" as const } })),
        );
      },
    };
    return api as Ec2Api;
  }

  async #travel(): Promise<void> {
    const { clock, random, slowest } = this.#options;
    await pause(clock, random() * (!this.isReliable && random() < 0.1 ? slowest : 500));
  }

  #sellOnce(input: ec2.CreateFleetCommandInput, most: number | undefined): ec2.CreateFleetCommandOutput {
    const token = input.ClientToken ?? "";
    const sold = this.#answers.get(token) ?? this.#sell(input, most);
    this.#answers.set(token, sold);
    return sold;
  }

  /** All, or as many as it has. */
  #sell(input: ec2.CreateFleetCommandInput, most = Number.POSITIVE_INFINITY): ec2.CreateFleetCommandOutput {
    const { clock, random, mostLag } = this.#options;
    const count = Math.min(most, input.TargetCapacitySpecification?.TotalTargetCapacity ?? 0);
    const tags = input.TagSpecifications?.find(({ ResourceType }) => ResourceType === "instance")?.Tags ?? [];
    const soldAt = clock.now();
    const ids = Array.from({ length: count }, () => {
      const id = `i-${this.machines.length}`;
      const visibleAt = soldAt + random() * mostLag;
      this.machines.push({ id, tags, soldAt, visibleAt, endsAt: Number.POSITIVE_INFINITY });
      return id;
    });
    const Overrides = { AvailabilityZone: "a", SubnetId: "subnet-a" };
    const instances = ids.map((id) => ({ InstanceIds: [id], LaunchTemplateAndOverrides: { Overrides } }));
    return { Instances: instances, Errors: [], $metadata: {} };
  }
}

function describe({ id, tags, soldAt }: Bought): ec2.Instance {
  return {
    InstanceId: id,
    Placement: { AvailabilityZone: "a" },
    LaunchTime: new Date(soldAt),
    State: { Name: "running" },
    Tags: [...tags],
  };
}

function fail(name: string, httpStatusCode: number | undefined): never {
  throw Object.assign(new Error(name), { name, $metadata: httpStatusCode === undefined ? {} : { httpStatusCode } });
}
