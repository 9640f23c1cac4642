import type { Clock } from "../../../ports/clock.ts";
import type { Metrics } from "../../../ports/telemetry.ts";
import type { Ec2Api } from "../api/aws-api.ts";
import { isAnswer, isNotFound, isServerFault, isThrottled } from "../api/aws-error.ts";
import { Batcher, type BatchOutcome } from "../batching/batcher.ts";
import { type Machine, readMachine } from "./machine.ts";

export interface InstanceBatchOptions {
  readonly ec2: Ec2Api;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly isReservedCapacityEnabled: boolean;
}

/** As many as a filter takes. */
const mostValues = 200;
const window = { idleMilliseconds: 100, mostMilliseconds: 1000, mostItems: 500, keyOf: () => "" };

/** Describes machines by id, several at a time; undefined for what AWS does not know, not yet or not any more. */
export function describeInBatches(options: InstanceBatchOptions): Batcher<string, Machine | undefined> {
  const { clock, metrics } = options;
  return new Batcher({
    name: "describe_instances",
    clock,
    metrics,
    ...window,
    execute: async (ids) => {
      const found = await describe(options, [...new Set(ids)]);
      return ids.map((id) => ({ ok: true, answer: found.get(id) }));
    },
  });
}

async function describe(
  { ec2, isReservedCapacityEnabled }: InstanceBatchOptions,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Machine>> {
  const instances = await ec2.describeInstances({ InstanceIds: [...ids] }).catch(async (error: unknown) => {
    if (!isNotFound(error) && !isMalformed(error)) throw error;
    if (ids.length === 1) return [];
    // One that is gone spoils it for all; a filter is content with what there is.
    const parts = chunks(ids, mostValues).map((Values) =>
      ec2.describeInstances({ Filters: [{ Name: "instance-id", Values }] }),
    );
    return (await Promise.all(parts)).flat();
  });
  const machines = instances.map((instance) => readMachine(instance, isReservedCapacityEnabled));
  return new Map(machines.map((machine) => [machine.id, machine]));
}

function isMalformed(error: unknown): boolean {
  return (error as { readonly name?: unknown } | null)?.name === "InvalidInstanceID.Malformed";
}

/** Ends machines, several at a time. */
export function terminateInBatches(options: InstanceBatchOptions): Batcher<string, void> {
  const { clock, metrics } = options;
  return new Batcher({
    name: "terminate_instances",
    clock,
    metrics,
    ...window,
    execute: async (ids) => {
      const outcomes = await terminate(options.ec2, [...new Set(ids)]);
      return ids.map(
        (id) => outcomes.get(id) ?? { ok: false, error: new Error(`AWS did not say what became of ${id}`) },
      );
    },
  });
}

type Outcomes = ReadonlyMap<string, BatchOutcome<void>>;

/** AWS ends all or none: what it refuses is tried in halves, so that one does not hold up the others. */
async function terminate(ec2: Ec2Api, ids: readonly string[]): Promise<Outcomes> {
  try {
    const changes = await ec2.terminateInstances({ InstanceIds: [...ids] });
    const ending = changes.filter(({ CurrentState }) => isEnding(CurrentState?.Name));
    const outcomes = new Map<string, BatchOutcome<void>>(ending.map(({ InstanceId = "" }) => [InstanceId, done]));
    const left = ids.filter((id) => !outcomes.has(id));
    if (left.length > 0 && ids.length > 1) {
      const again = await Promise.all(left.map((id) => terminate(ec2, [id])));
      for (const others of again) for (const [id, outcome] of others) outcomes.set(id, outcome);
    }
    return outcomes;
  } catch (error) {
    const [first, ...others] = ids;
    if (first !== undefined && others.length === 0) {
      return new Map([[first, isNotFound(error) ? done : { ok: false, error }]]);
    }
    if (!isAnswer(error) || isThrottled(error) || isServerFault(error)) throw error;
    const middle = Math.ceil(ids.length / 2);
    const [left, right] = await Promise.all([terminate(ec2, ids.slice(0, middle)), terminate(ec2, ids.slice(middle))]);
    return new Map([...left, ...right]);
  }
}

const done: BatchOutcome<void> = { ok: true, answer: undefined };

function isEnding(state: string | undefined): boolean {
  return state === "shutting-down" || state === "terminated";
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
