import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { InProcessPlanner } from "../../src/adapters/planner/in-process-planner.ts";
import { Allowances } from "../../src/controllers/disruptor/allowances.ts";
import type { Order } from "../../src/controllers/disruptor/command.ts";
import { Consolidation } from "../../src/controllers/disruptor/consolidation.ts";
import type { DisruptorOptions } from "../../src/controllers/disruptor/disruptor-options.ts";
import { Journal } from "../../src/controllers/disruptor/journal.ts";
import { type Look, Lookout } from "../../src/controllers/disruptor/look.ts";
import { LookReporter } from "../../src/controllers/disruptor/look-reporter.ts";
import { readInstanceTypes } from "../../src/core/api/read-instance-types.ts";
import { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import type { InstanceType } from "../../src/core/model/instance-type.ts";
import { wellKnownLabels } from "../../src/core/model/labels.ts";
import type { NodePool } from "../../src/core/model/node-pool.ts";
import type { PoolDisruption } from "../../src/core/model/pool-disruption.ts";
import type { Planner } from "../../src/ports/planner.ts";
import { modelClaim, modelCondition, modelNode } from "../support/model-machine.ts";
import { modelPod } from "../support/model-pod.ts";
import { modelPool } from "../support/model-pool.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";

const sizes = { big: { cpu: 8, price: 8 }, small: { cpu: 2, price: 3 } };

function catalogue(names: readonly (keyof typeof sizes)[] = ["big", "small"]): readonly InstanceType[] {
  const { instanceTypes, problems } = readInstanceTypes(
    names.map((name) => ({
      name,
      architecture: "amd64",
      operatingSystems: ["linux"],
      resources: { cpu: String(sizes[name].cpu), memory: "32Gi", pods: "110" },
      offerings: [
        {
          Price: sizes[name].price,
          Requirements: [
            { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
            { key: "topology.kubernetes.io/zone", operator: "In", values: ["a"] },
          ],
        },
      ],
    })),
  );
  assert.deepEqual(problems, []);
  return instanceTypes;
}

const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", isController: true };

/** Nodes of a pool, and what becomes of them when consolidation looks at them. */
class Stage {
  readonly cluster = new ClusterState();
  readonly telemetry = new RecordingTelemetry();
  instanceTypes = catalogue();
  readonly #consolidation: Consolidation;
  readonly #options: DisruptorOptions;

  constructor(planner: Planner = new InProcessPlanner()) {
    this.#options = {
      cluster: this.cluster,
      clock: {
        now: () => 1e12,
        after: (_: number, act: () => void) => {
          const timer = setTimeout(act, 0);
          return { cancel: () => clearTimeout(timer) };
        },
      },
      telemetry: this.telemetry,
      journal: new Journal(),
      planner,
      cloud: {
        nodeClassKinds: [{ group: "karpenter.kwok.sh", kind: "KWOKNodeClass" }],
        wellKnownLabels,
        instanceTypes: async () => this.instanceTypes,
      },
      settings: {
        preferencePolicy: "Respect",
        minValuesPolicy: "Strict",
        defaultSpread: [],
        isSpotToSpotEnabled: false,
      },
    } as unknown as DisruptorOptions;
    this.#consolidation = new Consolidation(this.#options, new LookReporter(this.#options));
    this.setPool({});
  }

  setPool(disruption: Partial<PoolDisruption>, limits: NodePool["limits"] = new Map()): void {
    const pool = modelPool("general", { disruption: { consolidateAfter: 0, budgets: [], ...disruption } });
    const usable: NodePool = {
      name: "general",
      weight: 0,
      replicas: undefined,
      unusableBecause: undefined,
      labels: new Map(),
      annotations: new Map(),
      taints: [],
      startupTaints: [],
      requirements: new Map(),
      defaultKeys: new Set(),
      limits,
      nodeClassRef: pool.nodeClassRef,
      instanceTypes: [],
    };
    this.cluster.pools.put("general", { ...pool, pool: usable });
  }

  addNode(name: string, type: keyof typeof sizes, zone = "a"): void {
    const labels = new Map([
      ["karpenter.sh/nodepool", "general"],
      ["karpenter.sh/initialized", "true"],
      ["karpenter.sh/registered", "true"],
      ["karpenter.sh/capacity-type", "on-demand"],
      ["topology.kubernetes.io/zone", zone],
      ["node.kubernetes.io/instance-type", type],
    ]);
    const conditions = [modelCondition("Consolidatable", "True"), modelCondition("Initialized", "True")];
    const providerId = `test://${name}`;
    const common = { name, uid: name, providerId, labels };
    this.cluster.claims.put(name, modelClaim({ ...common, nodeName: name, conditions }));
    this.cluster.nodes.put(name, modelNode({ ...common, ...roomOf(type) }));
  }

  /** One that is not ours, and has room. */
  addStranger(name: string): void {
    this.cluster.nodes.put(name, modelNode({ name, uid: name, providerId: `test://${name}`, ...roomOf("big") }));
  }

  addPod(name: string, nodeName: string, cpu: number, isForUs = false): void {
    const nodeSelector = new Map(isForUs ? [["karpenter.sh/nodepool", "general"]] : []);
    const spec = { requests: new Map([["cpu", cpu * 1000]]), nodeSelector };
    this.cluster.pods.put(`default/${name}`, modelPod(name, { nodeName, owners: [owner], spec }));
  }

  look(): Promise<Look> {
    return new Lookout(this.#options, () => false).look();
  }

  async propose(): Promise<readonly Order[]> {
    const look = await this.look();
    return await this.#consolidation.propose({ look, going: [], empties: [], mayMove: () => true });
  }

  async confirm(orders: readonly Order[], look?: Look): Promise<readonly Order[]> {
    return await this.#consolidation.confirm(orders, look ?? (await this.look()), []);
  }

  said(reason: string): string {
    const happenings = this.telemetry.happenings.filter((one) => one.reason === reason);
    return happenings.map(({ message }) => message).join("\n");
  }
}

function roomOf(type: keyof typeof sizes) {
  const room = new Map([
    ["cpu", sizes[type].cpu * 1000],
    ["memory", 32 * 2 ** 30],
    ["pods", 110],
  ]);
  return { capacity: room, allocatable: room };
}

function inWords(orders: readonly Order[]): readonly string[] {
  return orders
    .map(({ candidates, launches }) => {
      const gone = candidates.map(({ node }) => node.name).join("+");
      return `${gone} → ${launches.map(({ instanceType }) => instanceType).join("+") || "nothing"}`;
    })
    .sort();
}

/** One node whose pod fits on another, and one that a smaller one would do for. */
function deleteAndReplace(): Stage {
  const stage = new Stage();
  stage.addStranger("stranger");
  stage.addNode("deleted", "big");
  stage.addPod("free", "deleted", 1);
  stage.addNode("replaced", "big");
  stage.addPod("bound", "replaced", 1, true);
  return stage;
}

const both = ["deleted → nothing", "replaced → small"];

describe("moves that are looked at again", () => {
  it("are done when nothing has changed", async () => {
    const stage = deleteAndReplace();
    const orders = await stage.propose();
    assert.deepEqual(inWords(orders), both);
    assert.deepEqual(inWords(await stage.confirm(orders)), both);
  });

  it("are dropped one by one: no node goes whose pods count on what is bought for others", async () => {
    const stage = deleteAndReplace();
    const orders = await stage.propose();
    stage.addPod("late", "stranger", 8);
    assert.deepEqual(inWords(await stage.confirm(orders)), ["replaced → small"]);
    assert.match(stage.said("ConsolidationRejected"), /delete 1 node, reason: its pods would need another machine now/);
  });

  it("are dropped when a pod has come that has room nowhere", async () => {
    const stage = deleteAndReplace();
    const orders = await stage.propose();
    stage.addPod("late", "replaced", 2, true);
    assert.deepEqual(inWords(await stage.confirm(orders)), ["deleted → nothing"]);
  });

  it("are dropped when what they would buy is sold out, or beyond the limits of its pool", async () => {
    const stage = deleteAndReplace();
    const orders = await stage.propose();
    stage.setPool({}, new Map([["cpu", 17_000]]));
    assert.deepEqual(inWords(await stage.confirm(orders)), ["deleted → nothing"]);
    assert.match(stage.said("ConsolidationRejected"), /the limit of NodePool "general" on cpu leaves no room/);
    stage.setPool({}, new Map([["cpu", 18_000]]));
    assert.deepEqual(inWords(await stage.confirm(orders)), both);
    stage.instanceTypes = catalogue(["big"]);
    assert.deepEqual(inWords(await stage.confirm(orders)), ["deleted → nothing"]);
    assert.match(stage.said("ConsolidationRejected"), /small cannot be bought in a any more/);
  });

  it("are judged all at once", async () => {
    const stage = deleteAndReplace();
    const orders = await stage.propose();
    const look = await stage.look();
    let judged = 0;
    const judge = look.judge.bind(look);
    look.judge = (...question) => {
      judged++;
      return judge(...question);
    };
    assert.equal((await stage.confirm(orders, look)).length, 2);
    assert.equal(judged, 1);
  });
});

describe("Balanced", () => {
  const policy = { consolidationPolicy: "Balanced" } as const;
  const counted = (decision: string): string =>
    `consolidation_moves_total{decision="${decision}",nodepool="general",policy="Balanced"}`;
  const scored = (decision: string): string =>
    `consolidation_score{decision="${decision}",nodepool="general",policy="Balanced"}`;

  it("approves with a score that is at least the threshold", async () => {
    const stage = deleteAndReplace();
    stage.setPool(policy);
    const confirmed = await stage.confirm(await stage.propose());
    assert.deepEqual(inWords(confirmed), both);
    assert.equal(stage.telemetry.numbers.get(counted("approved")), 2);
    assert.equal(stage.telemetry.numbers.get(counted("rejected")), undefined);
    const scores = [...stage.said("ConsolidationApproved").matchAll(/score (\S+) >= threshold (\S+)/g)];
    assert.ok(scores.length > 0);
    for (const [, score, threshold] of scores) assert.ok(Number(score) >= Number(threshold));
  });

  it("counts what it rejects, with its score", async () => {
    const stage = deleteAndReplace();
    stage.setPool({ ...policy, balancedThreshold: 100 });
    assert.deepEqual(await stage.propose(), []);
    assert.ok((stage.telemetry.numbers.get(counted("rejected")) ?? 0) > 0);
    const scores = stage.telemetry.observations.get(scored("rejected")) ?? [];
    assert.ok(scores.length > 0 && scores.every((score) => score > 0 && score < 100));
  });

  it("rejects what is not worth it any more when it is looked at again, and approves nothing of it", async () => {
    const stage = deleteAndReplace();
    stage.setPool(policy);
    const orders = await stage.propose();
    stage.setPool({ ...policy, balancedThreshold: 100 });
    assert.deepEqual(await stage.confirm(orders), []);
    assert.match(stage.said("ConsolidationRejected"), /score \S+ < threshold 100.00/);
    assert.equal(stage.said("ConsolidationApproved"), "");
    assert.equal(stage.telemetry.numbers.get(counted("rejected")), 2);
  });
});

describe("a node whose price nobody knows", () => {
  const fleet = (): Stage => {
    const stage = new Stage();
    stage.addStranger("stranger");
    stage.addNode("unpriced", "big", "b");
    stage.addPod("free", "unpriced", 1);
    stage.addNode("priced", "small");
    stage.addPod("bound", "priced", 2, true);
    return stage;
  };

  it("goes when its pods fit elsewhere", async () => {
    const stage = fleet();
    assert.deepEqual(inWords(await stage.confirm(await stage.propose())), ["unpriced → nothing"]);
  });

  it("stays under Balanced, which has nothing to weigh", async () => {
    const stage = fleet();
    stage.setPool({ consolidationPolicy: "Balanced" });
    assert.deepEqual(inWords(await stage.propose()), ["priced → nothing"]);
  });
});

describe("a search that is ended because its time is up", () => {
  it("is counted", async () => {
    class Hurried extends InProcessPlanner {
      override async consolidate(request: Parameters<Planner["consolidate"]>[0]) {
        return { ...(await super.consolidate(request)), isCutShort: true };
      }
    }
    const stage = new Stage(new Hurried());
    stage.addNode("node", "big");
    stage.addPod("pod", "node", 1);
    await stage.propose();
    const series = 'voluntary_disruption_consolidation_timeouts_total{consolidation_type="multi"}';
    assert.equal(stage.telemetry.numbers.get(series), 1);
  });
});

describe("allowances", () => {
  it("count a pool once, whoever asks why no more may go", async () => {
    const stage = new Stage();
    stage.addNode("node", "big");
    const { view } = await stage.look();
    let counts = 0;
    const { cluster } = stage;
    const claimsOfPool = cluster.claimsOfPool.bind(cluster);
    cluster.claimsOfPool = (name) => {
      counts++;
      return claimsOfPool(name);
    };
    const allowances = new Allowances(view, "Underutilized");
    const pool = cluster.pools.get("general");
    assert.ok(pool);
    for (let index = 0; index < 5; index++) assert.match(allowances.because(pool), /"general"/);
    assert.deepEqual([allowances.blockedPools, allowances.left(pool) > 0, counts], [[], true, 1]);
  });
});
