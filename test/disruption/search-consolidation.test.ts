import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readInstanceTypes } from "../../src/core/api/read-instance-types.ts";
import { readSnapshot } from "../../src/core/api/read-objects.ts";
import { Fleet, type FleetQuestion } from "../../src/core/disruption/fleet.ts";
import { type ConsolidationPlan, searchConsolidation } from "../../src/core/disruption/search-consolidation.ts";
import { wellKnownLabels } from "../../src/core/model/labels.ts";
import type { Leaver } from "../../src/core/model/leaver.ts";
import type { Snapshot } from "../../src/core/model/snapshot.ts";

interface TypeOptions {
  readonly cpu: number;
  readonly price: number;
  readonly capacityType?: string;
  readonly zones?: readonly (readonly [zone: string, price: number])[];
}

function typesOf(types: Readonly<Record<string, TypeOptions>>) {
  const { instanceTypes, problems } = readInstanceTypes(
    Object.entries(types).map(([name, { cpu, price, capacityType = "on-demand", zones = [["a", price]] }]) => ({
      name,
      architecture: "amd64",
      operatingSystems: ["linux"],
      resources: { cpu: String(cpu), memory: `${4 * cpu}Gi`, pods: "110" },
      offerings: zones.map(([zone, zonePrice]) => ({
        Price: zonePrice,
        Requirements: [
          { key: "karpenter.sh/capacity-type", operator: "In", values: [capacityType] },
          { key: "topology.kubernetes.io/zone", operator: "In", values: [zone] },
        ],
      })),
    })),
  );
  assert.deepEqual(problems, []);
  return instanceTypes;
}

/** Nodes with what their pods ask for, each of a type of the catalogue. */
interface FleetOptions {
  readonly types: Readonly<Record<string, TypeOptions>>;
  readonly nodes: readonly { readonly type: string; readonly cpus: readonly number[]; readonly spec?: object }[];
  readonly limits?: object;
  readonly requirements?: readonly object[];
}

function snapshotOf({ types, nodes, limits = {}, requirements = [] }: FleetOptions): Snapshot {
  const pool = {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec: { limits, template: { spec: { requirements, nodeClassRef: { group: "g", kind: "K", name: "n" } } } },
  };
  const objects = nodes.flatMap(({ type, cpus, spec = {} }, index) => {
    const { cpu = 0, capacityType = "on-demand" } = types[type] ?? {};
    const resources = { cpu: String(cpu), memory: `${4 * cpu}Gi`, pods: "110" };
    const node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name: `node-${index}`,
        labels: {
          "karpenter.sh/nodepool": "default",
          "karpenter.sh/capacity-type": capacityType,
          "karpenter.sh/initialized": "true",
          "karpenter.sh/registered": "true",
          "node.kubernetes.io/instance-type": type,
          "topology.kubernetes.io/zone": "a",
          "kubernetes.io/arch": "amd64",
          "kubernetes.io/os": "linux",
        },
      },
      status: { capacity: resources, allocatable: resources, conditions: [{ type: "Ready", status: "True" }] },
    };
    const pods = cpus.map((amount, number) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `p-${index}-${number}`, namespace: "default", uid: `u-${index}-${number}` },
      spec: {
        nodeName: `node-${index}`,
        containers: [{ name: "c", resources: { requests: { cpu: String(amount) } } }],
        ...spec,
      },
      status: { phase: "Running" },
    }));
    return [node, ...pods];
  });
  const { snapshot, problems } = readSnapshot([pool, ...objects], typesOf(types), "unplaced");
  assert.deepEqual(problems, []);
  return snapshot;
}

interface Question {
  readonly leastSaving?: number;
  /** By the name of the node: of another pool than the others, which asks so much. */
  readonly elsewhere?: Readonly<Record<string, number>>;
  /** Nobody knows what these cost. */
  readonly unpriced?: readonly string[];
  readonly isSpotToSpotEnabled?: boolean;
  /** So many plans take all the time there is. */
  readonly time?: number;
  readonly budget?: number;
  readonly staying?: readonly string[];
  /** Where pods have just come or gone. */
  readonly unready?: readonly string[];
}

