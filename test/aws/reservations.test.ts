import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { CapacityReservation } from "@aws-sdk/client-ec2";
import type { CapacityReservationTerm, Ec2NodeClass } from "../../src/adapters/aws/node-class/ec2-node-class.ts";
import { ReservationCapacityType } from "../../src/adapters/aws/reservations/reservation-capacity-type.ts";
import { ReservationExpiration } from "../../src/adapters/aws/reservations/reservation-expiration.ts";
import { Reservations } from "../../src/adapters/aws/reservations/reservations.ts";
import { ControllerBench } from "../support/controller-bench.ts";

const minute = 60_000;
const idLabel = "karpenter.k8s.aws/capacity-reservation-id";
const typeLabel = "karpenter.k8s.aws/capacity-reservation-type";
const capacityType = "karpenter.sh/capacity-type";

describe("reservations", () => {
  let stage: Stage;

  beforeEach(() => {
    stage = new Stage();
  });

  afterEach(() => stage.bench.stop());

  it("are asked for once a minute, by however many node classes", async () => {
    stage.reserve("cr-1", { AvailableInstanceCount: 2 });
    const [first, second] = await Promise.all([stage.find("cr-1"), stage.find("cr-1")]);
    assert.deepEqual(first, ["cr-1"]);
    assert.deepEqual(second, ["cr-1"]);
    await stage.bench.clock.advance(minute - 1);
    await stage.find("cr-1");
    assert.equal(stage.calls, 1);
    await stage.bench.clock.advance(1);
    await stage.find("cr-1");
    assert.equal(stage.calls, 2);
  });

  it("are none when EC2 does not know the id", async () => {
    assert.deepEqual(await stage.find("cr-9"), []);
  });

  it("are passed over, and said, when they are not understood", async () => {
    stage.reserve("cr-1", { InstanceMatchCriteria: "odd" as never });
    assert.deepEqual(await stage.find("cr-1"), []);
    assert.equal(stage.bench.telemetry.lines.filter(({ level }) => level === "error").length, 1);
  });

  it("name the action that a role lacks, and are asked for again at once", async () => {
    stage.failure = awsError("UnauthorizedOperation");
    await assert.rejects(stage.find("cr-1"), /AWS refuses ec2:DescribeCapacityReservations/);
    stage.failure = undefined;
    stage.reserve("cr-1");
    assert.deepEqual(await stage.find("cr-1"), ["cr-1"]);
  });

  it("are over in the middle of a minute", async () => {
    stage.reserve("cr-1", { EndDate: new Date(stage.bench.clock.now() + 1_000) });
    assert.deepEqual(await stage.find("cr-1"), ["cr-1"]);
    await stage.bench.clock.advance(1_000);
    assert.deepEqual(await stage.find("cr-1"), []);
    assert.equal(stage.calls, 1);
  });

  it("count what is left, between what EC2 says", async () => {
    const { reservations } = stage;
    stage.reserve("cr-1", { AvailableInstanceCount: 1 });
    const counts: number[] = [reservations.available("cr-1")];
    const note = (act: () => void): void => {
      act();
      counts.push(reservations.available("cr-1"));
    };
    reservations.markTerminated("cr-1");
    await stage.find("cr-1");
    note(() => {});
    note(() => reservations.markLaunched("cr-1"));
    note(() => reservations.markLaunched("cr-1"));
    note(() => reservations.markTerminated("cr-1"));
    note(() => reservations.markTerminated("cr-1"));
    note(() => reservations.markUnavailable("cr-1"));
    await stage.bench.clock.advance(minute);
    await stage.find("cr-1");
    note(() => {});
    assert.deepEqual(counts, [0, 1, 0, 0, 1, 2, 0, 1]);
    assert.equal(reservations.version, 6);
    await stage.bench.clock.advance(24 * 60 * minute);
    assert.equal(reservations.available("cr-1"), 0);
  });
});

describe("claims in a capacity block", () => {
  let stage: Stage;

  beforeEach(() => {
    stage = new Stage();
  });

  afterEach(() => stage.bench.stop());

  it("are deleted forty minutes before it ends, and no others", async () => {
    const EndDate = new Date(stage.bench.clock.now() + 60 * minute);
    stage.reserve("cr-1", { ReservationType: "capacity-block", EndDate });
    stage.reserve("cr-2", { EndDate });
    stage.addClaim("in-block", { [idLabel]: "cr-1" });
    stage.addClaim("in-plain", { [idLabel]: "cr-2" });
    stage.addClaim("on-demand", {});
    await stage.bench.observe();
    const { cluster, kube, clock, telemetry } = stage.bench;
    stage.bench.run(new ReservationExpiration({ cluster, kube, clock, telemetry, reservations: stage.reservations }));
    await clock.advance(18 * minute);
    assert.equal(cluster.claims.size, 3);
    await clock.advance(3 * minute);
    assert.deepEqual([...cluster.claims.values()].map(({ name }) => name).sort(), ["in-plain", "on-demand"]);
    await clock.advance(60 * minute);
    assert.equal(cluster.claims.size, 2);
  });
});

