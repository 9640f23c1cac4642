// Finds in the source which requests the controller can make of the Kubernetes API.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { kwokNodeClasses } from "../../src/adapters/kwok/node-class.ts";
import * as karpenterResources from "../../src/core/api/karpenter-resources.ts";
import { ec2NodeClasses } from "../../src/core/api/karpenter-resources.ts";
import type { KubeResource } from "../../src/runtime/kube-object.ts";
import * as builtInResources from "../../src/runtime/resources.ts";

/** Whose permission a request takes: that of all, or of the provider that makes it. */
export type Party = "core" | "aws" | "kwok";

export interface KubeCall {
  readonly party: Party;
  readonly group: string;
  /** With its subresource, as in `pods/eviction`. */
  readonly resource: string;
  readonly verb: string;
}

type Resource = Pick<KubeResource, "group" | "plural">;

const resources = new Map<string, Resource>(
  Object.entries({ ...builtInResources, ...karpenterResources, ec2NodeClasses, kwokNodeClasses }),
);
/** The first that a file is in. */
const parties: readonly { readonly folder: string; readonly party: Party }[] = [
  // Only AWS ever had Provisioners.
  { folder: "controllers/translator", party: "aws" },
  { folder: "controllers", party: "core" },
  { folder: "runtime", party: "core" },
  { folder: "operator", party: "core" },
  { folder: "adapters/aws", party: "aws" },
  { folder: "adapters/kwok", party: "kwok" },
];
const verbs: Readonly<Record<string, string>> = {
  get: "get",
  getNews: "get",
  list: "list",
  create: "create",
  createSubresource: "create",
  patch: "patch",
  delete: "delete",
};
/** What clients are called wherever there is one, so that their calls are found. */
const clientNames = new Set(["kube", "#kube"]);
/** Requests that go past the client, and what they come to. */
const rawRequests: ReadonlyMap<string, readonly Omit<KubeCall, "party">[]> = new Map([
  ["runtime/kube-client.ts", []],
  // Told by whoever makes one.
  ["runtime/reflector.ts", []],
  ["operator/measure-transport.ts", []],
  [
    "runtime/written-events.ts",
    [
      { group: "", resource: "events", verb: "create" },
      { group: "", resource: "events", verb: "patch" },
    ],
  ],
  // Whether the kinds are there, which is what listing them takes.
  ["controllers/accountant/unsupported-kinds.ts", []],
  // The version of the server, which everybody may ask for.
  ["adapters/aws/cluster-facts.ts", []],
]);

/** All that can be asked for, without repetition. Throws where the source does something that it cannot follow. */
export function findKubeCalls(sourceFolder: string): readonly KubeCall[] {
  const calls = sourceFiles(sourceFolder).flatMap((file) => {
    const name = relative(sourceFolder, file).replaceAll("\\", "/");
    const party = parties.find(({ folder }) => name.startsWith(`${folder}/`))?.party;
    return party === undefined ? [] : callsIn(name, readFileSync(file, "utf8")).map((call) => ({ party, ...call }));
  });
  const followed = (party: Party, { group, plural }: Resource): KubeCall[] =>
    ["list", "watch"].map((verb) => ({ party, group, resource: plural, verb }));
  calls.push(...followed("aws", ec2NodeClasses), ...followed("kwok", kwokNodeClasses));
  return [...new Map(calls.map((call) => [Object.values(call).join(" "), call])).values()];
}

type FoundCall = Omit<KubeCall, "party">;

