import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findDefaultClass, type StorageClass } from "./volumes.ts";

function storageClass(name: string, fields: Partial<StorageClass> = {}): StorageClass {
  return {
    name,
    driver: "disks.example.com",
    bindsImmediately: false,
    allowedTopologies: [],
    isDefault: true,
    createdAt: 0,
    ...fields,
  };
}

describe("findDefaultClass", () => {
  it("finds the newest class that is marked, of several of one age the first by name", () => {
    const classes = [
      storageClass("old", { createdAt: 1 }),
      storageClass("unmarked", { createdAt: 9, isDefault: false }),
      storageClass("b", { createdAt: 5 }),
      storageClass("a", { createdAt: 5 }),
    ];
    assert.equal(findDefaultClass(classes)?.name, "a");
  });

  it("finds none where none is marked", () => {
    assert.equal(findDefaultClass([storageClass("unmarked", { isDefault: false })]), undefined);
  });
});
