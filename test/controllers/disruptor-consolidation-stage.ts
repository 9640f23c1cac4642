import assert from "node:assert/strict";
import { InProcessPlanner } from "../../src/adapters/planner/in-process-planner.ts";
import type { Order } from "../../src/controllers/disruptor/command.ts";
import { Consolidation } from "../../src/controllers/disruptor/consolidation.ts";
import type { DisruptorOptions } from "../../src/controllers/disruptor/disruptor-options.ts";
import { Drift } from "../../src/controllers/disruptor/drift.ts";
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
import { modelPlannedPool, modelPool } from "../support/model-pool.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";

const sizes = { big: { cpu: 8, price: 8 }, small: { cpu: 2, price: 3 } };

export function catalogue(names: readonly (keyof typeof sizes)[] = ["big", "small"]): readonly InstanceType[] {
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

const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "", isController: true };

/** Nodes of a pool, and what becomes of them when they are looked at. */
export class ModelStage {
  readonly cluster = new ClusterState();
  readonly telemetry = new RecordingTelemetry();
  readonly journal = new Journal();
  readonly drift: Drift;
  instanceTypes = catalogue();
  now = 1e12;
  readonly #consolidation: Consolidation;
  readonly #options: DisruptorOptions;

  constructor(planner: Planner = new InProcessPlanner()) {
    this.#options = {
      cluster: this.cluster,
      clock: {
        now: () => this.now,
        after: (_: number, act: () => void) => {
          const timer = setTimeout(act, 0);
          return { cancel: () => clearTimeout(timer) };
        },
      },
      telemetry: this.telemetry,
      journal: this.journal,
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
    const reporter = new LookReporter(this.#options);
    this.#consolidation = new Consolidation(this.#options, reporter);
    this.drift = new Drift(this.#options, reporter);
    this.setPool({});
  }

  setPool(disruption: Partial<PoolDisruption>, limits: NodePool["limits"] = new Map(), replicas?: number): void {
    const pool = modelPool("general", {
      replicas,
      disruption: { consolidateAfter: 0, budgets: [], ...disruption },
    });
    const usable = modelPlannedPool("general", { replicas, limits });
    this.cluster.pools.put("general", { ...pool, pool: usable });
  }

  addNode(name: string, type: keyof typeof sizes, { zone = "a", isDrifted = false } = {}): void {
    const labels = new Map([
      ["karpenter.sh/nodepool", "general"],
      ["karpenter.sh/initialized", "true"],
      ["karpenter.sh/registered", "true"],
      ["karpenter.sh/capacity-type", "on-demand"],
      ["topology.kubernetes.io/zone", zone],
      ["node.kubernetes.io/instance-type", type],
    ]);
    const types = ["Consolidatable", "Initialized", ...(isDrifted ? ["Drifted"] : [])];
    const conditions = types.map((condition) => modelCondition(condition, "True"));
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
    return (await this.#consolidation.propose({ look, going: [], empties: [], mayMove: () => true })).orders;
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
