// Takes out of a transcript what no two runs share, and keeps what it meant: that two versions or uids are the same,
// and which version is newer.
import type { Step, Transcript } from "./transcript.ts";

interface Options {
  readonly keepsManagedFields: boolean;
  readonly sortsCauses: boolean;
}

type JsonObject = Record<string, unknown>;

const hashLabels = ["pod-template-hash", "controller-revision-hash"];
const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;
/** Beyond this, only the length is kept. */
const longText = 20_000;
const age = /^(<invalid>|(\d+[smhdy])+)$/;

export function normalize(steps: readonly Step[], options: Options): Transcript {
  const sorted = steps.map((step) => sortKeys(step) as Step);
  const names = collectNames(sorted);
  const versions = collectVersions(sorted);
  const mask = (text: string) => maskText(text, names);

  const visit = (value: unknown, key: string): unknown => {
    if (typeof value === "string")
      return options.sortsCauses ? mask(value).replace(/(is invalid): \[.*\]$/, "$1") : mask(value);
    if (Array.isArray(value)) return value.map((item) => visit(item, key));
    if (!isObject(value)) return key === "nodePort" || key === "healthCheckNodePort" ? "<port>" : value;
    const result: JsonObject = {};
    for (const [name, item] of Object.entries(value)) {
      if (name === "managedFields" && !options.keepsManagedFields) continue;
      // How often the server repeats a complaint, and the words of its documentation, mean nothing.
      if (name === "causes" && Array.isArray(item) && !options.sortsCauses) {
        result[name] = withoutRepetition(item.map((cause) => visit(cause, name)));
        continue;
      }
      if (name === "columnDefinitions" && Array.isArray(item)) {
        result[name] = item.map(({ description: _, ...column }) => column);
        continue;
      }
      // Owners are in the order of the seconds in which they wrote.
      if (name === "managedFields" || (name === "causes" && options.sortsCauses)) {
        result[name] = withoutRepetition(sortByText(visit(item, name)));
        continue;
      }
      if (name === "metadata" && isObject(item)) result[name] = visitMeta(item, isCollection(value));
      else result[mask(name)] = name === "cells" && Array.isArray(item) ? item.map(visitCell) : visit(item, name);
    }
    return result;
  };
  const visitMeta = (meta: JsonObject, isOfMany: boolean): JsonObject => {
    const result = visit(meta, "metadata") as JsonObject;
    const version = meta.resourceVersion;
    if (typeof version === "string" && version !== "") {
      result.resourceVersion = isOfMany ? `≥${versions.atOrBefore(version)}` : versions.nameOf(version);
    }
    if (meta.continue === "") delete result.continue;
    else if (typeof meta.continue === "string") result.continue = "<continue>";
    return result;
  };
  const visitCell = (cell: unknown) => (typeof cell === "string" && age.test(cell) ? "<age>" : visit(cell, "cell"));

  return sorted.map((step) => {
    const call = mask(step.call)
      .replace(/\b(resourceVersion)=(\d+)/g, (_, name, version) => `${name}=${versions.inCall(version)}`)
      .replace(/\bcontinue=[^&]{24,}/, "continue=<continue>");
    const headers = visit(dropUsual(step.headers ?? {}), "headers") as JsonObject;
    const result: JsonObject = { call, status: step.status };
    if (Object.keys(headers).length > 0) result.headers = headers;
    if (step.body !== undefined) result.body = visit(step.body, "body");
    if (step.events !== undefined) result.events = step.events.map((event) => visitEvent(event, visit));
    if (step.hasEnded === true) result.hasEnded = true;
    return result as unknown as Step;
  });
}

function sortByText(list: unknown): unknown {
  const byText = (left: unknown, right: unknown) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1);
  return Array.isArray(list) ? list.toSorted(byText) : list;
}

function withoutRepetition(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  const texts = list.map((item) => JSON.stringify(item));
  return list.filter((_, index) => texts.indexOf(texts[index] ?? "") === index);
}

function dropUsual({ "content-type": contentType, ...others }: JsonObject): JsonObject {
  return contentType === "application/json" ? others : { "content-type": contentType, ...others };
}

