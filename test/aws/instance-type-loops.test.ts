import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CapacityLearner } from "../../src/adapters/aws/instance-types/capacity-learner.ts";
import { InstanceTypeRefresher } from "../../src/adapters/aws/instance-types/instance-type-refresher.ts";
import { OfferingGauges } from "../../src/adapters/aws/offerings/offering-gauges.ts";
import { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import type { InstanceType, Offering } from "../../src/core/model/instance-type.ts";
import type { NodeClaim } from "../../src/core/model/node-claim.ts";
import type { NodeObject } from "../../src/core/model/node-object.ts";
import type { NodePoolObject } from "../../src/core/model/node-pool-object.ts";
import { requirementsFromLabels } from "../../src/core/model/requirements.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { modelEc2NodeClass } from "../support/model-ec2-node-class.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";

const hour = 3_600_000;

describe("InstanceTypeRefresher", () => {
  function stage(refreshedAt: number | undefined) {
    const clock = new VirtualClock(0);
    const telemetry = new RecordingTelemetry();
    const times: number[] = [];
    const start = clock.now();
    let failures = 0;
    const catalogue = {
      refreshedAt: refreshedAt === undefined ? undefined : start + refreshedAt,
      refresh: async () => {
        times.push((clock.now() - start) / hour);
        if (failures-- > 0) throw new Error("EC2 does not answer");
      },
    };
    const fail = () => {
      failures = 1;
    };
    return { clock, telemetry, times, fail, refresher: new InstanceTypeRefresher({ catalogue, clock, telemetry }) };
  }

  it("reads at once what nobody has read, and then twice a day", async () => {
    const { clock, times, refresher } = stage(undefined);
    refresher.start();
    await clock.advance(25 * hour);
    await refresher.stop();
    assert.deepEqual(times, [0, 12, 24]);
  });

  it("waits when it was read lately", async () => {
    const { clock, times, refresher } = stage(-2 * hour);
    refresher.start();
    await clock.advance(11 * hour);
    await refresher.stop();
    assert.deepEqual(times, [10]);
  });

  it("tries again soon what failed", async () => {
    const { clock, times, refresher, fail, telemetry } = stage(undefined);
    fail();
    refresher.start();
    await clock.advance(1000);
    await refresher.stop();
    assert.equal(times.length, 2);
    assert.equal(telemetry.lines[0]?.message, "Reconciler error");
  });
});

describe("CapacityLearner", () => {
  const nodeClass = modelEc2NodeClass({
    status: {
      amis: [
        {
          id: "ami-1",
          name: undefined,
          deprecated: false,
          requirements: [{ key: "kubernetes.io/arch", operator: "In", values: ["amd64"], minValues: undefined }],
        },
      ],
    },
  });

  function node(isRegistered: boolean, memory = 7.5e9): NodeObject {
    const labels = new Map([
      ["node.kubernetes.io/instance-type", "m5.large"],
      ["kubernetes.io/arch", "amd64"],
    ]);
    if (isRegistered) labels.set("karpenter.sh/registered", "true");
    const capacity = new Map([["memory", memory]]);
    return { name: "node-1", uid: "n", providerId: "aws:///us-west-2a/i-1", labels, capacity } as unknown as NodeObject;
  }

  function claim(parts: Partial<NodeClaim> = {}): NodeClaim {
    const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
    const identity = { name: "claim-1", uid: "c", providerId: "aws:///us-west-2a/i-1", labels: new Map() };
    return { ...identity, imageId: "ami-1", nodeClassRef, ...parts } as unknown as NodeClaim;
  }

  async function learnt(act: (cluster: ClusterState, start: () => void) => void): Promise<string[]> {
    const cluster = new ClusterState();
    const clock = new VirtualClock(0);
    const said: string[] = [];
    const learner = new CapacityLearner({
      cluster,
      clock,
      telemetry: new RecordingTelemetry(),
      nodeClassOf: (name) => (name === "default" ? nodeClass : undefined),
      catalogue: { learnMemory: (of, type, bytes) => void said.push(`${of.name} ${type} ${bytes}`) },
    });
    act(cluster, () => learner.start());
    await clock.advance(1000);
    await learner.stop();
    cluster.nodes.put("node-1", node(false));
    cluster.nodes.put("node-1", node(true));
    await clock.advance(1000);
    return said;
  }

  it("learns when a node registers, and no more after that", async () => {
    const said = await learnt((cluster, start) => {
      cluster.claims.put("claim-1", claim());
      start();
      cluster.nodes.put("node-1", node(false));
      cluster.nodes.put("node-1", node(true));
    });
    assert.deepEqual(said, ["default m5.large 7500000000"]);
  });

  it("learns from nodes that are there already", async () => {
    const said = await learnt((cluster, start) => {
      cluster.claims.put("claim-1", claim());
      cluster.nodes.put("node-1", node(true));
      start();
    });
    assert.deepEqual(said, ["default m5.large 7500000000"]);
  });

  it("learns nothing from images that new nodes do not get, from other clouds and from nobody's nodes", async () => {
    const other = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
    const strangers: readonly (NodeClaim | undefined)[] = [
      claim({ imageId: "ami-0" }),
      claim({ nodeClassRef: other }),
      claim({ nodeClassRef: { ...claim().nodeClassRef, name: "gone" } }),
      undefined,
    ];
    for (const stranger of strangers) {
      const said = await learnt((cluster, start) => {
        if (stranger !== undefined) cluster.claims.put("claim-1", stranger);
        cluster.nodes.put("node-1", node(true));
        start();
      });
      assert.deepEqual(said, []);
    }
  });
});

describe("OfferingGauges", () => {
  const offering = (zone: string, capacityType: string, rest: Partial<Offering>): Offering => ({
    requirements: requirementsFromLabels(
      new Map([
        ["topology.kubernetes.io/zone", zone],
        ["karpenter.sh/capacity-type", capacityType],
      ]),
    ),
    price: 1,
    isAvailable: true,
    reservationCapacity: undefined,
    reservationId: undefined,
    allocatable: undefined,
    ...rest,
  });
  const typeWith = (...offerings: Offering[]) => ({ name: "m5.large", offerings }) as unknown as InstanceType;

  it("tell of what any pool could have, and of reservations that are not there", () => {
    const cluster = new ClusterState();
    const telemetry = new RecordingTelemetry();
    for (const [name, kind] of [
      ["a", "EC2NodeClass"],
      ["b", "EC2NodeClass"],
      ["gone", "EC2NodeClass"],
      ["a", "KWOKNodeClass"],
    ]) {
      const nodeClassRef = { group: "karpenter.k8s.aws", kind, name };
      cluster.pools.put(`${kind} ${name}`, { nodeClassRef } as unknown as NodePoolObject);
    }
    const lists: Record<string, readonly InstanceType[]> = {
      a: [typeWith(offering("z1", "spot", { price: 2, isAvailable: false }))],
      b: [typeWith(offering("z1", "spot", { price: 2 }), offering("z2", "reserved", { isAvailable: false }))],
    };
    const gauges = new OfferingGauges({
      cluster,
      metrics: telemetry.metrics,
      isReservedCapacityEnabled: true,
      nodeClassOf: (name) => (name === "gone" ? undefined : modelEc2NodeClass({ name })),
      catalogue: {
        list: ({ name }) => lists[name] ?? [],
        facts: (name) => ({
          ...{ name, arch: "amd64", vcpus: 2, memoryMib: 8192, interfaces: 3, addressesPerInterface: 10 },
          ...{ efaInterfaces: 0, isMetal: false },
        }),
      },
    });
    gauges.start();
    const told = [...telemetry.scrape()].map(
      ([series, value]) => `${series.replace(/^cloudprovider_instance_type_/, "")} ${value}`,
    );
    gauges.stop();
    assert.deepEqual(told.sort(), [
      'cpu_cores{instance_type="m5.large"} 2',
      'memory_bytes{instance_type="m5.large"} 8589934592',
      'offering_available{instance_type="m5.large",capacity_type="reserved",zone="z1"} 0',
      'offering_available{instance_type="m5.large",capacity_type="reserved",zone="z2"} 0',
      'offering_available{instance_type="m5.large",capacity_type="spot",zone="z1"} 1',
      'offering_price_estimate{instance_type="m5.large",capacity_type="reserved",zone="z1"} 0',
      'offering_price_estimate{instance_type="m5.large",capacity_type="reserved",zone="z2"} 1',
      'offering_price_estimate{instance_type="m5.large",capacity_type="spot",zone="z1"} 2',
    ]);
    assert.equal(telemetry.scrape().size, 0);
  });
});
