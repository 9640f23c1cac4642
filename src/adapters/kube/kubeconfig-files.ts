import { readFileSync } from "node:fs";
import { parseDocument } from "yaml";
import { ConfigSection, KubeConfigError } from "./config-section.ts";

/** Several kubeconfig files as one: of what has the same name, the first counts. */
export interface MergedKubeConfig {
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, ConfigSection>;
  readonly clusters: ReadonlyMap<string, ConfigSection>;
  readonly users: ReadonlyMap<string, ConfigSection>;
}

const topFields = [
  "apiVersion",
  "kind",
  "preferences",
  "clusters",
  "users",
  "contexts",
  "current-context",
  "extensions",
];

export function mergeKubeConfigs(files: readonly string[]): MergedKubeConfig {
  const empty = (): Map<string, ConfigSection> => new Map();
  const merged = { contexts: empty(), clusters: empty(), users: empty() };
  let currentContext: string | undefined;
  for (const file of files) {
    const top = readTop(file);
    currentContext ??= top.text("current-context");
    for (const kind of ["context", "cluster", "user"] as const) {
      const known = merged[`${kind}s`];
      for (const [name, section] of entriesOf(top, kind)) if (!known.has(name)) known.set(name, section);
    }
  }
  return { ...merged, currentContext };
}

function readTop(file: string): ConfigSection {
  const document = parseDocument(readText(file), { prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    // The message of the parser may quote the line, which may hold a token.
    throw new KubeConfigError(`${file}: is not YAML (${error.code}, at character ${error.pos[0]}); mend or replace it`);
  }
  const top = new ConfigSection(document.toJS() ?? {}, { file, owner: "the file" });
  top.allowOnly(topFields);
  if ((top.text("kind") ?? "Config") !== "Config") throw top.mistake("kind", "must be Config; is this a kubeconfig?");
  if ((top.text("apiVersion") ?? "v1") !== "v1") throw top.mistake("apiVersion", "must be v1");
  return top;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new KubeConfigError(`${file}: the kubeconfig cannot be read (${code}); check the path and who may read it`);
  }
}

function entriesOf(top: ConfigSection, kind: "context" | "cluster" | "user"): ReadonlyMap<string, ConfigSection> {
  const entries = new Map<string, ConfigSection>();
  for (const entry of top.sections(`${kind}s`)) {
    const name = entry.neededText("name");
    const owner = `${kind} "${name}"`;
    if (entries.has(name)) throw top.mistake(`${kind}s`, `has ${owner} twice; remove one`);
    entries.set(name, entry.section(kind)?.as(owner) ?? new ConfigSection({}, { ...top.place, owner }));
  }
  return entries;
}
