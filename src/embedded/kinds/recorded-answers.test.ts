import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { describeFieldError, type FieldError } from "../../core/api/field-error.ts";
import type { JsonObject } from "../../core/api/schema/json.ts";
import { ApiError } from "../api/api-error.ts";
import { decodeSent } from "../api/decode-object.ts";
import { mergePatch } from "../api/patch/merge-patch.ts";
import { validateMetadata } from "../api/validate-metadata.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import { type AdmissionLookup, admit } from "./admission.ts";
import { builtInResources } from "./built-in-resources.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { systemPriorities } from "./validation/validate-small.ts";

// What kube-apiserver 1.36 answered to creates, updates and requests for tables, a case on each line.

function readLines<T>(name: string): T[] {
  const text = readFileSync(new URL(name, import.meta.url), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

function definitionOf({ apiVersion, kind }: { apiVersion?: unknown; kind?: unknown }): ResourceDefinition {
  const found = builtInResources.find(
    ({ group, version, kind: name }) =>
      name === kind && (group === "" ? version : `${group}/${version}`) === apiVersion,
  );
  assert.ok(found, `${apiVersion} ${kind} is served`);
  return found;
}

const lookup: AdmissionLookup = {
  priorityClasses: () =>
    [...systemPriorities].map(([name, value]) => ({ metadata: { name }, value }) as unknown as KubeObject),
  runtimeClass: () => undefined,
  storageClasses: () => [],
  node: () => undefined,
  serviceAccount: (_, name) => (name === "default" ? ({ metadata: { name } } as unknown as KubeObject) : undefined),
};

function describeAll(errors: readonly FieldError[]): string {
  const messages = [...new Set(errors.map(describeFieldError))];
  return messages.length === 1 ? (messages[0] ?? "") : `[${messages.join(", ")}]`;
}

/** The refusal, or the object as it would be stored. */
function create(sent: JsonObject): { refused: string } | { stored: unknown } {
  const definition = definitionOf(sent);
  const draft = decodeSent(sent, definition, {});
  Object.assign(draft.metadata, { uid: "the-uid", creationTimestamp: "2026-01-01T00:00:00Z" });
  definition.setDefaults?.(draft);
  const refused = admit({ draft, group: definition.group, plural: definition.plural }, lookup);
  if (refused !== undefined) return { refused };
  definition.prepareCreate?.(draft);
  const errors = [...validateMetadata(draft.metadata, definition), ...(definition.validate?.(draft) ?? [])];
  if (errors.length > 0) return { refused: describeAll(errors) };
  const { uid: _uid, creationTimestamp: _time, ...metadata } = draft.metadata;
  return { stored: asJson({ ...draft, metadata }) };
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

interface RecordedCreate {
  readonly title: string;
  readonly sent: JsonObject;
  readonly refused?: string;
  readonly stored?: unknown;
}

for (const { title, sent, ...answer } of readLines<RecordedCreate>("recorded-answers.jsonl")) {
  test(`a create is answered as by kube-apiserver: ${title}`, () => {
    assert.deepEqual(create(sent), answer);
  });
}

interface RecordedUpdates {
  readonly old: KubeObject;
  readonly changes: readonly { readonly patch: JsonObject; readonly refused?: string; readonly stored?: JsonObject }[];
}

function update(old: KubeObject, sent: unknown): { refused: string } | { stored: unknown } {
  const definition = definitionOf(old);
  const draft = decodeSent(sent, definition, {});
  definition.setDefaults?.(draft);
  admit({ draft, old, group: definition.group, plural: definition.plural }, lookup);
  definition.prepareUpdate?.(draft, old);
  const errors = definition.validateUpdate?.(draft, old) ?? definition.validate?.(draft) ?? [];
  return errors.length > 0 ? { refused: describeAll(errors) } : { stored: withoutVersions(draft) };
}

/** Without what the API core puts into metadata, and without the status, which an update leaves alone. */
function withoutVersions({ metadata, status: _status, ...rest }: Draft): unknown {
  return asJson({ ...rest, metadata: { labels: metadata.labels, annotations: metadata.annotations } });
}

for (const { old, changes } of readLines<RecordedUpdates>("recorded-updates.jsonl")) {
  for (const { patch, refused, stored } of changes) {
    test(`an update is answered as by kube-apiserver: ${old.kind} ${JSON.stringify(patch)}`, () => {
      const sent = mergePatch(structuredClone(old), patch);
      const expected =
        refused === undefined ? { stored: withoutVersions((stored ?? sent) as unknown as Draft) } : { refused };
      assert.deepEqual(update(old, sent), expected);
    });
  }
}

interface RecordedRow {
  readonly now: string;
  readonly object: KubeObject;
  readonly cells: readonly unknown[];
}

for (const { now, object, cells } of readLines<RecordedRow>("recorded-rows.jsonl")) {
  test(`a row of a table has the cells of kube-apiserver: ${object.kind} ${object.metadata.name}`, () => {
    const found = definitionOf(object).columns.map(({ cell }) => cell(object, Date.parse(now)));
    assert.deepEqual(found, cells);
  });
}

test("every answer to what somebody sent is a value, or an error for the sender", () => {
  for (const { sent } of readLines<RecordedCreate>("recorded-answers.jsonl")) {
    for (const broken of breakEverywhere(sent)) {
      try {
        const answer = create(broken);
        if ("stored" in answer) show(answer.stored as KubeObject);
      } catch (error) {
        assert.ok(
          error instanceof ApiError,
          `${error instanceof Error ? error.stack : error}\n${JSON.stringify(broken)}`,
        );
      }
    }
  }
});

/** Whatever is stored can be listed and selected. */
function show(stored: KubeObject): void {
  const { columns, selectableFields } = definitionOf(stored);
  for (const { cell } of columns) cell(stored, 0);
  selectableFields?.(stored);
}

const oddValues = [null, "", 0, -1, [], {}, "\u0000", "9".repeat(400), [{}], { "": "" }, Number.MAX_SAFE_INTEGER];

/** The object with one place of it replaced by something odd, for every place but its type and name. */
function* breakEverywhere(value: JsonObject): Generator<JsonObject> {
  let turn = 0;
  for (const path of pathsOf(value, [])) {
    if (path[0] === "apiVersion" || path[0] === "kind" || path[0] === "metadata") continue;
    for (let count = 0; count < 3; count++) yield replaceAt(value, path, oddValues[turn++ % oddValues.length]);
  }
}

function* pathsOf(value: unknown, path: readonly string[]): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) yield* pathsOf(child, [...path, key]);
}

function replaceAt(value: JsonObject, path: readonly string[], replacement: unknown): JsonObject {
  const copy = structuredClone(value);
  let place = copy;
  for (const key of path.slice(0, -1)) place = place[key] as JsonObject;
  place[path.at(-1) ?? ""] = replacement;
  return copy;
}
