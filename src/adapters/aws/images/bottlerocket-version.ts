import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { aliasTextOf } from "./image-alias.ts";

/** The version of Bottlerocket that machines of a node class run, as in "1.46.0" or "latest". */
export function bottlerocketVersionOf({ spec, status }: Pick<Ec2NodeClass, "spec" | "status">): string | undefined {
  const alias = aliasTextOf({ spec })?.split("@")[1];
  if (alias !== undefined) return alias.replace(/^v+/, "");
  const names = spec.amiSelectorTerms.map(({ name }) => name);
  const ids = new Set(spec.amiSelectorTerms.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const found = status.amis.filter(({ name }) => name?.includes("bottlerocket"));
  const named = [...found.filter(({ id }) => ids.has(id)), ...found].map(({ name }) => name);
  for (const name of [...names, ...named]) {
    const version = versionIn(name ?? "");
    if (version !== undefined) return version;
  }
  return undefined;
}

/** As in `bottlerocket-aws-k8s-1.33-x86_64-v1.46.0-431fe75a`. */
function versionIn(name: string): string | undefined {
  return name
    .split("-")
    .find((part) => part.startsWith("v") && part.includes("."))
    ?.slice(1);
}