function consolidate(
  fleetOptions: FleetOptions,
  question: Question = {},
): ConsolidationPlan & { readonly fleet: Fleet } {
  const { leastSaving = 0, isSpotToSpotEnabled = false, budget = 100, time = 1_000 } = question;
  const { staying = [], unready = [], unpriced = [], elsewhere = {} } = question;
  const snapshot = snapshotOf(fleetOptions);
  const leavers: Leaver[] = fleetOptions.nodes.flatMap(({ type }, index) => {
    const nodeName = `node-${index}`;
    if (staying.includes(nodeName)) return [];
    const pods = snapshot.podsByNode.get(nodeName) ?? [];
    const { price = 0, capacityType = "on-demand" } = fleetOptions.types[type] ?? {};
    return [
      {
        nodeName,
        poolName: nodeName in elsewhere ? "elsewhere" : "default",
        instanceType: type,
        capacityType,
        price: unpriced.includes(nodeName) ? undefined : price,
        podUids: pods.map(({ uid }) => uid),
        disturbance: 1 + pods.length,
        leastSaving: elsewhere[nodeName] ?? leastSaving,
        isReady: !unready.includes(nodeName),
      },
    ];
  });
  const destinations = new Set(snapshot.nodes.map(({ name }) => name));
  const asked: FleetQuestion = { snapshot, pendingPods: [], leavers, destinations, isSpotToSpotEnabled };
  const fleet = new Fleet(asked, {
    preferencePolicy: "Respect",
    minValuesPolicy: "Strict",
    reservedCapacity: "Fallback",
    pricePerNode: 0.001,
    wellKnownLabels,
    defaultSpread: [],
    maxRounds: 1,
    shouldStop: () => false,
    requestsFor: undefined,
  });
  const budgets = new Map([
    ["default", budget],
    ["elsewhere", budget],
  ]);
  const possible = { budgets, destinations: new Set([...destinations].filter((name) => !unready.includes(name))) };
  const search = searchConsolidation(fleet, {
    possible,
    seed: 1,
    maxEvaluations: 60,
    shouldStop: () => fleet.evaluations >= time,
  });
  for (let before = 0; ; before = fleet.evaluations) {
    const step = search.next();
    assert.ok(fleet.evaluations - before <= 1, "others have their turn between two plans");
    if (step.done === true) return { ...step.value, fleet };
  }
}

/** What goes for what, in words. */
function movesOf({ parts, fleet }: ReturnType<typeof consolidate>): readonly string[] {
  return parts
    .map(({ members, launches }) => {
      const gone = members.map((index) => fleet.leavers[index]?.nodeName).sort();
      return `${gone.join("+")} → ${
        launches
          .map(({ instanceType }) => instanceType)
          .sort()
          .join("+") || "nothing"
      }`;
    })
    .sort();
}

const sizes = { small: { cpu: 2, price: 0.1 }, medium: { cpu: 4, price: 0.2 }, large: { cpu: 8, price: 0.4 } };

