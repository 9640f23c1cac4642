// Checks the layer table of ARCHITECTURE.md: which folder of src may import which. What is not allowed here fails,
// a folder that is not listed too. Changing the table is a design decision: change ARCHITECTURE.md with it.
import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import { type Import, importsOf } from "./imports-of.ts";

interface Layer {
  /** Folders of src, each with all that is below it; a layer may always import itself. */
  readonly layers: readonly string[];
  /** Only `import type` and `export type` from other layers. */
  readonly typesOnly?: boolean;
  /** npm packages and node:*. */
  readonly packages?: boolean;
}

const belowTheShell = ["core", "ports", "runtime"];
const everything = [...belowTheShell, "controllers", "adapters", "embedded", "operator"];

/** A `*` stands for one folder or file, and each of them is a layer of its own. First match wins. */
const table: ReadonlyMap<string, Layer> = new Map([
  ["core/model", { layers: [] }],
  ["core/api", { layers: ["core/model"] }],
  ["core/cluster", { layers: ["core/model"] }],
  ["core/scheduling", { layers: ["core/model", "core/cluster"] }],
  ["core/workloads", { layers: ["core/model"] }],
  ["core/placement", { layers: ["core/model", "core/cluster"] }],
  ["core/disruption", { layers: ["core/model", "core/cluster", "core/scheduling"] }],
  ["core/lifecycle", { layers: ["core/model", "core/cluster"] }],
  ["core/termination", { layers: ["core/model", "core/cluster"] }],
  ["ports", { layers: ["core/model", "core/api", "core/scheduling"], typesOnly: true }],
  ["runtime", { layers: ["ports"] }],
  ["controllers/*", { layers: belowTheShell }],
  [
    "adapters/planner",
    {
      layers: ["core/model", "core/api", "core/scheduling", "core/disruption", "ports", "runtime"],
      packages: true,
    },
  ],
  ["adapters/*", { layers: ["core/model", "core/api", "ports", "runtime"], packages: true }],
  ["embedded", { layers: ["core/model", "core/api", "ports"], packages: true }],
  ["operator", { layers: everything.filter((layer) => layer !== "operator"), packages: true }],
  ["cli", { layers: everything, packages: true }],
  ["ui", { layers: everything, packages: true }],
]);

/** Packages that are too heavy or too particular to be met anywhere else. */
const ownedPackages: ReadonlyMap<string, string> = new Map([
  ["@aws-sdk/", "adapters/aws"],
  ["@azure/", "adapters/azure"],
  ["google-auth-library", "adapters/gcp"],
]);

const testPackages = new Set(["node:test", "node:assert", "node:assert/strict", "fast-check"]);

/** What is wrong with the imports of these files (path from the root of the repository → source), one line each. */
export function checkLayers(sources: ReadonlyMap<string, string>): string[] {
  return [...sources].flatMap(([path, source]) => {
    const name = layerOf(path);
    const layer = name === undefined ? undefined : ruleOf(name);
    if (name === undefined || layer === undefined) {
      return [`${path}: this folder is in no layer; put the file in one, or add the layer to scripts/check-layers.ts`];
    }
    if (!/\.[cm]?[jt]sx?$/.test(path)) return [];
    return importsOf(source).flatMap((found) => {
      const refusal = refuse({ path, name, layer, found });
      return refusal === undefined ? [] : [`${path}:${found.line}: ${refusal}`];
    });
  });
}

interface Question {
  readonly path: string;
  readonly name: string;
  readonly layer: Layer;
  readonly found: Import;
}

function refuse({ path, name, layer, found }: Question): string | undefined {
  const { specifier } = found;
  if (specifier === undefined) return `an import must name its module, so that its layer can be checked`;
  if (found.isReference) return `a /// reference brings in types behind the back of the layers`;
  const isTest = /\.test\.tsx?$/.test(path);
  if (!specifier.startsWith(".")) {
    if (isTest && testPackages.has(specifier)) return undefined;
    if (layer.packages !== true) return `${name} may import no packages, and imports "${specifier}"`;
    const owner = [...ownedPackages].find(([prefix]) => specifier.startsWith(prefix))?.[1];
    return owner === undefined || owner === name ? undefined : `only ${owner} may import "${specifier}"`;
  }
  const target = normalize(join(dirname(path), specifier));
  if (target === "package.json" && (name === "cli" || name === "operator")) return undefined;
  if (isTest && target.startsWith("test/support/")) return undefined;
  const targetName = layerOf(target);
  if (targetName === undefined) return `${name} may not import "${target}", which is in no layer`;
  if (targetName === name) return undefined;
  if (!layer.layers.some((allowed) => targetName === allowed || targetName.startsWith(`${allowed}/`))) {
    return `${name} may not import ${targetName} ("${specifier}"); it may import ${layer.layers.join(", ") || "nothing"}`;
  }
  return layer.typesOnly === true && !found.isType
    ? `${name} may import only types from ${targetName}: write "import type"`
    : undefined;
}

/** `src/controllers/observer/watch.ts` and `src/controllers/observer.test.ts` are both in `controllers/observer`. */
function layerOf(path: string): string | undefined {
  const [src, ...parts] = path.replace(/(\.test)?\.[cm]?[jt]sx?$/, "").split("/");
  if (src !== "src") return undefined;
  const pattern = [...table.keys()].find((key) => {
    const segments = key.split("/");
    const hasRoomForFile = key.includes("*") || parts.length > segments.length;
    return hasRoomForFile && segments.every((segment, i) => parts[i] === segment || (segment === "*" && parts[i]));
  });
  return pattern === undefined ? undefined : parts.slice(0, pattern.split("/").length).join("/");
}

function ruleOf(name: string): Layer | undefined {
  return table.get(name) ?? table.get(name.replace(/\/[^/]+$/, "/*"));
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  const paths = globSync("src/**/*", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => statSync(join(root, path)).isFile());
  const refusals = checkLayers(new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")])));
  for (const refusal of refusals) console.error(refusal);
  console.log(`${paths.length} files, ${refusals.length} imports or folders out of place`);
  if (paths.length === 0 || refusals.length > 0) process.exitCode = 1;
}
