import type { Labels } from "../../../core/model/labels.ts";
import { nodeClassHashAnnotation, nodeClassHashVersionAnnotation } from "../names.ts";
import { nodeClassHashVersion } from "../node-class/node-class-hash.ts";

/** The hash travels on the machine: its node class may be another by the time its claim is found again. */
export const nodeClassHashTag = nodeClassHashAnnotation;

/** With the way of hashing, which may be another by then too. */
export function writeHashTag(hash: string): string {
  return `${nodeClassHashVersion}:${hash}`;
}

/** The annotations of the claim that the machine is for; none when the machine says nothing. */
export function readHashTag(tags: Labels): Labels {
  const [version = "", hash = ""] = (tags.get(nodeClassHashTag) ?? "").split(":");
  if (version === "" || hash === "") return new Map();
  return new Map([
    [nodeClassHashAnnotation, hash],
    [nodeClassHashVersionAnnotation, version],
  ]);
}
