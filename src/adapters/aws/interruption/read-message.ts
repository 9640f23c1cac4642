import type { Interruption, InterruptionKind } from "./interruption.ts";

export interface Problem {
  /** Why a message cannot be read; says nothing of what is in it. */
  readonly problem: string;
}

type Reading = Omit<Interruption, "at"> | "no-op" | Problem;
type Fields = Readonly<Record<string, unknown>>;

/** No queue takes a longer message. */
const longestBody = 1024 * 1024;

const stateKinds: ReadonlyMap<string, InterruptionKind> = new Map([
  ["stopping", "instance_stopped"],
  ["stopped", "instance_stopped"],
  ["shutting-down", "instance_terminated"],
  ["terminated", "instance_terminated"],
]);

/** By version, source and type of detail. */
const readers: ReadonlyMap<string, (detail: Fields) => Reading> = new Map([
  [key("0", "aws.ec2", "EC2 Spot Instance Interruption Warning"), aboutInstance("spot_interrupted")],
  [key("0", "aws.ec2", "EC2 Instance Rebalance Recommendation"), aboutInstance("rebalance_recommendation")],
  [key("0", "aws.ec2", "EC2 Instance State-change Notification"), readStateChange],
  [
    key("0", "aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"),
    aboutInstance("capacity_reservation_interrupted"),
  ],
  [key("0", "aws.health", "AWS Health Event"), readHealthEvent],
]);

/** What an event from EventBridge says; `no-op` when it concerns nothing of ours. */
export function readMessage(body: string): Interruption | "no-op" | Problem {
  if (body === "") return "no-op";
  if (body.length > longestBody) return { problem: `it is longer than ${longestBody} characters` };
  const envelope = parse(body);
  if (!isFields(envelope)) return { problem: "it is not an object in JSON" };
  const { version, source, "detail-type": detailType, detail, time } = envelope;
  const read = readers.get(key(version, source, detailType));
  if (read === undefined) return "no-op";
  if (!isFields(detail)) return { problem: "its detail is not an object" };
  const reading = read(detail);
  return reading === "no-op" || "problem" in reading ? reading : { ...reading, at: readTime(time) };
}

function key(...parts: readonly unknown[]): string {
  return parts.every((part) => typeof part === "string") ? JSON.stringify(parts) : "";
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function aboutInstance(kind: InterruptionKind): (detail: Fields) => Reading {
  return ({ "instance-id": id }) =>
    typeof id === "string" && id !== "" ? { kind, instanceIds: [id] } : { problem: "its detail has no instance-id" };
}

function readStateChange(detail: Fields): Reading {
  if (typeof detail.state !== "string") return { problem: "its detail has no state" };
  const kind = stateKinds.get(detail.state.toLowerCase());
  return kind === undefined ? "no-op" : aboutInstance(kind)(detail);
}

function readHealthEvent({ service, eventTypeCategory, ...more }: Fields): Reading {
  const affectedEntities = more.affectedEntities ?? [];
  if (service !== "EC2" || eventTypeCategory !== "scheduledChange") return "no-op";
  if (!Array.isArray(affectedEntities)) return { problem: "its affectedEntities are not a list" };
  const ids = affectedEntities.map((entity: unknown) => (isFields(entity) ? entity.entityValue : undefined));
  // One that cannot be read says nothing against the others.
  const instanceIds = new Set(ids.filter((id) => typeof id === "string").filter((id) => id !== ""));
  if (instanceIds.size === 0 && ids.length > 0) return { problem: "none of its affectedEntities has an entityValue" };
  return { kind: "scheduled_change", instanceIds: [...instanceIds] };
}

function readTime(time: unknown): number | undefined {
  const at = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
