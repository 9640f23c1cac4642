import type { Ec2NodeClass, ImageFamily } from "../node-class/ec2-node-class.ts";

/** A name for images that AWS publishes, as in `al2023@v20260101` or `bottlerocket@latest`. */
export interface ImageAlias {
  /** As written. */
  readonly text: string;
  readonly family: Exclude<ImageFamily, "Custom">;
  readonly version: string;
}

const families: ReadonlyMap<string, ImageAlias["family"]> = new Map([
  ["al2", "AL2"],
  ["al2023", "AL2023"],
  ["bottlerocket", "Bottlerocket"],
  ["windows2019", "Windows2019"],
  ["windows2022", "Windows2022"],
  ["windows2025", "Windows2025"],
]);

/** A version becomes part of a path: whatever could lead elsewhere is none. */
const versionPattern = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export function parseAlias(text: string): ImageAlias | undefined {
  const [name = "", version = "", ...more] = text.split("@");
  const family = families.get(name);
  if (family === undefined || more.length > 0 || !versionPattern.test(version)) return undefined;
  return { text, family, version };
}

/** An alias stands alone among the terms of a node class. */
export function aliasTextOf({ spec }: Pick<Ec2NodeClass, "spec">): string | undefined {
  return spec.amiSelectorTerms.find(({ alias }) => alias !== undefined)?.alias;
}

/** Why AWS publishes no such images for this version of Kubernetes (as in "1.36"); undefined when it may. */
export function unsupportedAliasProblem(
  nodeClass: Pick<Ec2NodeClass, "spec">,
  kubernetesVersion: string,
): string | undefined {
  const text = aliasTextOf(nodeClass);
  const alias = text === undefined ? undefined : parseAlias(text);
  const minor = Number.parseInt(kubernetesVersion.split(".")[1] ?? "", 10);
  if (alias === undefined || Number.isNaN(minor)) return undefined;
  if (alias.family === "AL2" && minor >= 33) {
    return `alias "${alias.text}" cannot be used: there are no AL2 images for Kubernetes 1.33 and later, and this cluster is ${kubernetesVersion}; use an al2023 or bottlerocket alias`;
  }
  if (alias.family === "Windows2025" && minor < 35) {
    return `alias "${alias.text}" cannot be used: Windows Server 2025 requires Kubernetes 1.35 or later, and this cluster is ${kubernetesVersion}; use a windows2022 alias, or upgrade the cluster`;
  }
  return undefined;
}
