import {
  nodePoolHashAnnotation,
  nodePoolHashAnnotations,
  nodePoolHashVersion,
  nodePoolHashVersionAnnotation,
  restampClaim,
} from "../../core/api/drift-hash.ts";
import { nodeClaims, nodePools } from "../../core/api/karpenter-resources.ts";
import { poolReference } from "../../core/api/references.ts";
import { writeConditions } from "../../core/api/write-conditions.ts";
import { writeResources } from "../../core/api/write-resources.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import { judgePause, pausedCondition } from "../../core/lifecycle/judge-pause.ts";
import { judgePoolNodeClass, judgePoolSpec, poolDependents } from "../../core/lifecycle/judge-pool.ts";
import { isSameUsage, poolUsage } from "../../core/lifecycle/pool-usage.ts";
import { type ConditionChanges, changeConditions, findCondition } from "../../core/model/condition.ts";
import { nodePoolLabel } from "../../core/model/labels.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CloudProvider } from "../../ports/cloud-provider.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { type KubeClient, unless } from "../../runtime/kube-client.ts";
import { patchStatus } from "../../runtime/patch-status.ts";
import type { WorkLoop } from "../../runtime/work-loop.ts";
import { poolLoop } from "./pool-loop.ts";

export interface AccountantOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
  readonly cloud: CloudProvider;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

const validation = "nodepool.validation";
/** Much changes at once when nodes come; a pool is counted anew so often, and no more. */
const countingPause = 500;
/** Somebody else wrote meanwhile, and what they wrote is on its way to us. */
const soon = 10;

