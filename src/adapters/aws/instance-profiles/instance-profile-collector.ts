import { ec2NodeClasses } from "../../../core/api/karpenter-resources.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import { WorkLoop } from "../../../runtime/work-loop.ts";
import { instanceProfileAnnotation } from "../names.ts";
import type { ManagedInstanceProfiles } from "./managed-instance-profiles.ts";

export interface InstanceProfileCollectorOptions {
  readonly cluster: Pick<ClusterView, "claims" | "nodeClasses">;
  readonly profiles: Pick<ManagedInstanceProfiles, "list" | "isProtected" | "remove">;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

const name = "instanceprofile.garbagecollection";
const interval = 30 * 60_000;
/** Until then node classes have taken up what a crash has left. */
const beginsAfter = 5 * 60_000;

/** Takes away instance profiles that no node class has any more and no machine was launched with. */
export class InstanceProfileCollector {
  readonly #options: InstanceProfileCollectorOptions;
  readonly #loop: WorkLoop;

  constructor(options: InstanceProfileCollectorOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#loop = new WorkLoop({ name, clock, telemetry, reconcile: () => this.#collect() });
  }

  start(): void {
    this.#loop.enqueue("", beginsAfter);
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #collect(): Promise<number> {
    const { profiles, telemetry } = this.#options;
    const failures: unknown[] = [];
    for (const profile of await profiles.list()) {
      // Looked up anew for each, because much may happen while the others go.
      if (profiles.isProtected(profile) || this.#isInUse(profile)) continue;
      try {
        await profiles.remove(profile);
        telemetry.log.info("deleted instance profile", { controller: name, "instance-profile": profile });
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) {
      throw new Error(`Cannot delete ${failures.length} instance profiles that nobody uses`, { cause: failures[0] });
    }
    return interval;
  }

  #isInUse(profile: string): boolean {
    const { claims, nodeClasses } = this.#options.cluster;
    for (const { annotations } of claims.values()) {
      if (annotations.get(instanceProfileAnnotation) === profile) return true;
    }
    for (const { kind, wire } of nodeClasses.values()) {
      const { status } = wire as { readonly status?: { readonly instanceProfile?: unknown } };
      if (kind === ec2NodeClasses.kind && status?.instanceProfile === profile) return true;
    }
    return false;
  }
}
