import assert from "node:assert/strict";
import { test } from "node:test";
import { startOfSecondWave } from "./second-wave.ts";

const lastPodCreatedAt = 25;
const firstNodeReadyAt = 41;
const startOf = (claimsCreatedAt: readonly number[], changes = {}) =>
  startOfSecondWave({ claimsCreatedAt, lastPodCreatedAt, firstNodeReadyAt, ...changes });

test("claims without a pause between them are one wave", () => {
  assert.equal(startOf([]), undefined);
  assert.equal(startOf([24, 26, 28.9, 31, 33]), undefined);
});

test("claims for pods that are still being created are one wave", () => {
  assert.equal(startOf([1, 10, 20, 24.9]), undefined);
});

test("a claim after a pause is a second wave when all pods exist", () => {
  assert.equal(startOf([30, 1, 2, 31]), 30);
});

test("a claim after a pause is a second wave when a node is Ready, although pods are still being created", () => {
  assert.equal(startOf([1, 10, 20], { firstNodeReadyAt: 2 }), 10);
});

test("without a Ready node, the creation of the pods decides", () => {
  assert.equal(startOf([1, 10, 28], { firstNodeReadyAt: Number.POSITIVE_INFINITY }), 28);
});
