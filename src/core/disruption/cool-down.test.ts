import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { moveFailedAtAnnotation } from "../model/move-annotations.ts";
import { isFreshReplacement, restsUntil } from "./cool-down.ts";

const at = Date.parse("2026-01-01T00:00:00Z");
const minute = 60_000;

describe("a node whose move failed", () => {
  const claim = (value: string) => ({ annotations: new Map([[moveFailedAtAnnotation, value]]) });

  it("is left alone for ten minutes", () => {
    assert.equal(restsUntil(claim("2026-01-01T00:00:00Z"), at + 9 * minute), at + 10 * minute);
    assert.equal(restsUntil(claim("2026-01-01T00:00:00Z"), at + 10 * minute), undefined);
  });

  it("is left alone no longer because of a time that makes no sense", () => {
    assert.equal(restsUntil(claim("soon"), at), undefined);
    assert.equal(restsUntil(claim("2036-01-01T00:00:00Z"), at), undefined);
    assert.equal(restsUntil({ annotations: new Map() }, at), undefined);
  });
});

it("a replacement is fresh for ten minutes, and no other node is", () => {
  const annotations = new Map([["karpenter.sh/is-replacement", "true"]]);
  assert.equal(isFreshReplacement({ annotations, createdAt: at }, at + 9 * minute), true);
  assert.equal(isFreshReplacement({ annotations, createdAt: at }, at + 10 * minute), false);
  assert.equal(isFreshReplacement({ annotations: new Map(), createdAt: at }, at), false);
});
