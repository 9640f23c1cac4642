import { osLabel, windowsBuildLabel } from "../../../core/model/labels.ts";
import type { RequirementEntry } from "../../../core/model/requirement-entries.ts";
import { instanceAcceleratorCountLabel, instanceGpuCountLabel } from "../names.ts";
import type { ImageAlias } from "./image-alias.ts";

/** Where SSM tells the id of an image, and which machines the image is for: one set of requirements or another. */
export interface AliasParameter {
  readonly path: string;
  readonly requirementSets: readonly (readonly RequirementEntry[])[];
}

const lacks = (key: string): RequirementEntry => ({ key, operator: "DoesNotExist", values: [], minValues: undefined });
const has = (key: string): RequirementEntry => ({ key, operator: "Exists", values: [], minValues: undefined });
const is = (key: string, value: string): RequirementEntry => ({
  key,
  operator: "In",
  values: [value],
  minValues: undefined,
});

const standard = [lacks(instanceAcceleratorCountLabel), lacks(instanceGpuCountLabel)];
const nvidia = [has(instanceGpuCountLabel)];
const neuron = [has(instanceAcceleratorCountLabel)];

/** Whether SSM may tell another id tomorrow. */
export function isMoving({ family, version }: ImageAlias): boolean {
  return version === "latest" || family.startsWith("Windows");
}

/** What to ask SSM for; `kubernetes` as in "1.36". */
export function aliasParameters(alias: ImageAlias, kubernetes: string): readonly AliasParameter[] {
  switch (alias.family) {
    case "AL2":
      return al2Parameters(alias.version, kubernetes);
    case "AL2023":
      return al2023Parameters(alias.version, kubernetes);
    case "Bottlerocket":
      return bottlerocketParameters(alias.version, kubernetes);
    case "Windows2019":
      return windowsParameters("2019", "10.0.17763", kubernetes);
    case "Windows2022":
      return windowsParameters("2022", "10.0.20348", kubernetes);
    case "Windows2025":
      return windowsParameters("2025", "10.0.26100", kubernetes);
  }
}

function al2Parameters(version: string, kubernetes: string): AliasParameter[] {
  const parameter = (suffix: string, name: string, requirementSets: AliasParameter["requirementSets"]) => ({
    path: `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2${suffix}/${
      version === "latest" ? "recommended" : `amazon-eks-${name}-${kubernetes}-${version}`
    }/image_id`,
    requirementSets,
  });
  return [
    parameter("", "node", [standard]),
    parameter("-arm64", "arm64-node", [standard]),
    parameter("-gpu", "gpu-node", [neuron, nvidia]),
  ];
}

function al2023Parameters(version: string, kubernetes: string): AliasParameter[] {
  const parameter = (arch: string, variant: string, requirements: readonly RequirementEntry[]) => ({
    path: `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2023/${arch}/${variant}/${
      version === "latest" ? "recommended" : `amazon-eks-node-al2023-${arch}-${variant}-${kubernetes}-${version}`
    }/image_id`,
    requirementSets: [requirements],
  });
  return [
    parameter("x86_64", "standard", standard),
    parameter("x86_64", "nvidia", nvidia),
    parameter("x86_64", "neuron", neuron),
    parameter("arm64", "standard", standard),
    parameter("arm64", "nvidia", nvidia),
  ];
}

function bottlerocketParameters(version: string, kubernetes: string): AliasParameter[] {
  // Releases are called v1.46.0, the paths say 1.46.0.
  const release = version.replace(/^v+/, "");
  const parameter = (variant: string, arch: string, requirementSets: AliasParameter["requirementSets"]) => ({
    path: `/aws/service/bottlerocket/aws-k8s-${kubernetes}${variant}/${arch}/${release}/image_id`,
    requirementSets,
  });
  return [
    parameter("", "x86_64", [standard, neuron]),
    parameter("", "arm64", [standard]),
    parameter("-nvidia", "x86_64", [nvidia]),
    parameter("-nvidia", "arm64", [nvidia]),
  ];
}

function windowsParameters(year: string, build: string, kubernetes: string): AliasParameter[] {
  return [
    {
      path: `/aws/service/ami-windows-latest/Windows_Server-${year}-English-Core-EKS_Optimized-${kubernetes}/image_id`,
      requirementSets: [[is(osLabel, "windows"), is(windowsBuildLabel, build)]],
    },
  ];
}
