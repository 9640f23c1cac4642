import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Node, Pod } from "kubernetes-types/core/v1.js";
import type { ControlPlane } from "../../../scripts/lab/control-plane.ts";
import { parseQuantity } from "../../../src/core/model/quantity.ts";
import type { Findings } from "../chart/findings.ts";
import type { ApiClient } from "../controller/api-client.ts";
import type { Condition, NodeClaim, NodePool } from "../controller/manifests.ts";
import { isRunning } from "../controller/scene.ts";
import { mustRun } from "../karpenter-stage.ts";
import { guard, names } from "./fleet.ts";

const patienceSeconds = 180;
const karpenter = "/apis/karpenter.sh/v1";
const poolLabel = "karpenter.sh/nodepool";
const { pools } = names;

/** The cluster that changes hands, and what its people do to it. */
export class Town {
  readonly api: ApiClient;
  readonly findings: Findings;
  readonly #controlPlane: ControlPlane;
  /** By name, how many pods every Deployment should have. */
  readonly #replicas: Map<string, number>;

  constructor(
    parts: { readonly api: ApiClient; readonly controlPlane: ControlPlane; readonly findings: Findings },
    replicas: Readonly<Record<string, number>>,
  ) {
    this.api = parts.api;
    this.findings = parts.findings;
    this.#controlPlane = parts.controlPlane;
    this.#replicas = new Map(Object.entries(replicas));
  }

  /** Looks until there is something to see, and gives up when there is not in time. */
  async until<Seen>(words: string, look: () => Promise<Seen | undefined | false>): Promise<Seen> {
    const deadline = performance.now() + patienceSeconds * 1000;
    for (;;) {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
      if (performance.now() > deadline) throw new Error(`after ${patienceSeconds} s it is still not so that ${words}`);
      await sleep(200);
    }
  }

  async apply(objects: readonly object[]): Promise<void> {
    const list = { apiVersion: "v1", kind: "List", items: objects };
    await mustRun("apply -f -", this.#controlPlane.kubeconfigPath, JSON.stringify(list));
  }

  kubectl(line: string): Promise<string> {
    return mustRun(line, this.#controlPlane.kubeconfigPath);
  }

  async addApp(name: string, manifest: object): Promise<void> {
    this.#replicas.set(name, 1);
    await this.apply([manifest]);
  }

  claims(pool?: string): Promise<NodeClaim[]> {
    const selector = pool === undefined ? "" : `?labelSelector=karpenter.sh/nodepool=${pool}`;
    return this.api.list(`${karpenter}/nodeclaims${selector}`);
  }

  pools(): Promise<NodePool[]> {
    return this.api.list(`${karpenter}/nodepools`);
  }

  nodes(pool: string): Promise<Node[]> {
    return this.api.list(`/api/v1/nodes?labelSelector=karpenter.sh/nodepool=${pool}`);
  }

  pods(app: string): Promise<Pod[]> {
    return this.api.list(`/api/v1/namespaces/default/pods?labelSelector=app=${app}`);
  }

  /** All pods run and all claims are initialized, but for those of the pools that are named. */
  async untilSettled(...without: readonly string[]): Promise<void> {
    for (const [app, count] of this.#replicas) {
      if (without.includes(app)) continue;
      await this.until(`${count} pods of ${app} run`, async () => {
        const pods = await this.pods(app);
        return pods.length === count && pods.every(isRunning);
      });
    }
    await this.until("all claims are initialized", async () =>
      (await this.claims()).every(
        (claim) => without.includes(claim.metadata.labels?.[poolLabel] ?? "") || isTrue(claim, "Initialized"),
      ),
    );
    await this.until("all pools have counted their nodes", async () => {
      const claims = (await this.claims()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const countOf = (pool: string) => claims.filter(({ metadata }) => metadata.labels?.[poolLabel] === pool).length;
      return (await this.pools()).every(({ metadata, status }) => status?.nodes === countOf(metadata.name));
    });
    await this.until("all pools have counted what their nodes have", async () => {
      for (const pool of await this.pools()) {
        if (without.includes(pool.metadata.name)) continue;
        const has = amountsOf([pool.status?.resources]);
        const expected = amountsOf(
          (await this.#stayingNodes(pool.metadata.name)).map(({ status }) => status?.capacity),
        );
        if (!isDeepStrictEqual({ ...has, nodes: undefined }, { ...expected, nodes: undefined })) return false;
      }
      return true;
    });
  }

  /** Those whose claims are not deleted. */
  async #stayingNodes(pool: string): Promise<Node[]> {
    const staying = (await this.claims(pool)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const names = new Set(staying.map(({ status }) => status?.nodeName));
    return (await this.nodes(pool)).filter(({ metadata }) => names.has(metadata?.name));
  }

  /** What an agent does on a node that it has made ready. */
  async liftStartupTaints(): Promise<void> {
    for (const { metadata, spec } of await this.nodes(pools.walled)) {
      const taints = (spec?.taints ?? []).filter(({ key }) => key !== names.startupTaint);
      await this.api.patch(`/api/v1/nodes/${metadata?.name}`, { spec: { taints } });
    }
  }

  /** Deletes the claim whose pods nobody may evict: whoever leads drains its node in vain, and buys nothing for them yet. */
  async leaveBehindGuard(): Promise<void> {
    await this.apply([guard]);
    const [leaving, ...others] = await this.claims(pools.leaving);
    if (leaving === undefined || others.length > 0) throw new Error("the guarded pods are not on one node");
    await this.kubectl(`delete nodeclaim ${leaving.metadata.name} --wait=false`);
    await this.until("the node that leaves is closed", async () =>
      (await this.nodes(pools.leaving)).every(({ spec }) =>
        spec?.taints?.some(({ key }) => key === "karpenter.sh/disrupted"),
      ),
    );
  }

  /** What was begun by one ends by the other. */
  async lowerGuard(): Promise<void> {
    const isLeaving = async () =>
      (await this.claims(pools.leaving)).some(({ metadata }) => metadata.deletionTimestamp !== undefined);
    this.findings.check(await isLeaving(), "the node that leaves is gone too early");
    await this.api.remove("/apis/policy/v1/namespaces/default/poddisruptionbudgets/guarded");
    await this.until("the node that leaves is gone", async () => !(await isLeaving()));
  }

  /** By pool, how much of everything its status says that it has; but for the one whose machine joins meanwhile. */
  async accounts(): Promise<Readonly<Record<string, unknown>>> {
    const counted = (await this.pools()).filter(({ metadata }) => metadata.name !== pools.slow);
    return Object.fromEntries(
      counted.map(({ metadata, status }) => [metadata.name, amountsOf([status?.resources])]).sort(),
    );
  }
}

/** The sum of all; that there is nothing of something need not be said. */
function amountsOf(all: readonly (Readonly<Record<string, string | number>> | undefined)[]): Record<string, string> {
  const sums = new Map<string, bigint>();
  for (const [key, text] of all.flatMap((amounts = {}) => Object.entries(amounts)))
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(parseQuantity(text) ?? 0n));
  const amounts = [...sums].filter(([, amount]) => amount !== 0n).map(([key, amount]) => [key, `${amount}`] as const);
  return Object.fromEntries(amounts.sort());
}

function conditionOf({ status }: NodeClaim, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function isTrue(claim: NodeClaim, type: string): boolean {
  return conditionOf(claim, type)?.status === "True";
}
