import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RequirementEntry } from "../../../core/model/requirement-entries.ts";
import { makeRequirement } from "../../../core/model/requirements.ts";
import { mapImages } from "./map-images.ts";

const gpuCount = "karpenter.k8s.aws/instance-gpu-count";
const arch = "kubernetes.io/arch";

function image(id: string, ...requirements: readonly (readonly [string, RequirementEntry["operator"], ...string[]])[]) {
  const entries = requirements.map(([key, operator, ...values]) => ({ key, operator, values, minValues: undefined }));
  return { id, name: undefined, deprecated: false, requirements: entries };
}

function type(name: string, architecture: string, gpus?: string) {
  return {
    name,
    requirements: new Map([
      [arch, makeRequirement("In", [architecture])],
      [gpuCount, gpus === undefined ? makeRequirement("DoesNotExist", []) : makeRequirement("In", [gpus])],
    ]),
  };
}

const types = [type("m5.large", "amd64"), type("m6g.large", "arm64"), type("g5.xlarge", "amd64", "1")];

function map(images: Parameters<typeof mapImages>[1]) {
  return [...mapImages(types, images)].map(([id, mapped]) => [id, mapped.map(({ name }) => name)]);
}

describe("mapImages", () => {
  it("gives each type the first image that suits it", () => {
    assert.deepEqual(
      map([
        image("ami-newest", [arch, "In", "amd64"], [gpuCount, "DoesNotExist"]),
        image("ami-older", [arch, "In", "amd64"], [gpuCount, "DoesNotExist"]),
        image("ami-gpu", [arch, "In", "amd64"], [gpuCount, "Exists"]),
        image("ami-arm", [arch, "In", "arm64"]),
      ]),
      [
        ["ami-newest", ["m5.large"]],
        ["ami-arm", ["m6g.large"]],
        ["ami-gpu", ["g5.xlarge"]],
      ],
    );
  });

  it("leaves out types that no image suits, and images that no type takes", () => {
    assert.deepEqual(map([image("ami-1", [arch, "In", "riscv"]), image("ami-2", [arch, "In", "arm64"])]), [
      ["ami-2", ["m6g.large"]],
    ]);
    assert.deepEqual(map([]), []);
  });

  it("knows an image under two sets of requirements", () => {
    assert.deepEqual(
      map([image("ami-1", [gpuCount, "Exists"]), image("ami-1", [arch, "In", "amd64"], [gpuCount, "DoesNotExist"])]),
      [["ami-1", ["m5.large", "g5.xlarge"]]],
    );
  });

  it("gives a type that does not promise a label no image that asks for it", () => {
    assert.deepEqual(map([image("ami-1", ["example.com/disk", "In", "fast"])]), []);
  });
});
