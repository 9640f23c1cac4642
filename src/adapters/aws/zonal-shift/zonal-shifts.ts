import type { Clock } from "../../../ports/clock.ts";
import type { AwsApi, ManagedResource, ShiftAway } from "../api/aws-api.ts";
import { isNotFound } from "../api/aws-error.ts";
import { explainRefusal } from "../api/explain-refusal.ts";
import type { ShiftedZones } from "../aws-parts.ts";

export interface ZonalShiftsOptions {
  readonly api: Pick<AwsApi, "region" | "eks" | "zonalShift">;
  readonly clusterName: string;
  readonly clock: Clock;
}

/** For when the setting is off. */
export const noShiftedZones: ShiftedZones = { version: 0, has: () => false };

const action = "arc-zonal-shift:GetManagedResource";
const turnOff = "or set ENABLE_ZONAL_SHIFT=false";

/** Rejects unless traffic can be shifted away from zones of this cluster; then nobody would tell us of it. */
export async function openZonalShifts(options: ZonalShiftsOptions): Promise<ZonalShifts> {
  const { api, clusterName } = options;
  const cluster = await api.eks.describeCluster(clusterName).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw explainRefusal(error, "eks:DescribeCluster");
  });
  if (cluster?.arn === undefined) {
    throw new Error(`EKS knows no cluster "${clusterName}" in ${api.region}: correct CLUSTER_NAME, ${turnOff}`);
  }
  const shifts = new ZonalShifts(cluster.arn, options);
  await shifts.refresh().catch((error) => {
    if (!isNotFound(error)) throw error;
    const command = `aws eks update-cluster-config --name ${clusterName} --zonal-shift-config enabled=true`;
    throw new Error(`ARC zonal shift does not know the cluster ${cluster.arn}: run "${command}", ${turnOff}`);
  });
  return shifts;
}

/** The zones that traffic is shifted away from now. Machines there are neither launched nor touched. */
export class ZonalShifts implements ShiftedZones {
  readonly #arn: string;
  readonly #options: Pick<ZonalShiftsOptions, "api" | "clock">;
  #applied: readonly ShiftAway[] = [];
  #zones: ReadonlySet<string> = new Set();
  #version = 0;

  constructor(arn: string, options: Pick<ZonalShiftsOptions, "api" | "clock">) {
    this.#arn = arn;
    this.#options = options;
  }

  get version(): number {
    return this.#version;
  }

  /** Their ids. */
  get zones(): ReadonlySet<string> {
    return this.#zones;
  }

  has(zoneId: string): boolean {
    return this.#zones.has(zoneId);
  }

  /** How long, at most, until what is known now changes by itself. */
  get lastsMilliseconds(): number {
    const now = this.#options.clock.now();
    return Math.min(...this.#applied.map(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt - now));
  }

  /** A shift that is over ends, also when ARC does not answer. */
  async refresh(): Promise<void> {
    try {
      this.#applied = appliedShifts(await this.#options.api.zonalShift.getManagedResource(this.#arn));
    } catch (error) {
      throw explainRefusal(error, action);
    } finally {
      this.#settle();
    }
  }

  #settle(): void {
    const now = this.#options.clock.now();
    this.#applied = this.#applied.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
    const zones = new Set(this.#applied.map(({ awayFrom }) => awayFrom));
    const isSame = zones.size === this.#zones.size && [...zones].every((zone) => this.#zones.has(zone));
    if (isSame) return;
    this.#zones = zones;
    this.#version++;
  }
}

/** Somebody's own, and those that AWS began by itself; one that is not applied has no effect. */
function appliedShifts({ zonalShifts, autoshifts }: ManagedResource): readonly ShiftAway[] {
  return [...zonalShifts, ...autoshifts].filter(({ isApplied }) => isApplied);
}
