import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { writeConditions } from "../../core/api/write-conditions.ts";
import { writeTaintsWith, writeTaintsWithout } from "../../core/api/write-node-taints.ts";
import { writeTime } from "../../core/api/write-time.ts";
import { changeConditions, isConditionTrue } from "../../core/model/condition.ts";
import {
  isReplacementAnnotation,
  moveFailedAtAnnotation,
  replacementsAnnotation,
  replacesAnnotation,
} from "../../core/model/move-annotations.ts";
import { claimReadiness, type NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import type { DisruptionReason } from "../../core/model/pool-disruption.ts";
import { disruptedTaint } from "../../core/model/taints.ts";
import type { KubeResource } from "../../runtime/kube-object.ts";
import { outcomeOf, patchStatus, type StatusWrite } from "../../runtime/patch-status.ts";
import { nodes } from "../../runtime/resources.ts";
import type { DisruptorOptions } from "./disruptor-options.ts";

const disruptionReasonCondition = "DisruptionReason";
/** A write that others got ahead of is tried so often with what they left. */
const mostTries = 10;

type MarkingOptions = Pick<DisruptorOptions, "cluster" | "kube" | "clock" | "telemetry">;

export function isMarked(claim: NodeClaim, node: NodeObject | undefined): boolean {
  return isConditionTrue(claim, disruptionReasonCondition) || (node !== undefined && isTainted(node));
}

/** Says on nodes and claims that they are about to go, and takes it back. */
export class Marking {
  readonly #options: MarkingOptions;

  constructor(options: MarkingOptions) {
    this.#options = options;
  }

  /** Keeps new pods away, and says why. False when there is nothing left to mark, or it goes already. */
  async mark(claimName: string, reason: DisruptionReason): Promise<boolean> {
    const isTaintWritten = await this.#taint(claimName, true);
    return isTaintWritten && (await this.#setReason(claimName, reason));
  }

  async unmark(claimName: string): Promise<void> {
    await this.#taint(claimName, false);
    await this.#setReason(claimName, undefined);
  }

  /** Whoever leads next knows of it too. */
  async noteFailure(claimName: string): Promise<void> {
    const annotations = { [moveFailedAtAnnotation]: writeTime(this.#options.clock.now()) };
    await this.#annotate(claimName, annotations);
  }

  /** What was bought in place of others that stay is a node like any other. */
  async releaseReplacement(claimName: string): Promise<void> {
    const names = { [replacesAnnotation]: null, [replacementsAnnotation]: null };
    await this.#annotate(claimName, { ...names, [isReplacementAnnotation]: null });
  }

  /** When those are gone that it has replaced, nobody needs their names. */
  async forgetReplaced(claimName: string): Promise<void> {
    await this.#annotate(claimName, { [replacesAnnotation]: null, [replacementsAnnotation]: null });
  }

  async #annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
    const { cluster, kube } = this.#options;
    const claim = cluster.claims.get(name);
    if (claim === undefined || claim.deletedAt !== undefined) return;
    const body = { metadata: { uid: claim.uid, annotations } };
    outcomeOf(await kube.patch(nodeClaims, { name }, { body }), `annotate claim "${name}"`);
  }

  #taint(claimName: string, isWanted: boolean): Promise<boolean> {
    const { cluster, kube, telemetry } = this.#options;
    const find = (): NodeObject | undefined => {
      const claim = cluster.claims.get(claimName);
      return claim === undefined ? undefined : cluster.nodesOf(claim)[0];
    };
    const { key, effect } = disruptedTaint;
    return this.#insist(nodes, find, async (node) => {
      if (isTainted(node) === isWanted) return "written";
      const taints = isWanted ? writeTaintsWith(node, disruptedTaint) : writeTaintsWithout(node, disruptedTaint);
      const body = { metadata: { resourceVersion: node.resourceVersion }, spec: { taints } };
      const { name } = node;
      const act = `${isWanted ? "taint" : "take the taint off"} node "${name}"`;
      const written = outcomeOf(await kube.patch(nodes, { name }, { body }), act);
      if (written === "written") {
        const fields = { controller: "disruption", Node: { name }, "taint.Key": key, "taint.Effect": effect };
        telemetry.log.debug(isWanted ? "tainted node" : "took the taint off node", fields);
      }
      return written;
    });
  }

  #setReason(claimName: string, reason: DisruptionReason | undefined): Promise<boolean> {
    const { cluster, kube, clock } = this.#options;
    return this.#insist(
      nodeClaims,
      () => cluster.claims.get(claimName),
      async (claim) => {
        const type = disruptionReasonCondition;
        const change = { type, status: "True", reason, message: reason } as const;
        const conditions = changeConditions(claim, claimReadiness, {
          changes: reason === undefined ? [] : [{ ...change, reason, message: reason }],
          removals: reason === undefined ? [type] : [],
          now: clock.now(),
        });
        if (conditions === claim.conditions) return "written";
        return await patchStatus(kube, nodeClaims, { ...claim, status: { conditions: writeConditions(conditions) } });
      },
    );
  }

  /** Writes again as long as others get ahead of it; false when it is gone or going. */
  async #insist<T extends NodeClaim | NodeObject>(
    resource: KubeResource,
    find: () => T | undefined,
    write: (object: T) => Promise<StatusWrite>,
  ): Promise<boolean> {
    for (let tries = 0; tries < mostTries; tries++) {
      const object = find();
      if (object === undefined || object.deletedAt !== undefined) return false;
      const written = await write(object);
      if (written !== "conflict") return written === "written";
      // The watch may be late with what got ahead.
      await this.#options.kube.getNews(resource, { name: object.name });
    }
    throw new Error(`Others keep getting ahead of what is written to ${resource.kind} "${find()?.name}"`);
  }
}

function isTainted({ writtenTaints }: NodeObject): boolean {
  return writtenTaints.some(({ key }) => key === disruptedTaint.key);
}