/** Those of one file, which is named from the source folder on. */
export function callsIn(file: string, text: string): FoundCall[] {
  const source = stripComments(text);
  for (const [, name = ""] of source.matchAll(/([\w#]+)\??:\s*KubeClient\b/g)) {
    if (!clientNames.has(name)) throw new Error(`${file} has a KubeClient "${name}", whose calls are not looked for`);
  }
  return [...clientCalls(file, source), ...followedResources(file, source), ...rawCalls(file, source)];
}

function clientCalls(file: string, source: string): FoundCall[] {
  const found: FoundCall[] = [];
  for (const match of source.matchAll(/(?:\bkube|#kube)\??\.(\w+)\(/g)) {
    const [text, method = ""] = match;
    const verb = verbs[method];
    if (verb === undefined) throw new Error(`${file} calls ${text}), which is unknown`);
    const words = argumentsFrom(source, match.index + text.length);
    const [, subresource] = /\bsubresource: "(\w+)"/.exec(words) ?? [];
    if (method === "createSubresource" && subresource === undefined)
      throw new Error(`${file} posts to a subresource that is not a literal`);
    for (const { group, plural } of resourcesOf(file, source, words)) {
      found.push({ group, resource: subresource === undefined ? plural : `${plural}/${subresource}`, verb });
    }
  }
  for (const match of source.matchAll(/(?<!function )\bpatchStatus\(\s*[\w.#]+,/g)) {
    // Its own definition names no resource.
    if (file === "runtime/patch-status.ts") continue;
    const words = argumentsFrom(source, match.index + match[0].length);
    for (const { group, plural } of resourcesOf(file, source, words))
      found.push({ group, resource: `${plural}/status`, verb: "patch" });
  }
  return found;
}

/** Whatever is listed and watched. */
function followedResources(file: string, source: string): FoundCall[] {
  const makesReflector = /\bnew Reflector\(/.test(source);
  if (!makesReflector) return [];
  const ways: Readonly<Record<string, RegExp>> = {
    "controllers/observer/observer.ts": /#(?:fold|follow)\(\s*((?:resources\.)?\w+),|\bof \[([^\]]*)\]/g,
    "controllers/accountant/unsupported-kinds.ts": /\bresource: (\w+) \}/g,
    "controllers/translator/legacy-objects.ts": /#follow\((\w+)\)/g,
  };
  const way = ways[file];
  if (way === undefined) throw new Error(`${file} makes a Reflector, and nobody has said of what`);
  const names = [...source.matchAll(way)].flatMap(([, one, several]) => (one ?? several ?? "").split(/,\s*/));
  return names
    .filter((name) => name !== "resource")
    .flatMap((name) => {
      const { group, plural } = namedResource(file, source, name);
      return ["list", "watch"].map((verb) => ({ group, resource: plural, verb }));
    });
}

function rawCalls(file: string, source: string): readonly FoundCall[] {
  if (!/\btransport\.(?:send|watch)\(/.test(source)) return [];
  const known = rawRequests.get(file);
  if (known === undefined) throw new Error(`${file} sends requests past the client, and nobody has said which`);
  return known;
}

/** The resource that a call names, or, where it is a variable, all that the file knows. */
function resourcesOf(file: string, source: string, words: string): readonly Resource[] {
  const [name = ""] = /^[\w.]+/.exec(words.trimStart()) ?? [];
  if (name !== "resource") return [namedResource(file, source, name)];
  if (file.startsWith("runtime/")) return [];
  const known = importedResources(source);
  if (known.size === 0) throw new Error(`${file} makes a request for a resource that is not to be found out`);
  return [...known.values()];
}

function namedResource(file: string, source: string, name: string): Resource {
  const resource = name.startsWith("resources.")
    ? resources.get(name.slice("resources.".length))
    : importedResources(source).get(name);
  if (resource === undefined) throw new Error(`${file} makes a request for "${name}", which is no known resource`);
  return resource;
}

/** By the names that the file has for them. */
function importedResources(source: string): ReadonlyMap<string, Resource> {
  const found = new Map<string, Resource>();
  for (const [, names = "", specifier = ""] of source.matchAll(/^import \{([^}]*)\} from "([^"]+)"/gm)) {
    if (!/\/(?:resources|karpenter-resources|ec2-node-class|node-class)\.ts$/.test(specifier)) continue;
    for (const [, name = "", alias] of names.matchAll(/(?<!type )\b(\w+)(?: as (\w+))?/g)) {
      const resource = resources.get(name);
      if (resource !== undefined) found.set(alias ?? name, resource);
    }
  }
  for (const [, name = ""] of source.matchAll(/^export const (\w+)\b/gm)) {
    const resource = resources.get(name);
    if (resource !== undefined) found.set(name, resource);
  }
  return found;
}

/** What stands between the parentheses of a call. */
function argumentsFrom(source: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; end < source.length && depth > 0; end++) {
    if (source[end] === "(") depth++;
    else if (source[end] === ")") depth--;
  }
  return source.slice(start, end - 1);
}

function stripComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .sort()
    .map((name) => join(folder, name));
}
