import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/telemetry.ts";
import type { AwsApi } from "../api/aws-api.ts";
import { isNotFound } from "../api/aws-error.ts";
import { explainRefusal } from "../api/explain-refusal.ts";
import type { ReservationCounts, ReservationFinder } from "../aws-parts.ts";
import { ExpiringMap } from "../expiring-map.ts";
import type { CapacityReservationTerm, Ec2NodeClass, StatusReservation } from "../node-class/ec2-node-class.ts";
import { type Reservation, readReservation, toStatus } from "./read-reservation.ts";
import { type ReservationQuery, reservationQueries } from "./reservation-queries.ts";

export interface ReservationsOptions {
  readonly api: { readonly ec2: Pick<AwsApi["ec2"], "describeCapacityReservations"> };
  readonly clock: Clock;
  readonly log: Log;
}

const rememberedMilliseconds = 60_000;
const countedMilliseconds = 24 * 60 * 60_000;

/** Finds capacity reservations, and counts what is left in those that were found. */
export class Reservations implements ReservationFinder, ReservationCounts {
  readonly #options: ReservationsOptions;
  readonly #found: ExpiringMap<readonly Reservation[]>;
  /** Under way, so that whoever asks the same shares the answer. */
  readonly #asked = new Map<string, Promise<readonly Reservation[]>>();
  readonly #counts: ExpiringMap<{ count: number }>;
  #version = 0;

  constructor(options: ReservationsOptions) {
    this.#options = options;
    const { clock } = options;
    this.#found = new ExpiringMap({ clock, milliseconds: rememberedMilliseconds });
    this.#counts = new ExpiringMap({ clock, milliseconds: countedMilliseconds, most: 10_000 });
  }

  get version(): number {
    return this.#version;
  }

  find({ spec }: Ec2NodeClass): Promise<readonly StatusReservation[]> {
    return this.#findAll(spec.capacityReservationSelectorTerms);
  }

  /** Those of these that are there still. */
  findByIds(ids: Iterable<string>): Promise<readonly StatusReservation[]> {
    const nothing = { tags: new Map<string, string>(), ownerID: undefined, instanceMatchCriteria: undefined };
    return this.#findAll([...ids].map((id) => ({ id, ...nothing })));
  }

  /** 0 for one that was not found yet. */
  available(reservationId: string): number {
    return this.#counts.get(reservationId)?.count ?? 0;
  }

  markLaunched(reservationId: string): void {
    this.#change(reservationId, (count) => Math.max(0, count - 1));
  }

  markTerminated(reservationId: string): void {
    this.#change(reservationId, (count) => count + 1);
  }

  markUnavailable(reservationId: string): void {
    this.#change(reservationId, () => 0);
  }

  #change(reservationId: string, change: (count: number) => number): void {
    const entry = this.#counts.get(reservationId);
    if (entry === undefined) return;
    const count = change(entry.count);
    if (count === entry.count) return;
    entry.count = count;
    this.#version++;
  }

  async #findAll(terms: readonly CapacityReservationTerm[]): Promise<readonly StatusReservation[]> {
    const answers = await Promise.all(reservationQueries(terms).map((query) => this.#answer(query)));
    return toStatus(answers.flat(), this.#options.clock.now());
  }

  #answer(query: ReservationQuery): Promise<readonly Reservation[]> | readonly Reservation[] {
    const known = this.#found.get(query.key) ?? this.#asked.get(query.key);
    if (known !== undefined) return known;
    const answer = this.#ask(query).finally(() => this.#asked.delete(query.key));
    this.#asked.set(query.key, answer);
    return answer;
  }

  async #ask({ key, input }: ReservationQuery): Promise<readonly Reservation[]> {
    const { api, log } = this.#options;
    const told = await api.ec2.describeCapacityReservations(input).catch((error) => {
      if (isNotFound(error)) return [];
      throw explainRefusal(error, "ec2:DescribeCapacityReservations");
    });
    const found: Reservation[] = [];
    for (const each of told) {
      const reservation = readReservation(each);
      if (typeof reservation === "string") log.error(`Passed over what cannot be launched into: ${reservation}`);
      else found.push(reservation);
    }
    this.#found.set(key, found);
    for (const { id, available } of found) this.#sync(id, available);
    return found;
  }

  #sync(id: string, count: number): void {
    if (this.#counts.get(id)?.count !== count) this.#version++;
    this.#counts.set(id, { count });
  }
}
