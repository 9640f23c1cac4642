import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "../kube-object.ts";
import { printerColumns } from "./printer-columns.ts";

const now = Date.parse("2024-01-02T00:00:00Z");

const object: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "it", uid: "u", resourceVersion: "1", creationTimestamp: "2024-01-01T23:55:00Z" },
  spec: { text: "abc", size: 4, ratio: 1.5, flag: false, tags: ["a<b", "c"], inner: { a: 1 }, nothing: null },
  status: {
    conditions: [
      { type: "Other", status: "False" },
      { type: "Ready", status: "True" },
    ],
  },
};

function cell(type: string, jsonPath: string): unknown {
  return printerColumns([{ name: "Column", type, jsonPath }])[1]?.cell(object, now);
}

describe("A printer column", () => {
  // As kube-apiserver 1.36.3 shows them in a Table.
  const cells: readonly (readonly [type: string, path: string, cell: unknown])[] = [
    ["string", ".spec.text", "abc"],
    ["string", ".spec.size", "4"],
    ["string", ".spec.ratio", "1.5"],
    ["string", ".spec.flag", "false"],
    ["string", ".spec.tags", '["a\\u003cb","c"]'],
    ["string", ".spec.tags[0]", "a<b"],
    ["string", ".spec.tags[-1]", "c"],
    ["string", ".spec['text']", "abc"],
    ["string", ".spec.inner", '{"a":1}'],
    ["string", ".spec.nothing", "<no value>"],
    ["string", ".spec.missing", null],
    ["string", ".spec.constructor", null],
    ["string", '.status.conditions[?(@.type=="Ready")].status', "True"],
    ["string", '.status.conditions[?(@.type=="None")].status', null],
    ["integer", ".spec.size", 4],
    ["integer", ".spec.text", null],
    ["number", ".spec.ratio", 1.5],
    ["boolean", ".spec.flag", false],
    ["date", ".metadata.creationTimestamp", "5m"],
    ["date", ".spec.text", "<invalid>"],
  ];
  for (const [type, path, expected] of cells) {
    it(`of type ${type} shows ${path} as ${JSON.stringify(expected)}`, () => {
      assert.equal(cell(type, path), expected);
    });
  }

  it("shows name and age where a definition names none", () => {
    const columns = printerColumns(undefined);
    assert.deepEqual(
      columns.map((column) => [column.name, column.type, column.format, column.cell(object, now)]),
      [
        ["Name", "string", "name", "it"],
        ["Age", "date", "", "5m"],
      ],
    );
  });

  it("is left out, as all others, where a path cannot be read", () => {
    const columns = printerColumns([
      { name: "Good", type: "string", jsonPath: ".spec.text" },
      { name: "Bad", type: "string", jsonPath: ".spec[" },
    ]);
    assert.deepEqual(
      columns.map(({ name }) => name),
      ["Name"],
    );
  });
});