describe("a search for a cheaper fleet", () => {
  it("takes a node away whose pods fit on others, the one that disturbs less", () => {
    const nodes = [
      { type: "large", cpus: [1, 1, 1] },
      { type: "large", cpus: [1] },
    ];
    const plan = consolidate({ types: { large: sizes.large }, nodes });
    assert.deepEqual([movesOf(plan), plan.parts[0]?.savings], [["node-1 → nothing"], 0.4]);
  });

  it("replaces a large node that is nearly empty by a small one", () => {
    const plan = consolidate({ types: sizes, nodes: [{ type: "large", cpus: [1] }] });
    assert.deepEqual(movesOf(plan), ["node-0 → small"]);
    assert.equal(plan.parts[0]?.savings.toFixed(2), "0.30");
  });

  it("replaces one node by several when they are cheaper", () => {
    const types = { small: { cpu: 2, price: 0.1 }, large: { cpu: 8, price: 0.9 } };
    const plan = consolidate({ types, nodes: [{ type: "large", cpus: [1.5, 1.5, 1.5] }] });
    assert.deepEqual(movesOf(plan), ["node-0 → small+small+small"]);
  });

  it("replaces several nodes by one", () => {
    const types = { odd: { cpu: 3, price: 0.3 }, large: { cpu: 8, price: 0.4 } };
    const nodes = [1, 2, 3].map(() => ({ type: "odd", cpus: [2] }));
    const plan = consolidate({ types, nodes });
    assert.deepEqual(movesOf(plan), ["node-0+node-1+node-2 → large"]);
  });

  it("leaves a fleet alone that is as good as it can be", () => {
    const nodes = [1, 2].map(() => ({ type: "small", cpus: [1, 1] }));
    const plan = consolidate({ types: sizes, nodes });
    assert.deepEqual(movesOf(plan), []);
    assert.deepEqual([...plan.stays.keys()], [0, 1]);
  });

  it("does not buy again what goes", () => {
    const plan = consolidate({ types: { small: { cpu: 4, price: 0.1 } }, nodes: [{ type: "small", cpus: [3] }] });
    assert.deepEqual(
      [movesOf(plan), plan.stays.get(0)],
      [[], "its pods would cost $0.1000 an hour elsewhere, they cost $0.1000 now"],
    );
  });

  it("moves nothing that would save next to nothing", () => {
    const types = { dear: { cpu: 2, price: 0.1 }, cheap: { cpu: 2, price: 0.099 } };
    assert.deepEqual(movesOf(consolidate({ types, nodes: [{ type: "dear", cpus: [1.5] }] })), []);
  });

  it("moves nothing that saves less than the disturbance must be worth", () => {
    const fleet = { types: sizes, nodes: [{ type: "large", cpus: [1, 1, 1] }] };
    assert.deepEqual(movesOf(consolidate(fleet)), ["node-0 → medium"]);
    const plan = consolidate(fleet, { leastSaving: 0.06 });
    assert.deepEqual(movesOf(plan), []);
    assert.equal(
      plan.stays.get(0),
      "$0.2000 an hour would be saved, less than the $0.2400 that the disturbance must be worth",
    );
  });

  it("asks of each pool that its share of the saving is worth its own disturbance", () => {
    const fleet = {
      types: { cheap: { cpu: 3, price: 0.1 }, dear: { cpu: 3, price: 0.9 }, large: { cpu: 8, price: 0.5 } },
      nodes: [
        { type: "cheap", cpus: [0.5, 0.5, 0.5, 0.5, 0.5] },
        { type: "dear", cpus: [2] },
      ],
      requirements: [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["large"] }],
    };
    assert.deepEqual(movesOf(consolidate(fleet, { elsewhere: { "node-0": 0.008 } })), ["node-0+node-1 → large"]);
    // The two save $0.50, a tenth of that in the pool whose disturbance of six must be worth $0.06.
    assert.deepEqual(movesOf(consolidate(fleet, { elsewhere: { "node-0": 0.01 } })), ["node-1 → large"]);
  });

  it("tells what was found to save too little for what it disturbs", () => {
    const fleet = { types: sizes, nodes: [{ type: "large", cpus: [1, 1, 1] }] };
    const { rejected } = consolidate(fleet, { leastSaving: 0.06 });
    assert.deepEqual(rejected, [{ members: [0], savings: 0.2, disturbance: 4 }]);
    assert.deepEqual(consolidate(fleet).rejected, []);
  });

  it("says when its time was up before it was done, and has a plan all the same", () => {
    const fleet = { types: sizes, nodes: [1, 2, 3].map(() => ({ type: "large", cpus: [1] })) };
    assert.equal(consolidate(fleet).isCutShort, false);
    const plan = consolidate(fleet, { time: 2 });
    assert.deepEqual([plan.isCutShort, plan.parts.length > 0], [true, true]);
  });

  it("says so where no saving can be weighed", () => {
    const fleet = { types: sizes, nodes: [{ type: "large", cpus: [1] }] };
    const { stays } = consolidate(fleet, { leastSaving: Number.POSITIVE_INFINITY });
    assert.equal(stays.get(0), 'nothing is known of what NodePool "default" costs, so that no saving can be weighed');
  });

  it("buys what costs nothing, alone and beside others", () => {
    const types = { large: { cpu: 8, price: 0.4 }, free: { cpu: 2, price: 0 } };
    assert.deepEqual(movesOf(consolidate({ types, nodes: [{ type: "large", cpus: [1] }] })), ["node-0 → free"]);
    const nodes = [{ type: "large", cpus: [1.5, 1.5] }];
    assert.deepEqual(movesOf(consolidate({ types, nodes })), ["node-0 → free+free"]);
  });

  it("takes a node away whose price nobody knows if its pods fit on others, and buys nothing for it", () => {
    const types = { large: sizes.large };
    const nodes = [
      { type: "large", cpus: [1] },
      { type: "large", cpus: [1, 1, 1] },
    ];
    const question = { unpriced: ["node-0"], staying: ["node-1"] };
    assert.deepEqual(movesOf(consolidate({ types, nodes }, question)), ["node-0 → nothing"]);
    const alone = { types: sizes, nodes: nodes.slice(0, 1) };
    assert.deepEqual(movesOf(consolidate(alone, { unpriced: ["node-0"] })), []);
  });

  it("says which pod has nowhere else to go", () => {
    const spec = { nodeSelector: { "kubernetes.io/hostname": "node-0" } };
    const plan = consolidate({ types: sizes, nodes: [{ type: "large", cpus: [1], spec }] });
    assert.deepEqual(movesOf(plan), []);
    assert.match(plan.stays.get(0) ?? "", /^pod default\/p-0-0 has nowhere else to go: /);
  });

  it("does as much at once as budgets allow, and the rest later, without moving a pod twice", () => {
    const nodes = Array.from({ length: 10 }, () => ({ type: "medium", cpus: [1] }));
    const plan = consolidate({ types: { medium: sizes.medium }, nodes }, { budget: 2 });
    assert.equal(plan.parts.flatMap(({ members }) => members).length, 2);
    assert.equal(plan.whole.members.length, 7);
    const waiting = [...plan.stays.values()].filter(
      (reason) =>
        reason === "it goes as soon as budgets allow, and pods have settled on it and where its own are to go",
    );
    assert.equal(waiting.length, 5);
  });

  it("leaves nodes alone where pods have not settled, and sends nobody to those that go later", () => {
    const types = { medium: sizes.medium };
    const nodes = [
      { type: "medium", cpus: [1, 1] },
      { type: "medium", cpus: [1] },
      { type: "medium", cpus: [0.5] },
    ];
    const plan = consolidate({ types, nodes }, { unready: ["node-2"] });
    assert.deepEqual(movesOf(plan), ["node-1 → nothing"]);
    assert.equal(plan.whole.members.length, 2);
    assert.deepEqual(movesOf(consolidate({ types, nodes }, { unready: ["node-0"] })), []);
  });

  it("keeps within the limits of a pool while what goes is still there", () => {
    const fleet = { types: sizes, nodes: [{ type: "large", cpus: [1] }] };
    assert.deepEqual(movesOf(consolidate({ ...fleet, limits: { cpu: "10" } })), ["node-0 → small"]);
    assert.deepEqual(movesOf(consolidate({ ...fleet, limits: { cpu: "9" } })), []);
  });

  it("lets the cloud launch nothing that could be dearer than what goes", () => {
    const types = {
      large: { cpu: 8, price: 0.4 },
      small: { cpu: 2, price: 0.1 },
      wild: {
        cpu: 2,
        price: 0.15,
        zones: [
          ["a", 0.15],
          ["b", 0.5],
        ] as const,
      },
    };
    const plan = consolidate({ types, nodes: [{ type: "large", cpus: [1] }] });
    assert.deepEqual(plan.parts[0]?.launches[0]?.instanceTypes, ["small"]);
  });

  describe("replaces a spot node", () => {
    const spot = (cheaper: number): FleetOptions => ({
      types: Object.fromEntries([
        ["old", { cpu: 2, price: 0.5, capacityType: "spot" }],
        ...Array.from({ length: cheaper }, (_, index) => [
          `new-${index}`,
          { cpu: 2, price: 0.1 + index / 1000, capacityType: "spot" },
        ]),
      ]),
      nodes: [{ type: "old", cpus: [1.5] }],
    });

    it("by another only where that is switched on", () => {
      assert.deepEqual(movesOf(consolidate(spot(20))), []);
      assert.deepEqual(movesOf(consolidate(spot(20), { isSpotToSpotEnabled: true })), ["node-0 → new-0"]);
    });

    it("only if fifteen types are cheaper, and asks for the cheapest fifteen", () => {
      assert.deepEqual(movesOf(consolidate(spot(14), { isSpotToSpotEnabled: true })), []);
      const { parts } = consolidate(spot(20), { isSpotToSpotEnabled: true });
      assert.equal(parts[0]?.launches[0]?.instanceTypes.length, 15);
    });

    it("by several others only if fifteen types would do for each", () => {
      const several = (cheaper: number): FleetOptions => {
        const { types } = spot(cheaper);
        return {
          types: { ...types, old: { cpu: 6, price: 0.9, capacityType: "spot" } },
          nodes: [{ type: "old", cpus: [1.5, 1.5, 1.5] }],
        };
      };
      assert.deepEqual(movesOf(consolidate(several(4), { isSpotToSpotEnabled: true })), []);
      const { parts } = consolidate(several(20), { isSpotToSpotEnabled: true });
      assert.deepEqual(
        parts[0]?.launches.map(({ instanceTypes }) => instanceTypes.length),
        [15, 15, 15],
      );
    });
  });
});
