import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { aliasParameters } from "./alias-parameters.ts";
import { parseAlias, unsupportedAliasProblem } from "./image-alias.ts";

const nodeClassWith = (alias: string) =>
  ({ spec: { amiSelectorTerms: [{ alias, tags: new Map() }] } }) as unknown as Parameters<
    typeof unsupportedAliasProblem
  >[0];

const pathsOf = (text: string, kubernetes: string): string[] => {
  const alias = parseAlias(text);
  return alias === undefined ? [] : aliasParameters(alias, kubernetes).map(({ path }) => path);
};

describe("image aliases", () => {
  it("are a family and a version", () => {
    assert.deepEqual(parseAlias("al2023@v20260101"), {
      text: "al2023@v20260101",
      family: "AL2023",
      version: "v20260101",
    });
  });

  it("are nothing that could lead to another path", () => {
    const hostile = ["al2023", "al2023@", "al2023@../../x", "al2023@a/b", "al2023@a@b", "AL2023@latest", "x@latest"];
    assert.deepEqual(
      hostile.map(parseAlias),
      hostile.map(() => undefined),
    );
  });

  it("tell which versions of Kubernetes they are not for", () => {
    const isUnsupported = (alias: string, version: string): boolean =>
      unsupportedAliasProblem(nodeClassWith(alias), version) !== undefined;
    assert.deepEqual(
      [
        isUnsupported("al2@latest", "1.32"),
        isUnsupported("al2@latest", "1.33"),
        isUnsupported("windows2025@latest", "1.34"),
        isUnsupported("windows2025@latest", "1.35"),
        isUnsupported("al2023@latest", "1.36"),
      ],
      [false, true, true, false, false],
    );
  });

  it("ask for the recommended image, or for one by its name", () => {
    assert.deepEqual(pathsOf("al2@latest", "1.32"), [
      "/aws/service/eks/optimized-ami/1.32/amazon-linux-2/recommended/image_id",
      "/aws/service/eks/optimized-ami/1.32/amazon-linux-2-arm64/recommended/image_id",
      "/aws/service/eks/optimized-ami/1.32/amazon-linux-2-gpu/recommended/image_id",
    ]);
    assert.deepEqual(pathsOf("al2@v20250101", "1.32"), [
      "/aws/service/eks/optimized-ami/1.32/amazon-linux-2/amazon-eks-node-1.32-v20250101/image_id",
      "/aws/service/eks/optimized-ami/1.32/amazon-linux-2-arm64/amazon-eks-arm64-node-1.32-v20250101/image_id",
      "/aws/service/eks/optimized-ami/1.32/amazon-linux-2-gpu/amazon-eks-gpu-node-1.32-v20250101/image_id",
    ]);
    assert.deepEqual(pathsOf("al2023@v20260101", "1.34"), [
      "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/amazon-eks-node-al2023-x86_64-standard-1.34-v20260101/image_id",
      "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/nvidia/amazon-eks-node-al2023-x86_64-nvidia-1.34-v20260101/image_id",
      "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/neuron/amazon-eks-node-al2023-x86_64-neuron-1.34-v20260101/image_id",
      "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/arm64/standard/amazon-eks-node-al2023-arm64-standard-1.34-v20260101/image_id",
      "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/arm64/nvidia/amazon-eks-node-al2023-arm64-nvidia-1.34-v20260101/image_id",
    ]);
    assert.deepEqual(pathsOf("bottlerocket@v1.46.0", "1.34"), [
      "/aws/service/bottlerocket/aws-k8s-1.34/x86_64/1.46.0/image_id",
      "/aws/service/bottlerocket/aws-k8s-1.34/arm64/1.46.0/image_id",
      "/aws/service/bottlerocket/aws-k8s-1.34-nvidia/x86_64/1.46.0/image_id",
      "/aws/service/bottlerocket/aws-k8s-1.34-nvidia/arm64/1.46.0/image_id",
    ]);
    assert.deepEqual(pathsOf("windows2022@latest", "1.34"), [
      "/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.34/image_id",
    ]);
  });
});
