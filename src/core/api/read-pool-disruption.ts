import { parseDuration } from "../model/duration.ts";
import { parseCronSchedule } from "../model/parse-cron-schedule.ts";
import {
  balancedThresholdAnnotation,
  type ConsolidationPolicy,
  type DisruptionReason,
  type NodeBudget,
  type PoolDisruption,
  pausedAnnotation,
  softExpireAfterAnnotation,
} from "../model/pool-disruption.ts";
import { type Field, isRecord, quote } from "./field.ts";

const policies: readonly ConsolidationPolicy[] = ["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"];
const reasons: readonly DisruptionReason[] = ["Underutilized", "Empty", "Drifted"];
const mostBudgets = 50;
const defaultThreshold = 0.5;

/**
 * What a NodePool says about taking its nodes away. Nothing here keeps the pool from being used, so what is wrong is a
 * warning, and the log of the field gathers them; a malformed consolidateAfter is told with the pool's other durations.
 */
export function readPoolDisruption(pool: Field): PoolDisruption {
  const disruption = pool.at("spec").at("disruption");
  const annotations = pool.at("metadata").at("annotations");
  return {
    consolidateAfter: readConsolidateAfter(disruption.at("consolidateAfter").value),
    consolidationPolicy: disruption.at("consolidationPolicy").choice(policies) ?? "WhenEmptyOrUnderutilized",
    budgets: readBudgets(disruption.at("budgets")),
    balancedThreshold: readThreshold(annotations.at(balancedThresholdAnnotation)),
    isPaused: (annotations.at(pausedAnnotation).text() ?? "false") !== "false",
    softExpireAfter: readSoftExpireAfter(annotations.at(softExpireAfterAnnotation)),
  };
}

function readConsolidateAfter(value: unknown): number | undefined {
  if (value === undefined) return 0;
  return typeof value === "string" ? parseDuration(value) : undefined;
}

function readThreshold(field: Field): number {
  const text = field.text();
  if (text === undefined) return defaultThreshold;
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text);
  field.reject(`is ignored, and ${defaultThreshold} counts: it must be a number such as "0.5"`);
  return defaultThreshold;
}

function readSoftExpireAfter(field: Field): number | undefined {
  const text = field.text();
  if (text === undefined || text === "Never") return undefined;
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  field.reject('is ignored: it must be a duration such as "168h"');
  return undefined;
}

function readBudgets(field: Field): readonly NodeBudget[] {
  const { value } = field;
  if (value === undefined) return [{ ...unbounded, nodes: { kind: "percent", percent: 10 } }];
  if (Array.isArray(value) && value.length <= mostBudgets) return field.items().map(readBudget);
  const problem = `must be a list of at most ${mostBudgets} budgets`;
  field.note(`${problem}, so no node goes`);
  return [{ ...unbounded, nodes: none, problem: `budgets ${problem}` }];
}

const none = { kind: "count", count: 0 } as const;
const unbounded: NodeBudget = { nodes: none, window: undefined, reasons: undefined, problem: undefined };

function readBudget(field: Field): NodeBudget {
  if (!isRecord(field.value)) {
    field.note("must be an object, so no node goes");
    return { ...unbounded, problem: "it must be an object" };
  }
  const governed = readReasons(field.at("reasons").value);
  const nodes = readNodes(field.at("nodes").value ?? "10%");
  const window = readWindow(field.at("schedule").value, field.at("duration").value);
  const problems = [governed, nodes, window].filter((part) => typeof part === "string");
  const isReasons = typeof governed !== "string";
  if (problems.length > 0) {
    const kinds = isReasons && governed !== undefined ? `for ${[...governed].join(", ")}` : "at all";
    const problem = problems.join("; ");
    field.note(`allows no node to go ${kinds}, because ${problem}`);
  }
  return {
    nodes: typeof nodes === "string" ? none : nodes,
    window: typeof window === "string" ? undefined : window,
    reasons: isReasons ? governed : undefined,
    problem: problems.length === 0 ? undefined : problems.join("; "),
  };
}

/** These, or what is wrong. Nobody knows what a budget governs that names something else. */
function readReasons(value: unknown): ReadonlySet<DisruptionReason> | undefined | string {
  if (value === undefined || value === null) return undefined;
  const known = Array.isArray(value) ? reasons.filter((reason) => value.includes(reason)) : [];
  const isSound = Array.isArray(value) && value.every((name) => known.includes(name));
  return isSound ? new Set(known) : `reasons must be a list of ${reasons.join(", ")}`;
}

function readNodes(value: unknown): NodeBudget["nodes"] | string {
  const text = typeof value === "string" ? value : "";
  if (/^(?:100|\d{1,2})%$/.test(text)) return { kind: "percent", percent: Number.parseInt(text, 10) };
  if (/^\d{1,15}$/.test(text)) return { kind: "count", count: Number(text) };
  return `nodes must be a string such as "5" or "10%", found ${preview(value)}`;
}

function readWindow(schedule: unknown, duration: unknown): NodeBudget["window"] | string {
  if (schedule === undefined && duration === undefined) return undefined;
  if (duration === undefined) return "schedule must have a duration beside it";
  if (schedule === undefined) return "duration must have a schedule beside it";
  const isDuration = typeof duration === "string" && /^(?:\d+[hm]|\d+h\d+m)(?:0s)?$/.test(duration);
  const durationMilliseconds = isDuration ? parseDuration(duration) : undefined;
  if (durationMilliseconds === undefined) {
    return `duration must be in hours and minutes such as "8h" or "1h30m", found ${preview(duration)}`;
  }
  const parsed = typeof schedule === "string" ? parseCronSchedule(schedule) : { problem: "expected a string" };
  if ("problem" in parsed) return `schedule ${preview(schedule)} is not one: ${parsed.problem}`;
  return { schedule: parsed, durationMilliseconds };
}

function preview(value: unknown): string {
  return typeof value === "string" ? quote(value) : `a ${typeof value}`;
}
