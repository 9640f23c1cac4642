import assert from "node:assert/strict";
import { it } from "node:test";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { bottlerocketVersionOf } from "./bottlerocket-version.ts";

function versionFor(terms: readonly object[], names: Readonly<Record<string, string>> = {}): string | undefined {
  const amis = Object.entries(names).map(([id, name]) => ({ id, name }));
  return bottlerocketVersionOf({ spec: { amiSelectorTerms: terms }, status: { amis } } as unknown as Ec2NodeClass);
}

it("reads the version of Bottlerocket from the alias, a name, or the images that were found", () => {
  const names = {
    "ami-1": "bottlerocket-aws-k8s-1.33-x86_64-v1.45.0-431fe75a",
    "ami-2": "bottlerocket-aws-k8s-1.33-arm64-v1.47.1-431fe75a",
    "ami-3": "my-v9.9.9",
  };
  assert.deepEqual(
    [
      versionFor([{ alias: "bottlerocket@v1.46.0" }], names),
      versionFor([{ alias: "bottlerocket@latest" }]),
      versionFor([{ name: "bottlerocket-*-v1.44.0-*" }], names),
      versionFor([{ id: "ami-2" }], names),
      versionFor([{ tags: new Map() }], names),
      versionFor([{ id: "ami-3" }], { "ami-3": names["ami-3"] }),
    ],
    ["1.46.0", "latest", "1.44.0", "1.47.1", "1.45.0", undefined],
  );
});
