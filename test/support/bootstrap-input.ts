import assert from "node:assert/strict";
import fc from "fast-check";
import type { BootstrapInput } from "../../src/adapters/aws/aws-parts.ts";
import { makeUserData } from "../../src/adapters/aws/user-data/make-user-data.ts";
import { type MimePart, mediaTypeOf, parseArchive } from "../../src/adapters/aws/user-data/mime-archive.ts";

export const unregistered = { key: "karpenter.sh/unregistered", value: "", effect: "NoExecute" } as const;
export const shellType = "text/x-shellscript";
export const configType = "application/node.eks.aws";

/** What a machine of the family is given where a test says nothing else. */
export function bootstrapInput(family: BootstrapInput["family"], more: Partial<BootstrapInput> = {}): BootstrapInput {
  return {
    family,
    clusterName: "test",
    facts: {
      endpoint: "https://test",
      caBundle: "Y2EtYnVuZGxlCg==",
      dnsAddress: "10.0.100.10",
      version: "1.36",
      serviceCidr: "10.100.0.0/16",
    },
    labels: new Map([
      ["karpenter.sh/capacity-type", "spot"],
      ["a", "b"],
    ]),
    taints: [unregistered],
    kubelet: { config: {}, maxPods: 110, clusterDns: [], kubeReserved: new Map(), systemReserved: new Map() },
    instanceStorePolicy: undefined,
    userData: undefined,
    imageVersion: undefined,
    ...more,
  };
}

export const plain = bootstrapInput("AL2");

export function textOf(made: BootstrapInput): string {
  const result = makeUserData(made);
  assert.ok("text" in result, "problem" in result ? result.problem : "");
  return result.text;
}

export function problemOf(made: BootstrapInput): string {
  const result = makeUserData(made);
  return "problem" in result ? result.problem : "none";
}

export const partsOf = (made: BootstrapInput): MimePart[] => parseArchive(textOf(made));
export const typesOf = (made: BootstrapInput): string[] => partsOf(made).map(mediaTypeOf);
export const lastOf = (made: BootstrapInput): string => partsOf(made).at(-1)?.content ?? "";

/** Strings with all that means something to some reader. */
export const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "'",
        '"',
        "`",
        "$(id)",
        "\\",
        "$x",
        "\u2019",
        "\u201b",
        "%n",
        "#",
        ": ",
        "- ",
        "&a *a",
        "--//",
        "<",
        "!",
        "yes",
        "~",
      ),
      fc.string({ unit: "grapheme-ascii" }),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((pieces) => `x${pieces.join("")}`);
