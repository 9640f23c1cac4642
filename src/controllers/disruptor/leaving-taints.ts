import { writeTaintsWith, writeTaintsWithout } from "../../core/api/write-node-taints.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import { leavingTaint } from "../../core/model/taints.ts";
import { outcomeOf } from "../../runtime/patch-status.ts";
import { nodes } from "../../runtime/resources.ts";
import type { DisruptorOptions } from "./disruptor-options.ts";

type LeavingTaintsOptions = Pick<DisruptorOptions, "cluster" | "kube" | "telemetry">;

/**
 * Asks kube-scheduler to put pods elsewhere if it can than on nodes that the plan takes away later, so that no pod is
 * moved twice. It is a request only: a pod that has no other place goes there, and the plan is made anew.
 */
export class LeavingTaints {
  readonly #options: LeavingTaintsOptions;

  constructor(options: LeavingTaintsOptions) {
    this.#options = options;
  }

  /** These nodes have the taint, and no others. What fails is made good the next time. */
  async set(nodeNames: ReadonlySet<string>): Promise<void> {
    const { cluster, telemetry } = this.#options;
    const wrong = [...cluster.nodes.values()].filter(
      (node) => node.deletedAt === undefined && hasLeavingTaint(node) !== nodeNames.has(node.name),
    );
    const written = await Promise.allSettled(wrong.map((node) => this.#write(node, nodeNames.has(node.name))));
    const failed = written.find((one) => one.status === "rejected");
    if (failed === undefined) return;
    telemetry.log.error("cannot ask for pods to stay away from nodes that are to go", {
      controller: "disruption",
      error: failed.reason,
    });
  }

  async #write(node: NodeObject, isWanted: boolean): Promise<void> {
    const { name, resourceVersion } = node;
    const taints = isWanted ? writeTaintsWith(node, leavingTaint) : writeTaintsWithout(node, leavingTaint);
    const body = { metadata: { resourceVersion }, spec: { taints } };
    outcomeOf(await this.#options.kube.patch(nodes, { name }, { body }), `write the taints of node "${name}"`);
  }
}

function hasLeavingTaint({ writtenTaints }: NodeObject): boolean {
  return writtenTaints.some(({ key }) => key === leavingTaint.key);
}
