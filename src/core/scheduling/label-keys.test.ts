import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRequirement, type NodeTerm } from "../model/requirements.ts";
import { type LabelKeys, labelKeysOf, meaningOf } from "./label-keys.ts";

const key = "example.com/size";

function reading(...terms: readonly NodeTerm[]): LabelKeys {
  return labelKeysOf([], terms);
}

function partsOf(values: readonly string[], labelKeys: LabelKeys): string[][] {
  return [...Map.groupBy(values, (value) => meaningOf(value, key, labelKeys)).values()];
}

test("values that no requirement names mean the same", () => {
  const labelKeys = reading(
    new Map([[key, makeRequirement("In", ["a", "b"])]]),
    new Map([[key, makeRequirement("NotIn", ["c"])]]),
  );
  assert.deepEqual(partsOf(["a", "b", "c", "d", "e"], labelKeys), [["a"], ["b"], ["c"], ["d", "e"]]);
});

test("a bound separates the integers on its two sides from each other and from what is no integer", () => {
  const labelKeys = reading(
    new Map([[key, makeRequirement("Gt", ["4"])]]),
    new Map([[key, makeRequirement("Lt", ["40"])]]),
  );
  assert.deepEqual(partsOf(["1", "2", "15", "16", "100", "200", "large"], labelKeys), [
    ["1", "2"],
    ["15", "16"],
    ["100", "200"],
    ["large"],
  ]);
});

test("an integer at a bound that is spelled otherwise is on the side of the bound", () => {
  const labelKeys = reading(new Map([[key, makeRequirement("Gte", ["5"])]]));
  assert.deepEqual(partsOf(["+5", "0", "+9"], labelKeys), [["+5"], ["0"], ["+9"]]);
});

test("all values of a label that pods are spread over differ", () => {
  const labelKeys: LabelKeys = { ...reading(), topologyKeys: new Set([key]) };
  assert.deepEqual(partsOf(["a", "b"], labelKeys), [["a"], ["b"]]);
});
