import type { Random } from "../../core/model/seeded-random.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ObjectApi } from "../api/object-api.ts";
import { ControlLoop } from "../control-loop.ts";
import type { CreationPace } from "./creation-pace.ts";
import type { RecordEvent } from "./event-recorder.ts";

/** What the parts of a cluster that act by themselves act with. */
export interface WorkloadContext {
  readonly api: ObjectApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly recordEvent: RecordEvent;
  /** How fast pods of ReplicaSets are created; at once, where absent. */
  readonly podPace?: CreationPace | undefined;
  /** Told about failures that nobody foresaw; what failed is tried again. */
  readonly onError: (what: string, error: unknown) => void;
}

/** A part that is at work until it is stopped. */
export interface RunningPart {
  stop(): void;
}

export function controlLoop(
  { clock, onError }: WorkloadContext,
  name: string,
  reconcile: (key: string) => void,
): ControlLoop {
  return new ControlLoop({ clock, reconcile, onError: (key, error) => onError(`${name} ${key}`, error) });
}
