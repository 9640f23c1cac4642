import type { CustomResourceDefinition } from "../../../src/core/api/definitions/custom-resource-definition.ts";

/** Where our definitions say something else than those of the Go version, and why that is well. */
const knownDifferences: readonly { readonly at: RegExp; readonly why: string }[] = [
  {
    at: /\.budgets\.items\.properties\.(duration|nodes|schedule)\.maxLength$/,
    why: "a bound that lets the API server afford the rule with words for people",
  },
  {
    at: /\.(taints|startupTaints)\.(maxItems|items\.properties\.(key|value)\.maxLength)$/,
    why: "a bound that lets the API server afford the rule with words for people",
  },
  {
    at: /\.requirements\.items\.properties\.values\.(maxLength|pattern)$/,
    why: "the API server does not look at these where they are about a list",
  },
  {
    at: /^kwoknodeclasses.*\.conditions\.x-kubernetes-list/,
    why: "conditions are one of each type, as everywhere else",
  },
  {
    at: /^ec2nodeclasses.*\.conditions\.x-kubernetes-list/,
    why: "conditions are one of each type, as everywhere else",
  },
  {
    at: /^ec2nodeclasses.*SelectorTerms\.items\.properties\.(id|ownerID)\.(pattern|maxLength)$/,
    why: "an id is the whole text, and its bound lets the API server afford the rule with words for people",
  },
  {
    at: /^ec2nodeclasses.*\.(placementGroupSelector\.properties\.id|volumeSize)\.(pattern|maxLength)$/,
    why: "the pattern has no gaps, and its bound lets the API server afford the rule with words for people",
  },
  {
    at: /^ec2nodeclasses.*\.tags\.(additionalProperties\.maxLength|maxProperties)$/,
    why: "AWS takes no more, and a bound lets the API server afford the rules",
  },
  {
    at: /^ec2nodeclasses.*\.kubelet\./,
    why: "the kubelet's own fields are all possible, and are judged by the controller",
  },
  {
    at: /^ec2nodeclasses.*\.openAPIV3Schema\.required/,
    why: "a node class without a spec is of no use to anybody",
  },
];

/** How the definitions differ in anything but descriptions and rules, a line for each fact. */
export function compareFacts(ours: CustomResourceDefinition, theirs: CustomResourceDefinition): string[] {
  const name = ours.metadata.name;
  const own = factsOf(name, ours.spec);
  const foreign = factsOf(name, theirs.spec);
  const paths = [...new Set([...own.keys(), ...foreign.keys()])];
  return paths
    .filter((path) => own.get(path) !== foreign.get(path) && !knownDifferences.some(({ at }) => at.test(path)))
    .map((path) => `${path}: ${own.get(path)}, and upstream ${foreign.get(path)}`);
}

const words = new Set(["description", "x-kubernetes-validations"]);
const inAnyOrder = new Set(["required", "enum"]);

function factsOf(path: string, value: unknown, facts = new Map<string, string>()): Map<string, string> {
  if (typeof value !== "object" || value === null) return facts.set(path, JSON.stringify(value));
  const entries = Object.entries(value);
  if (entries.length === 0) facts.set(path, JSON.stringify(value));
  for (const [key, part] of entries) {
    // A property may be called as the words of a schema are.
    if (words.has(key) && !path.endsWith(".properties")) continue;
    factsOf(`${path}.${key}`, inAnyOrder.has(key) && Array.isArray(part) ? part.toSorted() : part, facts);
  }
  return facts;
}
