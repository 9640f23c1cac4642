import type { MetricLabels } from "./metric-labels.ts";

/** How the controller says what it does: lines for people, numbers for machines, events beside the objects. */
export interface Telemetry {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly events: Events;
}

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  /** Degraded, throttled, or a setting to change; nobody need act at once. */
  warn(message: string, fields?: LogFields): void;
  /** What cannot be done; an Error goes under the field `error`, with its causes. */
  error(message: string, fields?: LogFields): void;
  /** A log whose lines all carry these fields; `controller` names who speaks. */
  with(fields: LogFields): Log;
}

export type MetricName = keyof MetricLabels;

/** Names are without the prefix `karpenter_` where they have one on the wire. */
export interface Metrics {
  add<Name extends MetricName>(name: Name, labels: MetricLabels[Name], amount?: number): void;
  set<Name extends MetricName>(name: Name, labels: MetricLabels[Name], value: number): void;
  observe<Name extends MetricName>(name: Name, labels: MetricLabels[Name], value: number): void;
  /** Asks for gauges anew in every scrape, and keeps nothing of them in between. Returns how to end that. */
  collect(read: () => Readings): () => void;
}

/** Gauges as they are now. Each is gone through once, and others have their turn while that goes on. */
export type Readings = { readonly [Name in MetricName]?: Iterable<Sample<MetricLabels[Name]>> };

/** No two samples of a gauge have the same labels. */
export interface Sample<Labels> {
  /** Labels that samples in a row have in common: while it is the same object, it is written out once. */
  readonly common?: Readonly<Partial<Labels>>;
  /** All the others. */
  readonly labels: Readonly<Partial<Labels>>;
  readonly value: number;
}

export interface Events {
  publish(event: Happening): void;
}

/** Something worth an Event beside the object that it concerns. */
export interface Happening {
  readonly object: ObjectReference;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** Events with the same reason and the same of these are said once in a while; the object and the message by default. */
  readonly sameAs?: readonly string[];
  /** How long it is not repeated; two minutes by default. */
  readonly quietMilliseconds?: number;
}

export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
}