/** Keeps the books of each NodePool: whether it can be used, the hash of its template, and what its machines have. */
export class Accountant {
  readonly #options: AccountantOptions;
  readonly #validation: WorkLoop;
  readonly #readiness: WorkLoop;
  readonly #hash: WorkLoop;
  readonly #counter: WorkLoop;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: AccountantOptions) {
    this.#options = options;
    this.#validation = poolLoop(options, validation, (pool) => this.#validate(pool));
    this.#readiness = poolLoop(options, "nodepool.readiness", (pool) => this.#judgeNodeClass(pool));
    this.#hash = poolLoop(options, "nodepool.hash", (pool) => this.#stamp(pool));
    this.#counter = poolLoop(options, "nodepool.counter", (pool) => this.#count(pool));
  }

  start(): void {
    const { pools, nodeClasses, claims, nodes } = this.#options.cluster;
    for (const name of namesOf(pools.values())) this.#look(name);
    this.#unsubscribe.push(
      pools.onChange(({ key, before, after }) => {
        if (after === undefined) return;
        this.#look(key);
        this.#tellOfAnnotations(before, after);
      }),
      nodeClasses.onChange(() => {
        for (const name of namesOf(pools.values())) this.#readiness.enqueue(name);
      }),
      claims.onChange(({ before, after }) => this.#recount(after ?? before)),
      nodes.onChange(({ before, after }) => this.#recount(after ?? before)),
    );
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await Promise.all([this.#validation, this.#readiness, this.#hash, this.#counter].map((loop) => loop.stop()));
  }

  #look(name: string): void {
    for (const loop of [this.#validation, this.#readiness, this.#hash]) loop.enqueue(name);
    this.#counter.enqueue(name, countingPause);
  }

  #recount(machine: { readonly labels: ReadonlyMap<string, string> } | undefined): void {
    const pool = machine?.labels.get(nodePoolLabel) ?? "";
    if (pool !== "") this.#counter.enqueue(pool, countingPause);
  }

  async #validate(pool: NodePoolObject): Promise<number | undefined> {
    const seen = findCondition(pool.status, "ValidationSucceeded");
    const pause = judgePause(pool);
    const delay = await this.#change(pool, {
      changes: [judgePoolSpec(pool), ...(pause === undefined ? [] : [pause])],
      removals: pause === undefined ? [pausedCondition] : [],
    });
    // The condition remembers which generation was looked at, also when the controller starts anew. It may be there
    // without anybody having looked: whoever writes another one first begins it as Unknown.
    const isTold = seen !== undefined && seen.status !== "Unknown" && seen.observedGeneration === pool.generation;
    if (delay === undefined && !isTold) this.#tell(pool);
    return delay;
  }

  /** They are no part of the generation that the condition remembers. */
  #tellOfAnnotations(before: NodePoolObject | undefined, after: NodePoolObject): void {
    if (before?.generation !== after.generation || !isManaged(after, this.#options.cloud.nodeClassKinds)) return;
    this.#tell({
      ...after,
      problems: after.problems.filter((problem) => !before.problems.includes(problem)),
      warnings: after.warnings.filter((warning) => !before.warnings.includes(warning)),
    });
  }

  #tell({ name, uid, problems, warnings }: NodePoolObject): void {
    const { events, log } = this.#options.telemetry;
    const object = poolReference({ name, uid });
    for (const message of problems) {
      log.error("a NodePool cannot be used", { controller: validation, NodePool: { name }, problem: message });
      events.publish({ object, type: "Warning", reason: "NodePoolValidationFailed", message });
    }
    for (const message of warnings) {
      log.info("a NodePool is probably not what was meant", {
        controller: validation,
        NodePool: { name },
        warning: message,
      });
      events.publish({ object, type: "Warning", reason: "NodePoolValidationWarning", message });
    }
  }

  #judgeNodeClass(pool: NodePoolObject): Promise<number | undefined> {
    const { cluster } = this.#options;
    return this.#change(pool, { changes: [judgePoolNodeClass(cluster.nodeClassOf(pool.nodeClassRef))] });
  }

  async #change(pool: NodePoolObject, changes: Omit<ConditionChanges, "now">): Promise<number | undefined> {
    const { kube, clock } = this.#options;
    const { name, generation, createdAt, resourceVersion, status } = pool;
    const owner = { generation, createdAt, conditions: status.conditions };
    const conditions = changeConditions(owner, poolDependents, { ...changes, now: clock.now() });
    if (conditions === status.conditions) return undefined;
    const patch = { name, resourceVersion, status: { conditions: writeConditions(conditions) } };
    return (await patchStatus(kube, nodePools, patch)) === "conflict" ? soon : undefined;
  }

  /** Claims first: should we fall between the two, whoever comes next finds the pool unstamped and does them again. */
  async #stamp({ name, annotations, hash }: NodePoolObject): Promise<undefined> {
    const { cluster, kube } = this.#options;
    const isSameVersion = annotations.get(nodePoolHashVersionAnnotation) === nodePoolHashVersion;
    if (isSameVersion && annotations.get(nodePoolHashAnnotation) === hash) return;
    if (!isSameVersion) {
      for (const claim of cluster.claimsOfPool(name)) {
        const stamp = restampClaim(claim, hash);
        if (stamp === undefined) continue;
        const answer = await kube.patch(
          nodeClaims,
          { name: claim.name },
          { body: { metadata: { annotations: stamp } } },
        );
        unless([404], answer, `renew the hash on NodeClaim ${claim.name}`);
      }
    }
    const body = { metadata: { annotations: nodePoolHashAnnotations(hash) } };
    unless([404], await kube.patch(nodePools, { name }, { body }), `write the hash of NodePool ${name}`);
  }

  async #count({ name, status }: NodePoolObject): Promise<undefined> {
    const { cluster, kube } = this.#options;
    const usage = poolUsage(cluster, name);
    if (isSameUsage(status, usage)) return;
    const gone = [...status.resources.keys()].filter((resource) => !usage.resources.has(resource));
    const resources = {
      ...Object.fromEntries(gone.map((resource) => [resource, null])),
      ...writeResources(usage.resources),
    };
    const body = { status: { resources, nodes: usage.nodes } };
    const answer = await kube.patch(nodePools, { name, subresource: "status" }, { body });
    unless([404], answer, `count what NodePool ${name} has`);
  }
}

function namesOf(pools: Iterable<NodePoolObject>): string[] {
  return Array.from(pools, ({ name }) => name);
}
