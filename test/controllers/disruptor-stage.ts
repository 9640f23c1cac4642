import type { JsonObject } from "../../src/core/api/schema/json.ts";
import type { Decision } from "../../src/core/disruption/decision.ts";
import type { KubeObject } from "../../src/embedded/kube-object.ts";
import { deployment, type Manifest, nodeClass, nodePool, type PodParts } from "../scenarios/manifests.ts";
import type { Wire } from "../support/builders.ts";
import { WholeController, type WholeControllerOptions } from "../support/whole-controller.ts";

/** Of nodes of so many cores. */
export function cores(...numbers: readonly number[]): Wire[] {
  return [
    { key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: numbers.map(String) },
    { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
  ];
}

export interface DisruptedPool {
  readonly requirements?: readonly Wire[];
  readonly disruption?: Wire;
  readonly replicas?: number;
  readonly annotations?: Record<string, string>;
  /** Of the template. */
  readonly spec?: Wire;
}

export function poolOf(name: string, parts: DisruptedPool = {}): Manifest {
  const { requirements = cores(4), disruption, replicas, annotations = {}, spec = {} } = parts;
  const pool = nodePool(name, { ...(replicas === undefined ? {} : { replicas }), spec: { requirements, ...spec } });
  return {
    ...pool,
    metadata: { ...pool.metadata, annotations },
    spec: {
      ...(pool.spec as Wire),
      disruption: { consolidateAfter: "30s", budgets: [{ nodes: "100%" }], ...disruption },
    },
  } as Manifest;
}

/** The whole controller on a cluster, to see which nodes it takes away. */
export class DisruptorStage {
  readonly whole: WholeController;

  constructor(options: WholeControllerOptions = {}) {
    this.whole = new WholeController(options);
    this.whole.load(nodeClass());
  }

  /** Begins to lead with these pools, and lets the pods of these deployments come up. */
  async begin(pools: readonly Manifest[], deployments: readonly Manifest[]): Promise<void> {
    this.whole.load(...pools);
    this.whole.start();
    await this.pass(1_000);
    this.whole.load(...deployments);
    await this.until(() => this.#areRunning(), 120_000);
  }

  #areRunning(): boolean {
    const pods = this.whole.list("v1", "Pod");
    return pods.length > 0 && pods.every(({ status }) => (status as Wire | undefined)?.phase === "Running");
  }

  pass(milliseconds: number): Promise<void> {
    return this.whole.clock.advance(milliseconds);
  }

  async until(isSo: () => boolean, atMost = 600_000): Promise<void> {
    if (!(await this.whole.clock.advanceUntil(isSo, atMost))) throw new Error(`It is not so: ${isSo}\n${this.tell()}`);
  }

  scale(name: string, replicas: number): void {
    const reference = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace: "default" } };
    this.whole.change(reference, (current) => ({ ...current, spec: { ...(current.spec as JsonObject), replicas } }));
  }

  get nodes(): readonly KubeObject[] {
    return this.whole.list("v1", "Node");
  }

  get claims(): readonly KubeObject[] {
    return this.whole.list("karpenter.sh/v1", "NodeClaim");
  }

  get pods(): readonly KubeObject[] {
    return this.whole.list("v1", "Pod");
  }

  /** Names of nodes that say they are about to go, although nobody has asked them to. */
  get marked(): readonly string[] {
    const isDisrupted = (node: KubeObject): boolean => hasTaint(node, "karpenter.sh/disrupted");
    const hasReason = ({ status }: KubeObject): boolean =>
      ((status as Wire | undefined)?.conditions as { type: string }[] | undefined)?.some(
        ({ type }) => type === "DisruptionReason",
      ) === true;
    const stays = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp === undefined;
    return [...this.nodes.filter(isDisrupted), ...this.claims.filter(hasReason)]
      .filter(stays)
      .map((o) => o.metadata.name);
  }

  /** Names of nodes that pods are asked to keep away from, because they go later. */
  get shunned(): readonly string[] {
    return this.nodes.filter((node) => hasTaint(node, "karpenter.sh/leaving")).map(({ metadata }) => metadata.name);
  }

  /** How many nodes go, or say that they will. */
  get going(): number {
    return this.claims.filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp !== undefined ||
        ((status as Wire | undefined)?.conditions as { type: string }[] | undefined)?.some(
          ({ type }) => type === "DisruptionReason",
        ),
    ).length;
  }

  get types(): readonly string[] {
    return this.nodes.map(({ metadata }) => metadata.labels?.["node.kubernetes.io/instance-type"] ?? "").sort();
  }

  events(reason: string): readonly string[] {
    const said = this.whole.telemetry.happenings.filter((happening) => happening.reason === reason);
    return [...new Set(said.map(({ object, message }) => `${object.kind}: ${message}`))];
  }

  count(series: string): number {
    return this.whole.telemetry.numbers.get(series) ?? 0;
  }

  get decisions(): readonly Decision[] {
    return this.whole.controller.decisions;
  }

  /** For whoever wonders why. */
  tell(): string {
    const decisions = this.whole.isRunning ? this.decisions.slice(0, 5).map((one) => JSON.stringify(one)) : [];
    const lines = this.whole.telemetry.lines
      .filter(({ level }) => level !== "debug")
      .slice(-25)
      .map(({ level, message, fields }) => `${level} ${message} ${JSON.stringify(fields)}`);
    return [...lines, ...decisions, this.types.join(" ")].join("\n");
  }
}

export function web(replicas: number, parts: PodParts = {}, name = "web"): Manifest {
  return deployment(name, replicas, { cpu: "1", ...parts });
}

/** Sets a stage, and leaves nothing of it behind. */
export async function onDisruptorStage(
  act: (stage: DisruptorStage) => Promise<void>,
  options: WholeControllerOptions = {},
): Promise<void> {
  const stage = new DisruptorStage(options);
  try {
    await act(stage);
  } finally {
    await stage.whole.stop();
  }
}

function hasTaint({ spec }: KubeObject, wanted: string): boolean {
  return ((spec as Wire).taints as { key: string }[] | undefined)?.some(({ key }) => key === wanted) === true;
}
