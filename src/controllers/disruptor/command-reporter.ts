import { claimReference, nodeReference } from "../../core/api/references.ts";
import type { DecisionKind } from "../../core/disruption/decision.ts";
import { capacityTypeLabel, nodePoolLabel } from "../../core/model/labels.ts";
import { type NodeClaim, terminationModeOf } from "../../core/model/node-claim.ts";
import { isReschedulable } from "../../core/model/pod-lifecycle.ts";
import { type Command, decisionOf, type Order } from "./command.ts";
import type { DisruptorOptions } from "./disruptor-options.ts";

const controller = "disruption.queue";

/** Says how orders are carried out: to the log, the journal, the metrics, and beside the objects. */
export class CommandReporter {
  readonly #options: Pick<DisruptorOptions, "cluster" | "clock" | "telemetry" | "journal" | "pastMoves">;

  constructor(options: Pick<DisruptorOptions, "cluster" | "clock" | "telemetry" | "journal" | "pastMoves">) {
    this.#options = options;
  }

  reportStart(command: Command, order: Order): void {
    const { log, metrics } = this.#options.telemetry;
    const decision = decisionOf(command);
    log.info("disrupting node(s)", {
      controller,
      "command-id": command.id,
      reason: command.reason.toLowerCase(),
      decision,
      "disrupted-node-count": command.claimNames.length,
      "replacement-node-count": command.replacementNames.length,
      "pod-count": order.candidates.reduce((sum, { pods }) => sum + pods.length, 0),
      "disrupted-nodes": order.candidates.map(({ node, instanceType, capacityType }) => ({
        Node: { name: node.name },
        "instance-type": instanceType,
        "capacity-type": capacityType,
      })),
      "replacement-nodes": command.move.replacements,
      ...(order.savings === undefined ? {} : { "savings-per-hour": order.savings }),
    });
    const taken = { decision, reason: command.reason.toLowerCase(), consolidation_type: command.type };
    metrics.add("voluntary_disruption_decisions_total", taken);
    for (const nodepool of new Set(order.candidates.map(({ pool }) => pool.name))) {
      metrics.add("voluntary_disruption_decisions_by_nodepool_total", { nodepool, ...taken });
    }
    this.#note(command, "started");
  }

  reportWait(claim: NodeClaim, { reason }: Command): void {
    const { events } = this.#options.telemetry;
    const object = claimReference(claim);
    events.publish({
      object,
      type: "Normal",
      reason: "DisruptionLaunching",
      message: `Launching NodeClaim: ${reason}`,
      sameAs: [claim.uid, reason],
    });
    events.publish({
      object,
      type: "Normal",
      reason: "DisruptionWaitingReadiness",
      message: "Waiting on readiness to continue disruption",
      sameAs: [claim.uid],
    });
  }

  /** How many pods on its node will want another place. */
  podsOf(claim: NodeClaim): number {
    const { cluster } = this.#options;
    return cluster.nodesOf(claim).flatMap(({ name }) => cluster.podsOnNode(name).filter(isReschedulable)).length;
  }

  reportGoing(claim: NodeClaim, command: Command, pods: number): void {
    const { cluster, telemetry, pastMoves } = this.#options;
    const { reason } = command;
    const nodepool = claim.labels.get(nodePoolLabel) ?? "";
    if (reason === "Underutilized") pastMoves.note(nodepool, pods);
    const say = { type: "Normal", reason: "DisruptionTerminating" } as const;
    const object = claimReference(claim);
    telemetry.events.publish({
      object,
      ...say,
      message: `Disrupting NodeClaim: ${reason}`,
      sameAs: [claim.uid, reason],
    });
    for (const node of cluster.nodesOf(claim)) {
      const message = `Disrupting Node: ${reason}`;
      telemetry.events.publish({ object: nodeReference(node), ...say, message, sameAs: [node.uid, reason] });
    }
    const policy = cluster.pools.get(nodepool)?.disruption.consolidationPolicy ?? "";
    const cause = {
      reason: reason.toLowerCase(),
      nodepool,
      capacity_type: claim.labels.get(capacityTypeLabel) ?? "",
      consolidation_policy: reason === "Drifted" ? "" : snakeCase(policy),
      termination_mode: terminationModeOf(claim),
    };
    telemetry.metrics.add("nodeclaims_disrupted_total", cause);
    telemetry.metrics.add("pods_disruption_initiated_total", cause, pods);
  }

  reportEnd(command: Command): void {
    this.#options.telemetry.log.debug("command succeeded", { controller, "command-id": command.id });
    this.#note(command, "done");
  }

  reportRollBack(command: Command, because: string): void {
    const { cluster, telemetry } = this.#options;
    telemetry.log.info("disruption was taken back, the node(s) stay", {
      controller,
      "command-id": command.id,
      reason: command.reason.toLowerCase(),
      nodes: command.move.nodes,
      because,
    });
    telemetry.metrics.add("voluntary_disruption_queue_failures_total", {
      decision: decisionOf(command),
      reason: command.reason.toLowerCase(),
      consolidation_type: command.type,
    });
    const message = `Disruption for ${command.reason} was taken back: ${because}`;
    for (const name of command.claimNames) {
      const claim = cluster.claims.get(name);
      if (claim === undefined) continue;
      const say = { type: "Warning", reason: "DisruptionFailed", message } as const;
      telemetry.events.publish({ object: claimReference(claim), ...say });
      for (const node of cluster.nodesOf(claim)) telemetry.events.publish({ object: nodeReference(node), ...say });
    }
    this.#note(command, "rolled-back", because);
  }

  #note({ reason, move }: Command, kind: DecisionKind, because?: string): void {
    const { clock, journal } = this.#options;
    const said = because === undefined ? move : { ...move, because };
    journal.write({ time: new Date(clock.now()).toISOString(), reason, kind, moves: [said], candidates: [] });
  }
}

/** As in `when_empty`. */
function snakeCase(text: string): string {
  return text.replaceAll(/(?<=.)([A-Z])/g, "_$1").toLowerCase();
}