/** A bookmark carries a version of the whole collection, though it looks like an object. */
function visitEvent(event: unknown, visit: (value: unknown, key: string) => unknown): unknown {
  if (!isObject(event) || event.type !== "BOOKMARK" || !isObject(event.object)) return visit(event, "event");
  const marked = visit({ ...event.object, items: [] }, "object") as JsonObject;
  const { items: _, ...object } = marked;
  return { type: "BOOKMARK", object };
}

function isCollection(value: JsonObject): boolean {
  return Array.isArray(value.items) || value.kind === "Table" || String(value.kind).endsWith("List");
}

interface Versions {
  nameOf(version: string): string;
  atOrBefore(version: string): string;
  inCall(version: string): string;
}

function collectVersions(steps: readonly Step[]): Versions {
  const found = new Set<string>();
  const ofLists = new Set<string>();
  const bookmarks = new Set<unknown>();
  walk(steps, (value) => {
    const meta = value.metadata;
    if (value.type === "BOOKMARK") bookmarks.add(value.object);
    if (bookmarks.has(value) || !isObject(meta)) return;
    const version = meta.resourceVersion;
    if (typeof version === "string" && /^\d+$/.test(version)) (isCollection(value) ? ofLists : found).add(version);
  });
  const ordered = [...found].sort((left, right) => Number(left) - Number(right));
  const nameOf = (version: string) => (found.has(version) ? `rv${ordered.indexOf(version) + 1}` : version);
  const atOrBefore = (version: string) => `rv${ordered.filter((other) => Number(other) <= Number(version)).length}`;
  return {
    nameOf,
    atOrBefore,
    inCall: (version) => (ofLists.has(version) && !found.has(version) ? `≥${atOrBefore(version)}` : nameOf(version)),
  };
}

/** What the server made up (uids, generated names, hashes), each with the name that it gets here, longest first. */
function collectNames(steps: readonly Step[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const add = (text: string, kind: string) => {
    if (names.has(text)) return;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    names.set(text, `${kind}${count}`);
  };
  walk(steps, (value) => {
    for (const item of Object.values(value)) {
      if (typeof item === "string") for (const [match] of item.matchAll(uuid)) add(match, "uid");
    }
    const { generateName, name } = value;
    if (typeof generateName === "string" && typeof name === "string" && isGenerated(name, generateName))
      add(name, `${generateName}~`);
    for (const label of hashLabels) if (typeof value[label] === "string") add(value[label], "hash");
  });
  return new Map([...names].sort(([left], [right]) => right.length - left.length));
}

/** Five characters are added, for which a long beginning is cut. */
function isGenerated(name: string, generateName: string): boolean {
  const start = generateName.slice(0, 58);
  return name.startsWith(start) && name.length === start.length + 5;
}

function maskText(text: string, names: ReadonlyMap<string, string>): string {
  if (text.length > longText) return `<${text.length} characters>`;
  let masked = text;
  for (const [found, name] of names) masked = masked.replaceAll(found, name);
  return masked
    .replace(time, (_, fraction) => (fraction === undefined ? "<time>" : "<microtime>"))
    .replace(/(^|patch: )Invalid value: "\{(?:[^"\\]|\\.)*"/g, '$1Invalid value: "<document>"')
    .replace(/(pod updates may not change fields other than [^\n]*)\n.*/s, "$1\n<changes>")
    .replace(/\b10\.0\.\d+\.\d+\b/g, "<ip>")
    .replace(/\b127\.0\.0\.1:\d+\b/g, "<server>")
    .replace(/(too old resource version: \d+) \(\d+\)/i, "$1 (<version>)")
    .replace(/(resource version: \d+, current:) \d+/i, "$1 <version>")
    .replace(/(resourceVersion:) "\d+"/, "$1 <version>")
    .replace(/(ResourceVersion in record) \(\d+\)/, "$1 (<version>)");
}

/** Visits every object, outer before inner. */
function walk(value: unknown, visit: (value: JsonObject) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  if (!isObject(value)) return;
  visit(value);
  for (const item of Object.values(value)) walk(item, visit);
}

/** Order of keys means nothing in JSON, and must mean nothing for the order in which things get their names. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(
    entries.sort(([left], [right]) => (left < right ? -1 : 1)).map(([key, item]) => [key, sortKeys(item)]),
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
