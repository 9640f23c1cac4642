import { poolReference } from "../../../core/api/references.ts";
import { zoneLabel } from "../../../core/model/labels.ts";
import type { NodePoolObject } from "../../../core/model/node-pool-object.ts";
import { has, requirementFor } from "../../../core/model/requirements.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import { WorkLoop } from "../../../runtime/work-loop.ts";
import { zoneIdLabel } from "../names.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import type { ZonalShifts } from "./zonal-shifts.ts";

export interface ZonalShiftWatcherOptions {
  readonly shifts: Pick<ZonalShifts, "refresh" | "zones" | "lastsMilliseconds">;
  readonly cluster: Pick<ClusterView, "pools">;
  readonly nodeClassOf: (name: string) => Ec2NodeClass | undefined;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

const periodMilliseconds = 30_000;

/** Looks for shifts every half minute, and tells pools of those that concern them. */
export class ZonalShiftWatcher {
  readonly #options: ZonalShiftWatcherOptions;
  readonly #loop: WorkLoop;
  #told: ReadonlySet<string> = new Set();

  constructor(options: ZonalShiftWatcherOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#loop = new WorkLoop({
      name: "zonalshift",
      reconcile: () => this.#reconcile(),
      clock,
      telemetry,
      firstBackoff: 1_000,
      longestBackoff: periodMilliseconds,
    });
  }

  start(): void {
    this.#loop.enqueue("");
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #reconcile(): Promise<number> {
    const { shifts } = this.#options;
    try {
      await shifts.refresh();
    } finally {
      this.#tell(shifts.zones);
    }
    return Math.min(periodMilliseconds, shifts.lastsMilliseconds);
  }

  #tell(zones: ReadonlySet<string>): void {
    const begun = [...zones].filter((zone) => !this.#told.has(zone));
    const over = [...this.#told].filter((zone) => !zones.has(zone));
    this.#told = zones;
    if (begun.length === 0 && over.length === 0) return;
    for (const pool of this.#options.cluster.pools.values()) {
      for (const zoneId of begun) this.#publish(pool, zoneId, true);
      for (const zoneId of over) this.#publish(pool, zoneId, false);
    }
  }

  #publish(pool: NodePoolObject, zoneId: string, isShifted: boolean): void {
    const zone = zoneFor(pool, this.#options.nodeClassOf(pool.nodeClassRef.name), zoneId);
    if (zone === undefined) return;
    this.#options.telemetry.events.publish({
      object: poolReference(pool),
      type: isShifted ? "Warning" : "Normal",
      reason: isShifted ? "ZonalShiftActive" : "ZonalShiftCleared",
      message: isShifted
        ? `Traffic is shifted away from zone ${zone} (${zoneId}): nothing is launched there until that ends`
        : `Traffic is no longer shifted away from zone ${zone} (${zoneId}): machines are launched there again`,
      sameAs: [pool.uid, zoneId],
    });
  }
}

/** The name of the zone if the pool could launch machines there. */
function zoneFor(
  { pool }: Pick<NodePoolObject, "pool">,
  nodeClass: Pick<Ec2NodeClass, "status"> | undefined,
  zoneId: string,
): string | undefined {
  const subnet = nodeClass?.status.subnets.find(({ zoneID }) => zoneID === zoneId);
  if (pool === undefined || subnet === undefined) return undefined;
  const isAllowed =
    has(requirementFor(pool.requirements, zoneLabel), subnet.zone) &&
    has(requirementFor(pool.requirements, zoneIdLabel), zoneId);
  return isAllowed ? subnet.zone : undefined;
}
