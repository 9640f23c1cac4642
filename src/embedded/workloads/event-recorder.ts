import type { Event } from "kubernetes-types/core/v1.js";
import type { Clock, Timer } from "../../ports/clock.ts";
import { ApiError } from "../api/api-error.ts";
import type { ObjectApi } from "../api/object-api.ts";
import { keyOf } from "../storage/collection.ts";
import { timestamp } from "../timestamp.ts";
import { EventBudget } from "./event-budget.ts";
import { Resource, type Stored } from "./resource.ts";

/** Something that happened to an object, for people to read. */
export interface Happening {
  readonly about: EventSubject;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** The component that says so. */
  readonly source: string;
  /** The node that it runs on, for a kubelet. */
  readonly host?: string;
  /** The part of the object, as in `spec.containers{web}`. */
  readonly fieldPath?: string;
}

export interface EventSubject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
}

export type RecordEvent = (happening: Happening) => void;

const lifetime = 3_600_000;

/** Writes events as client-go does, counting what repeats, and removes events that nobody has added to for an hour. */
export class EventRecorder {
  readonly #events: Resource<Event>;
  readonly #clock: Clock;
  readonly #budget: EventBudget;
  /** Where each happening was last written, by what it says. */
  readonly #written = new Map<string, string>();
  /** When each event goes, the next first. */
  readonly #expiry = new Map<string, number>();
  readonly #unsubscribe: () => void;
  #timer: Timer | undefined;
  #count = 0n;

  constructor(api: ObjectApi, clock: Clock) {
    this.#events = new Resource<Event>(api, "", "events");
    this.#clock = clock;
    this.#budget = new EventBudget(clock);
    for (const event of this.#events.list()) this.#keep(keyOf(event));
    this.#unsubscribe = this.#events.subscribe(({ type, object }) => {
      if (type === "DELETED") this.#expiry.delete(keyOf(object));
      else this.#keep(keyOf(object));
    });
  }

  stop(): void {
    this.#unsubscribe();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  readonly record: RecordEvent = (happening) => {
    const admitted = this.#budget.admit(happening);
    if (admitted === undefined) return;
    const { message, identity } = admitted;
    try {
      const known = this.#events.find(this.#written.get(identity) ?? "");
      const event = known === undefined ? this.#create({ ...happening, message }) : this.#add(known, message);
      this.#written.set(identity, keyOf(event));
      if (this.#written.size > 4096) this.#written.delete(this.#written.keys().next().value ?? "");
    } catch (error) {
      // As for any client, a namespace that ends takes no more events; nothing depends on them.
      if (!(error instanceof ApiError)) throw error;
    }
  };

  #create({ about, type, reason, message, source, host, fieldPath }: Happening): Stored<Event> {
    const { name = "", namespace = "default" } = about.metadata ?? {};
    const now = timestamp(this.#clock.now());
    const moment = (BigInt(Math.floor(this.#clock.now())) * 1_000_000n + (this.#count++ % 1_000_000n)).toString(16);
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: `${name}.${moment}`, namespace },
      involvedObject: subjectOf(about, fieldPath),
      reason,
      message,
      source: { component: source, ...(host === undefined ? {} : { host }) },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type,
      reportingComponent: source,
      reportingInstance: host ?? "",
    };
    return this.#events.create(event as unknown as Event, namespace);
  }

  #add(event: Stored<Event>, message: string): Stored<Event> {
    const lastTimestamp = timestamp(this.#clock.now());
    const count = (event.count ?? 0) + 1;
    return this.#events.change(event, (current) => ({ ...current, message, count, lastTimestamp }));
  }

  #keep(key: string): void {
    this.#expiry.delete(key);
    this.#expiry.set(key, this.#clock.now() + lifetime);
    this.#timer ??= this.#clock.after(lifetime, () => this.#expire());
  }

  #expire(): void {
    this.#timer = undefined;
    for (const [key, at] of this.#expiry) {
      const wait = at - this.#clock.now();
      if (wait > 0) {
        this.#timer = this.#clock.after(wait, () => this.#expire());
        return;
      }
      this.#expiry.delete(key);
      const event = this.#events.find(key);
      if (event !== undefined) this.#events.delete(event);
    }
  }
}

/** A reference to what the event is about, as far as it is known. */
function subjectOf({ apiVersion, kind, metadata = {} }: EventSubject, fieldPath: string | undefined): object {
  const { name, namespace, uid, resourceVersion } = metadata;
  const fields = { kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