describe("machines that outlive their reservation", () => {
  let stage: Stage;
  let instances: { providerId: string; capacityType: string }[];
  let lists: number;

  beforeEach(() => {
    stage = new Stage();
    instances = [];
    lists = 0;
  });

  afterEach(() => stage.bench.stop());

  async function run(): Promise<void> {
    await stage.bench.observe();
    const { cluster, kube, clock, telemetry } = stage.bench;
    const listInstances = async () => {
      lists++;
      return instances;
    };
    stage.bench.run(new ReservationCapacityType({ cluster, kube, clock, telemetry, listInstances }));
    await clock.advance(100);
  }

  const labelsOf = (kind: "claims" | "nodes", name: string) =>
    Object.fromEntries(stage.bench.cluster[kind].get(name)?.labels ?? []);

  it("are labelled as on demand, the claim and its node", async () => {
    const reserved = { [capacityType]: "reserved", [idLabel]: "cr-1", [typeLabel]: "default", team: "a" };
    stage.addClaim("a", reserved);
    stage.addNode("a", { ...reserved, "karpenter.sh/registered": "true" });
    instances = [{ providerId: "aws:///us-west-2a/a", capacityType: "reserved" }];
    await run();
    assert.equal(labelsOf("claims", "a")[idLabel], "cr-1");
    instances = [{ providerId: "aws:///us-west-2a/a", capacityType: "on-demand" }];
    await stage.bench.clock.advance(minute);
    assert.deepEqual(labelsOf("claims", "a"), { [capacityType]: "on-demand", team: "a" });
    const node = labelsOf("nodes", "a");
    assert.deepEqual(
      [node[capacityType], node[idLabel], node[typeLabel], node.team],
      ["on-demand", undefined, undefined, "a"],
    );
  });

  it("are labelled on a node that came after its claim was, and only once it has registered", async () => {
    stage.addClaim("a", { [capacityType]: "on-demand" });
    stage.addNode("a", { [capacityType]: "reserved" });
    instances = [{ providerId: "aws:///us-west-2a/a", capacityType: "on-demand" }];
    await run();
    assert.equal(labelsOf("nodes", "a")[capacityType], "reserved");
    const body = { metadata: { labels: { "karpenter.sh/registered": "true" } } };
    const nodes = { group: "", version: "v1", plural: "nodes", kind: "Node", isNamespaced: false };
    await stage.bench.user.patch(nodes, { name: "a" }, { body });
    await stage.bench.clock.advance(minute);
    assert.equal(labelsOf("nodes", "a")[capacityType], "on-demand");
  });

  it("are not asked about when nothing is reserved", async () => {
    stage.addClaim("a", { [capacityType]: "on-demand" });
    await run();
    await stage.bench.clock.advance(10 * minute);
    assert.equal(lists, 0);
  });

  it("keep the labels of what is of another cloud", async () => {
    stage.addClaim("a", { [capacityType]: "reserved" }, "KWOKNodeClass");
    instances = [{ providerId: "aws:///us-west-2a/a", capacityType: "on-demand" }];
    await run();
    assert.equal(labelsOf("claims", "a")[capacityType], "reserved");
  });
});

class Stage {
  readonly bench = new ControllerBench();
  readonly #all = new Map<string, CapacityReservation>();
  calls = 0;
  failure: Error | undefined;

  readonly reservations = new Reservations({
    api: {
      ec2: {
        describeCapacityReservations: async ({ CapacityReservationIds: [id = ""] = [] }) => {
          this.calls++;
          if (this.failure !== undefined) throw this.failure;
          const found = this.#all.get(id);
          if (found === undefined) throw awsError("InvalidCapacityReservationId.NotFound");
          return [found];
        },
      },
    },
    clock: this.bench.clock,
    log: this.bench.telemetry.log,
  });

  reserve(id: string, fields: Partial<CapacityReservation> = {}): void {
    this.#all.set(id, {
      CapacityReservationId: id,
      OwnerId: "123456789012",
      InstanceType: "m5.large",
      AvailabilityZone: "us-west-2a",
      InstanceMatchCriteria: "open",
      AvailableInstanceCount: 1,
      ...fields,
    });
  }

  /** The ids of what a node class with such terms finds. */
  async find(...ids: readonly string[]): Promise<readonly string[]> {
    const terms = ids.map(
      (id): CapacityReservationTerm => ({ id, tags: new Map(), ownerID: undefined, instanceMatchCriteria: undefined }),
    );
    const nodeClass = { spec: { capacityReservationSelectorTerms: terms } } as unknown as Ec2NodeClass;
    return (await this.reservations.find(nodeClass)).map(({ id }) => id);
  }

  addClaim(name: string, labels: Record<string, string>, kind = "EC2NodeClass"): void {
    const group = kind === "EC2NodeClass" ? "karpenter.k8s.aws" : "karpenter.kwok.sh";
    this.bench.load({
      apiVersion: "karpenter.sh/v1",
      kind: "NodeClaim",
      metadata: { name, labels },
      spec: { nodeClassRef: { group, kind, name: "default" }, requirements: [] },
      status: { providerID: `aws:///us-west-2a/${name}` },
    });
  }

  addNode(name: string, labels: Record<string, string>): void {
    this.bench.load({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels },
      spec: { providerID: `aws:///us-west-2a/${name}` },
    });
  }
}

function awsError(Code: string): Error {
  return Object.assign(new Error(Code), { Code, $metadata: { httpStatusCode: 400 } });
}
