import type { Event } from "kubernetes-types/core/v1.js";
import type { Draft, KubeObject } from "../kube-object.ts";
import { cellOf, nameColumn, textColumn, wideColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import { ageOf } from "./human-duration.ts";
import type { Column, ResourceDefinition } from "./resource-definition.ts";
import { validateEvent, validateNewEvent, validateNewEventUpdate } from "./validation/validate-event.ts";

const columns: readonly Column[] = [
  textColumn("Last Seen", "Time since it last happened.", cellOf(lastSeen)),
  textColumn(
    "Type",
    "Normal or Warning.",
    cellOf(({ type }: Event) => type ?? ""),
  ),
  textColumn(
    "Reason",
    "Why, in a word.",
    cellOf(({ reason }: Event) => reason ?? ""),
  ),
  textColumn("Object", "What it is about.", cellOf(objectOf)),
  wideColumn(
    "Subobject",
    "The part that it is about.",
    cellOf(({ involvedObject }: Event) => involvedObject?.fieldPath ?? ""),
  ),
  wideColumn("Source", "Who says so.", cellOf(sourceOf)),
  textColumn(
    "Message",
    "What happened.",
    cellOf(({ message }: Event) => (message ?? "").trim()),
  ),
  wideColumn("First Seen", "Time since it first happened.", cellOf(firstSeen)),
  wideColumn(
    "Count",
    "How often it happened.",
    cellOf(({ series, count }: Event) => (series ? (series.count ?? 0) : count || 1)),
  ),
  { ...nameColumn, priority: 1 },
];

export const eventResource: ResourceDefinition = defineResource({
  group: "",
  kind: "Event",
  plural: "events",
  shortNames: ["ev"],
  canCreateByUpdate: true,
  setDefaults,
  validate: validateEvent,
  columns,
  selectableFields,
});

/** Times that nobody set are on the wire as null, and the reporter as nothing. */
function setDefaults(draft: Draft): void {
  for (const field of ["firstTimestamp", "lastTimestamp", "eventTime"]) draft[field] ??= null;
  for (const field of ["reportingComponent", "reportingInstance"]) draft[field] ??= "";
  draft.involvedObject ??= {};
  draft.source ??= {};
}

function firstSeen({ firstTimestamp, eventTime }: Event, now: number): string {
  return ageOf(firstTimestamp ?? eventTime, now);
}

function lastSeen(event: Event, now: number): string {
  if (event.series) return ageOf(event.series.lastObservedTime, now);
  return event.lastTimestamp ? ageOf(event.lastTimestamp, now) : firstSeen(event, now);
}

function objectOf({ involvedObject }: Event): string {
  const kind = (involvedObject?.kind ?? "").toLowerCase();
  return involvedObject?.name ? `${kind}/${involvedObject.name}` : kind;
}

function sourceOf({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent || "";
  const instance = source?.host || reportingInstance || "";
  return instance === "" ? component : `${component}, ${instance}`;
}

function selectableFields(object: KubeObject): Record<string, string> {
  const event = object as unknown as Event;
  const about = event.involvedObject ?? {};
  return {
    "involvedObject.kind": about.kind ?? "",
    "involvedObject.namespace": about.namespace ?? "",
    "involvedObject.name": about.name ?? "",
    "involvedObject.uid": about.uid ?? "",
    "involvedObject.apiVersion": about.apiVersion ?? "",
    "involvedObject.resourceVersion": about.resourceVersion ?? "",
    "involvedObject.fieldPath": about.fieldPath ?? "",
    reason: event.reason ?? "",
    reportingComponent: event.reportingComponent ?? "",
    source: event.source?.component || event.reportingComponent || "",
    type: event.type ?? "",
  };
}

/**
 * The same objects as v1 events, which is how they are stored. What has another name there: `note` is `message`,
 * `regarding` is `involvedObject`, `reportingController` is `reportingComponent`, and each `deprecated…` field is the
 * one without that word.
 */
export const newEventResource: ResourceDefinition = defineResource({
  group: "events.k8s.io",
  kind: "Event",
  plural: "events",
  shortNames: ["ev"],
  canCreateByUpdate: true,
  setDefaults,
  validate: validateNewEvent,
  validateUpdate: validateNewEventUpdate,
  storedAs: {
    group: "",
    version: "v1",
    fields: {
      note: "message",
      regarding: "involvedObject",
      reportingController: "reportingComponent",
      deprecatedSource: "source",
      deprecatedFirstTimestamp: "firstTimestamp",
      deprecatedLastTimestamp: "lastTimestamp",
      deprecatedCount: "count",
    },
  },
  columns,
  selectableFields: (object) =>
    Object.fromEntries(
      Object.entries(selectableFields(object)).map(([field, value]) => [
        field.replace(/^involvedObject\./, "regarding.").replace("reportingComponent", "reportingController"),
        value,
      ]),
    ),
});
