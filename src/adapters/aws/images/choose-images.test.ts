import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Image } from "@aws-sdk/client-ec2";
import { chooseImages } from "./choose-images.ts";

const now = Date.parse("2026-06-01T00:00:00Z");

function image(id: string, more: Partial<Image> = {}): Image {
  return {
    ImageId: id,
    Name: `name of ${id}`,
    Architecture: "x86_64",
    CreationDate: "2026-01-01T00:00:00.000Z",
    ...more,
  };
}

const idsOf = (images: readonly Image[]): string[] => chooseImages(images, new Map(), now).map(({ id }) => id);

describe("the image for each kind of machine", () => {
  it("is one that is not deprecated, then the newest, then the last by name", () => {
    const old = image("ami-a", { CreationDate: "2025-01-01T00:00:00.000Z" });
    const withdrawn = image("ami-b", {
      CreationDate: "2026-02-01T00:00:00.000Z",
      DeprecationTime: "2026-06-01T00:00:00.000Z",
    });
    assert.deepEqual(idsOf([withdrawn, old]), ["ami-a"]);
    assert.deepEqual(idsOf([old, image("ami-c")]), ["ami-c"]);
    assert.deepEqual(idsOf([image("ami-d"), image("ami-e")]), ["ami-e"]);
  });

  it("is deprecated when there is no other", () => {
    const withdrawn = image("ami-b", { DeprecationTime: "2026-05-01T00:00:00.000Z" });
    assert.deepEqual(chooseImages([withdrawn], new Map(), now), [
      {
        id: "ami-b",
        name: "name of ami-b",
        deprecated: true,
        requirements: [{ key: "kubernetes.io/arch", operator: "In", values: ["amd64"], minValues: undefined }],
      },
    ]);
  });

  it("is listed once for each set of requirements, the newest image first", () => {
    const gpu = {
      key: "karpenter.k8s.aws/instance-gpu-count",
      operator: "Exists",
      values: [],
      minValues: undefined,
    } as const;
    const tpu = { key: "a", operator: "Exists", values: [], minValues: undefined } as const;
    const arm = { key: "kubernetes.io/arch", operator: "In", values: ["arm64"], minValues: undefined } as const;
    const amd = { ...arm, values: ["amd64"] };
    const known = new Map([["ami-1", [[gpu], [tpu]]]]);
    const images = [
      image("ami-1"),
      image("ami-2", { Architecture: "arm64", CreationDate: "2026-03-01T00:00:00.000Z" }),
    ];
    assert.deepEqual(
      chooseImages(images, known, now).map(({ id, requirements }) => ({ id, requirements })),
      [
        { id: "ami-2", requirements: [arm] },
        { id: "ami-1", requirements: [tpu, amd] },
        { id: "ami-1", requirements: [amd, gpu] },
      ],
    );
  });

  it("is none of an architecture that nobody knows, and no date or a wrong one is the oldest", () => {
    const odd = image("ami-1", { CreationDate: "yesterday" });
    const riscv = image("ami-2", { Architecture: "riscv" as "x86_64" });
    assert.deepEqual(idsOf([odd, riscv, image("ami-3")]), ["ami-3"]);
  });
});
