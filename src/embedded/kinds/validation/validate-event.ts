import type { Event } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { required } from "../../../core/api/schema/refusals.ts";
import type { Draft, KubeObject } from "../../kube-object.ts";
import { invalid } from "../refusals.ts";
import { isSameValue, validateImmutable } from "./same-value.ts";
import { validateLabelKey } from "./validate-labels.ts";

/** Of an event of the core group, which may be in the old style or in the new one. */
export function validateEvent(draft: Draft): FieldError[] {
  return validateAnyEvent(draft as unknown as Event, "reportingComponent");
}

/** Of an event of the group that knows the new style only. */
export function validateNewEvent(draft: Draft): FieldError[] {
  const event = draft as unknown as Event;
  const { type = "", source, firstTimestamp, lastTimestamp, count } = event;
  const errors = [...validateAnyEvent(event, "reportingController"), ...validateSeries(event)];
  if (!event.eventTime) errors.push(required("eventTime"));
  if (type !== "Normal" && type !== "Warning") errors.push(invalid("type", "", `has invalid value: ${type}`));
  const leftovers = { firstTimestamp, lastTimestamp, count, source: source?.component || source?.host };
  const isSet = ([, value]: [string, unknown]): boolean => Boolean(value);
  const set = Object.entries(leftovers).filter(isSet);
  return [...errors, ...set.map(([field]) => invalid(field, "", "needs to be unset"))];
}

const fixedFields = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingController",
  "reportingInstance",
];

/** An event of the new group happens again, and is otherwise what it was. */
export function validateNewEventUpdate(draft: Draft, old: KubeObject): FieldError[] {
  const event = draft as unknown as Event;
  return [
    ...validateAnyEvent(event, "reportingController"),
    ...(isSameValue(draft.series, old.series) ? [] : validateSeries(event)),
    ...fixedFields.flatMap((field) => {
      const stored = field === "reportingController" ? "reportingComponent" : field;
      return validateImmutable(draft[stored], old[stored], field);
    }),
  ];
}

function validateSeries({ series }: Event): FieldError[] {
  if (!series) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalid("series.count", "", "should be at least 2")] : []),
    ...(series.lastObservedTime ? [] : [required("series.lastObservedTime")]),
  ];
}

/** Events in the new style, which say when they happened in `eventTime`, have to say more than the old ones. */
function validateAnyEvent(event: Event, reporterField: string): FieldError[] {
  const namespace = event.metadata?.namespace ?? "";
  const about = event.involvedObject?.namespace ?? "";
  const elsewhere = invalid("involvedObject.namespace", about, "does not match event.namespace");
  if (!event.eventTime) {
    const isElsewhere = about === "" ? namespace !== "default" : namespace !== about;
    return isElsewhere ? [elsewhere] : [];
  }
  const isElsewhere = about === "" && namespace !== "default" && namespace !== "kube-system";
  const errors = isElsewhere ? [elsewhere] : [];
  const reporter = event.reportingComponent ?? "";
  if (reporter === "") errors.push(required(reporterField));
  errors.push(...validateLabelKey(reporter, reporterField));
  for (const field of ["reportingInstance", "action", "reason"] as const) {
    const value = event[field] ?? "";
    if (value === "") errors.push(required(field));
    if (value.length > 128) errors.push(invalid(field, "", "can have at most 128 characters"));
  }
  if ((event.message ?? "").length > 1024) errors.push(invalid("message", "", "can have at most 1024 characters"));
  return errors;
}
